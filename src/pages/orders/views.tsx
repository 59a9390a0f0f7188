/** What a user has bought, sold and got. */
import type { Child } from 'hono/jsx'
import { orderableStatuses } from '../../db/schema/catalogue.ts'
import type { HistoryEntry, Side } from '../../orders/history.ts'
import { ExplorerLink } from '../components/explorer.tsx'
import { Facts } from '../components/facts.tsx'
import { Icon } from '../components/icon.tsx'
import { shortAddress } from '../components/names.ts'
import { Pager, pathWith, Tabs } from '../components/navigation.tsx'
import { Notice } from '../components/notice.tsx'
import { describePaid, money, plural } from '../components/numbers.ts'
import { Cover } from '../components/picture.tsx'
import { usePage } from '../components/request.ts'
import { Rows } from '../components/rows.tsx'
import { Title } from '../components/text.tsx'
import { WalletAction } from '../wallet/views.tsx'
import {
  hasEnded,
  isOnItsWay,
  Message,
  type OrderProps,
  Steps,
  Waiting,
  waitOf,
} from './progress.tsx'

/** A page of a list. `next` is the cursor of the next page; null on the last. */
type ListProps = { entries: HistoryEntry[]; next: number | null; isFirstPage: boolean }

type OrdersProps = ListProps & {
  side: Side
  isSeller: boolean
  /** The number of NFTs that wait for the user's wallet, on all pages. */
  awaiting: number
  /** The number of NFTs that were sent on their way by linking a wallet. */
  transfers: number | undefined
}

export const Orders = ({ side, entries, next, isFirstPage, ...props }: OrdersProps) => (
  <div class="flow">
    <h1>Orders</h1>
    {props.isSeller && (
      <Tabs
        label="Orders"
        tabs={[
          [listPath('bought'), 'Bought', side === 'bought'],
          [listPath('sold'), 'Sold', side === 'sold'],
        ]}
      />
    )}
    <LiveHistory entries={entries}>
      {props.transfers !== undefined && (
        <Notice>
          The wallet is linked. {entries.some(isOnItsWay) && describeTransfers(props.transfers)}
        </Notice>
      )}
      {side === 'bought' && <WalletMissing awaiting={props.awaiting} />}
      <Rows
        items={entries}
        empty={isFirstPage ? emptyText[side] : 'There are no more orders.'}
        isOrdered
        row={(entry) => <Order entry={entry} side={side} />}
      />
      <Pager
        noun="orders"
        to={(page) => listPath(side, page)}
        isFirstPage={isFirstPage}
        next={next !== null && { before: next }}
      />
    </LiveHistory>
  </div>
)

const emptyText: Record<Side, string> = {
  bought:
    'You have not bought anything yet. What you buy in a shop of this marketplace appears here.',
  sold: 'You have not sold anything yet.',
}

const listPath = (side: Side, page = {}): string =>
  pathWith('/orders', { side: side === 'sold' && side, ...page })

/** The script `orders.js` loads it again until all orders have ended, and says what has changed. */
const LiveHistory = ({ entries, children }: { entries: HistoryEntry[]; children: Child }) => (
  <>
    <div id="history" class="flow" data-live={String(!entries.every(hasEnded))}>
      {children}
    </div>
    <p class="status" id="live" role="status" />
    <p class="visually-hidden" id="news" role="status" />
  </>
)

const describeTransfers = (count: number) =>
  count === 1 ? '1 NFT is on its way.' : `${plural(count, 'NFT')} are on their way.`

const WalletMissing = ({ awaiting }: { awaiting: number }) => {
  if (awaiting === 0 || usePage().account?.ethereumPublicAddr) return null
  return (
    <p class="notice warn">
      <Icon name="wallet" />
      <span>
        {plural(awaiting, 'NFT')} {awaiting === 1 ? 'waits' : 'wait'} until you link a wallet.
      </span>
      <a href="/settings/account">Link a wallet</a>
    </p>
  )
}

/**
 * An order of a list, or the one of its page. `orders.js` compares `data-version`, and announces the
 * last step when it has changed.
 */
const Order = ({ entry, side, isAlone }: OrderProps & { isAlone?: boolean }) => {
  const { order, item, delivery } = entry
  const wait = waitOf(entry)
  const title = <Title>{item.nft.title}</Title>
  const href = isAlone ? nftPath(item.nft) : `/orders/${order.id}`
  return (
    <li
      class="order"
      id={`order-${order.id}`}
      data-version={`${delivery.state} ${item.txId} ${wait?.cause} ${wait?.reasonCode}`}
    >
      <Cover nft={item.nft} />
      <div>
        <h2>{href ? <a href={href}>{title}</a> : title}</h2>
        <p class="meta">
          <span>{plural(item.quantity, 'piece')}</span>
          <span>{money(order.totalPriceCents, order.totalPriceCurrency)}</span>
          <span>
            Order <bdi>{orderNumber(order)}</bdi>
          </span>
          {side === 'sold' && (
            <span>
              Buyer: <bdi>{buyerName(entry)}</bdi>
            </span>
          )}
        </p>
        {item.txId && (
          <p class="meta">
            Transaction{' '}
            <ExplorerLink
              network={usePage().settings.NETWORKS[item.nft.contractNetwork]}
              kind="tx"
              value={item.txId}
            />
          </p>
        )}
        <Waiting entry={entry} side={side} />
        <Message entry={entry} side={side} />
      </div>
      <Steps entry={entry} side={side} />
    </li>
  )
}

/** Returns the page of an NFT; null if it has none, because it is not released or was deleted. */
function nftPath({ id, status, deletedAt, releaseAt }: HistoryEntry['item']['nft']): string | null {
  const isReleased = orderableStatuses.includes(status) && releaseAt <= usePage().now.toISOString()
  return isReleased && !deletedAt ? `/nfts/${id}` : null
}

/** The shop's own number, if it has given one. */
const orderNumber = ({ id, providerId }: HistoryEntry['order']) => providerId ?? String(id)

const buyerName = ({ order: { buyer }, item: { ethRecipient } }: HistoryEntry): string =>
  buyer.name ?? buyer.username ?? (ethRecipient ? shortAddress(ethRecipient) : `user ${buyer.id}`)

/** `billing` is the billing address; undefined for a seller. */
type OrderPageProps = OrderProps & { billing: string | undefined }

type Fact = [name: string, value: Child]

export const OrderPage = ({ entry, side, billing }: OrderPageProps) => {
  const { nft, ethRecipient: account, quantity, priceCents, priceCurrency } = entry.item
  const { contractNetwork, contractAddr: address, tokenId } = nft
  const network = usePage().settings.NETWORKS[contractNetwork]
  const link = (value: string) => (
    <ExplorerLink network={network} kind="address" value={value}>
      {value}
    </ExplorerLink>
  )
  const facts: Fact[] = [
    ['Price', `${quantity} × ${money(priceCents, priceCurrency)}`],
    ...(entry.paid ? [['Paid', <bdi>{describePaid(entry.paid)}</bdi>] satisfies Fact] : []),
    ['Wallet', account ? link(account) : 'None yet'],
    ['Contract', link(address)],
    ['Network', network?.name ?? contractNetwork],
    ['Token id', tokenId ?? 'None yet'],
  ]
  const isOwn = side === 'bought' && entry.delivery.state === 'transferred' && account && tokenId
  if (isOwn) facts.push(['Proof', <Proof orderId={entry.order.id} />])
  if (billing) facts.push(['Billing address', <bdi>{billing}</bdi>])
  return (
    <div class="flow">
      <p>
        <a href={listPath(side)}>Orders</a>
      </p>
      <h1>
        Order <bdi>{orderNumber(entry.order)}</bdi>
      </h1>
      <LiveHistory entries={[entry]}>
        <ol class="rows">
          <Order entry={entry} side={side} isAlone />
        </ol>
        <Facts facts={facts} />
        {isOwn && (
          <WalletAction
            label="Add to wallet"
            subject={nft.title}
            network={contractNetwork}
            account={account}
            request={{ watch: { address, tokenId } }}
          />
        )}
      </LiveHistory>
    </div>
  )
}

const Proof = ({ orderId }: { orderId: number }) => (
  <>
    <a href={`/api/externalOrders/${orderId}/proof`} download="proof.json">
      proof.json
    </a>
    {' · '}
    <a href="/docs/proofs">Verify it</a>
  </>
)

/** What was delivered to a user: a card for each NFT of the page. */
export const Collection = ({ entries, next, isFirstPage }: ListProps) => (
  <div class="flow">
    <h1>Collection</h1>
    <p class="lead">What was delivered to you, also if you have given it away since.</p>
    {entries.length === 0 && <p class="empty">Nothing was delivered to you yet.</p>}
    <ul class="grid">
      {[...Map.groupBy(entries, ({ item }) => item.nftId).values()].map((own) => (
        <Collected entries={own} />
      ))}
    </ul>
    <Pager
      noun="NFTs"
      to={(page) => pathWith('/collection', { ...page })}
      isFirstPage={isFirstPage}
      next={next !== null && { before: next }}
    />
  </div>
)

/** Leads to the newest of the orders. */
const Collected = ({ entries }: { entries: HistoryEntry[] }) =>
  entries.slice(0, 1).map(({ order, item: { nft } }) => (
    <li class="release">
      <Cover nft={nft} />
      <h2>
        <a href={`/orders/${order.id}`}>
          <Title>{nft.title}</Title>
        </a>
      </h2>
      <p class="meta">
        <bdi>{nft.contractName}</bdi>
        <span>
          {plural(
            entries.reduce((sum, { item }) => sum + item.quantity, 0),
            'piece',
          )}
        </span>
      </p>
    </li>
  ))

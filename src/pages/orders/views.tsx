import { orderableStatuses } from '../../db/schema/catalogue.ts'
import type { HistoryEntry, Side } from '../../orders/history.ts'
import { ExplorerLink } from '../components/explorer.tsx'
import { Icon } from '../components/icon.tsx'
import { shortAddress } from '../components/names.ts'
import { Pager, pathWith, Tabs } from '../components/navigation.tsx'
import { Notice } from '../components/notice.tsx'
import { money, plural } from '../components/numbers.ts'
import { Cover } from '../components/picture.tsx'
import { usePage } from '../components/request.ts'
import { Rows } from '../components/rows.tsx'
import { Title } from '../components/text.tsx'
import { hasEnded, isOnItsWay, Steps } from './steps.tsx'
import { Waiting, waitOf } from './waiting.tsx'

type OrdersProps = {
  side: Side
  entries: HistoryEntry[]
  /** The cursor of the next page; null on the last. */
  next: number | null
  isFirstPage: boolean
  isSeller: boolean
  /** The number of NFTs that wait for the user's wallet, on all pages. */
  awaiting: number
  /** The number of NFTs that were sent on their way by linking a wallet. */
  transfers: number | undefined
}

/** The purchases or sales of a user. */
export const Orders = ({ side, entries, next, isFirstPage, ...props }: OrdersProps) => (
  <div class="flow">
    <h1>Orders</h1>
    {props.isSeller && <SideTabs side={side} />}
    <div id="history" class="flow" data-live={String(!entries.every(hasEnded))}>
      <Linked transfers={props.transfers} isOnItsWay={entries.some(isOnItsWay)} />
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
    </div>
    <p class="status" id="live" role="status" />
    <p class="visually-hidden" id="news" role="status" />
  </div>
)

type LinkedProps = { transfers: number | undefined; isOnItsWay: boolean }

const Linked = ({ transfers, isOnItsWay }: LinkedProps) =>
  transfers === undefined ? null : (
    <Notice>
      The wallet is linked.{' '}
      {isOnItsWay &&
        (transfers === 1
          ? '1 NFT is on its way.'
          : `${plural(transfers, 'NFT')} are on their way.`)}
    </Notice>
  )

const emptyText: Record<Side, string> = {
  bought:
    'You have not bought anything yet. What you buy in a shop of this marketplace appears here.',
  sold: 'You have not sold anything yet.',
}

export const listPath = (side: Side, page = {}): string =>
  pathWith('/orders', { side: side === 'sold' && side, ...page })

const SideTabs = ({ side }: { side: Side }) => (
  <Tabs
    label="Orders"
    tabs={[
      [listPath('bought'), 'Bought', side === 'bought'],
      [listPath('sold'), 'Sold', side === 'sold'],
    ]}
  />
)

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

type OrderProps = {
  entry: HistoryEntry
  side: Side
  /** Whether the page has nothing but this order. */
  isAlone?: boolean
}

/** `orders.js` compares `data-version`, and announces the last step when it has changed. */
export const Order = ({ entry, side, isAlone }: OrderProps) => {
  const { order, item, delivery } = entry
  const { id, totalPriceCents, totalPriceCurrency } = order
  const wait = waitOf(entry)
  const title = <Title>{item.nft.title}</Title>
  const href = isAlone ? nftPath(item.nft) : `/orders/${id}`
  return (
    <li
      class="order"
      id={`order-${id}`}
      data-version={`${delivery.state} ${item.txId} ${wait?.cause} ${wait?.reasonCode}`}
    >
      <Cover nft={item.nft} />
      <div>
        <h2>{href ? <a href={href}>{title}</a> : title}</h2>
        <p class="meta">
          <span>{plural(item.quantity, 'piece')}</span>
          <span>{money(totalPriceCents, totalPriceCurrency)}</span>
          <span>
            Order <bdi>{orderNumber(order)}</bdi>
          </span>
          {side === 'sold' && (
            <span>
              Buyer: <bdi>{buyerName(entry)}</bdi>
            </span>
          )}
        </p>
        <Transaction entry={entry} />
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
export const orderNumber = ({ id, providerId }: HistoryEntry['order']) => providerId ?? String(id)

const buyerName = ({ order: { buyer }, item: { ethRecipient } }: HistoryEntry): string =>
  buyer.name ?? buyer.username ?? (ethRecipient ? shortAddress(ethRecipient) : `user ${buyer.id}`)

const Transaction = ({ entry: { item } }: { entry: HistoryEntry }) =>
  item.txId && (
    <p class="meta">
      Transaction{' '}
      <ExplorerLink
        network={usePage().settings.NETWORKS[item.nft.contractNetwork]}
        kind="tx"
        value={item.txId}
      />
    </p>
  )

/** What is missing, or what went wrong. */
const Message = ({ entry, side }: OrderProps) => {
  const { id, failReason } = entry.order
  const { status } = entry.item
  if (status === 'awaiting_wallet')
    return side === 'bought' ? (
      <p class="order-message">
        <a href="/settings/account">Link a wallet</a> to receive this.
      </p>
    ) : (
      <p class="order-message">The buyer has not linked a wallet yet.</p>
    )
  if (status !== 'failed') return null
  return (
    <p class="order-message problem">
      {entry.delivery.state === 'cancelled'
        ? 'The delivery was cancelled.'
        : `The delivery failed: ${failReason ?? 'for an unknown reason'}.`}{' '}
      Ask the operator of the marketplace, and name order {id}.
    </p>
  )
}

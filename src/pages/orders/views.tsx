/** What a user has bought, sold and got. */
import type { Child } from 'hono/jsx'
import { orderableStatuses } from '../../db/schema/catalogue.ts'
import { orderNumber } from '../../orders/number.ts'
import {
  type HistoryEntry,
  MAX_AWAITING,
  type readHistory,
  type Side,
} from '../../orders/reading/history.ts'
import type { Shop } from '../../orders/reading/shop.ts'
import type { Texts } from '../../texts/en.ts'
import { Notice } from '../components/forms.tsx'
import { Icon } from '../components/icon.tsx'
import { Facts, Menu, Pager, Rows } from '../components/lists.tsx'
import { Cover } from '../components/nfts.tsx'
import { type Found, usePage } from '../components/request.ts'
import { ShopContact } from '../components/shop.tsx'
import { formatCount, formatMoney, pathWith, shortAddress } from '../components/text.ts'
import { ExactTime, ExplorerLink, Title } from '../components/values.tsx'
import { ContentHint, ContentSection, contentTitle, hasContent } from '../content/views.tsx'
import { WalletAction } from '../wallet/views.tsx'
import {
  hasEnded,
  isOnItsWay,
  type OrderProps,
  ProgressMessage,
  Steps,
  waitOf,
} from './progress.tsx'

type History = Found<typeof readHistory>

type OrdersProps = History & {
  side: Side
  /** The number of NFTs that were sent on their way by linking a wallet. */
  transfers: number | undefined
}

export const OrderList = ({ side, entries, next, ...props }: OrdersProps) => {
  const { locale, texts, isFirstPage } = usePage()
  const { orders } = texts
  const { transfers } = props
  const empty = side === 'bought' ? orders.noneBought : orders.noneSold
  return (
    <div class="flow">
      <h1>{orders.title}</h1>
      {props.isSeller && (
        <Menu
          label={orders.title}
          links={[
            [listPath('bought'), orders.bought],
            [listPath('sold'), orders.sold],
          ]}
          current={listPath(side)}
          isTabs
        />
      )}
      <LiveHistory entries={entries}>
        {transfers !== undefined && (
          <Notice>
            {texts.account.notices['wallet-linked']}{' '}
            {entries.some(isOnItsWay) &&
              orders.onTheirWay(transfers, formatCount(transfers, locale))}
          </Notice>
        )}
        {side === 'bought' && <WalletMissing awaiting={props.awaiting} />}
        <Rows
          items={entries}
          empty={isFirstPage ? empty : orders.noMore}
          isOrdered
          row={(entry) => <Order entry={entry} side={side} />}
        />
        <Pager noun={orders} path="/orders" query={queryOf(side)} next={{ before: next }} />
      </LiveHistory>
    </div>
  )
}

const queryOf = (side: Side) => ({ side: side === 'sold' && side })

const listPath = (side: Side) => pathWith('/orders', queryOf(side))

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

const WalletMissing = ({ awaiting }: { awaiting: number }) => {
  const { account, locale, texts } = usePage()
  if (awaiting === 0 || account?.ethereumPublicAddr) return null
  const shown = formatCount(awaiting, locale) + (awaiting >= MAX_AWAITING ? '+' : '')
  return (
    <p class="notice warn">
      <Icon name="wallet" />
      <span>{texts.orders.waitForWallet(awaiting, shown)}</span>
      <a href="/settings/account">{texts.account.linkWallet}</a>
    </p>
  )
}

/**
 * An order of a list, or the one of its page. `orders.js` compares `data-version`, and announces the
 * last step when it has changed.
 */
const Order = ({ entry, side, isAlone }: OrderProps & { isAlone?: boolean }) => {
  const { order, orderItem, delivery } = entry
  const { locale, texts } = usePage()
  const { orders } = texts
  const wait = waitOf(entry)
  const title = <Title>{orderItem.nft.title}</Title>
  const href = isAlone ? nftPath(orderItem.nft) : `/orders/${order.id}`
  const version = [delivery.state, orderItem.txId, wait?.cause, wait?.reasonCode]
  return (
    <li class="order" id={`order-${order.id}`} data-version={version.filter(Boolean).join(' ')}>
      <Cover nft={orderItem.nft} />
      <div>
        <h2>{href ? <a href={href}>{title}</a> : title}</h2>
        <p class="meta">
          <span>{orders.pieces(orderItem.quantity, formatCount(orderItem.quantity, locale))}</span>
          <span>{formatMoney(order.totalPriceCents, order.totalPriceCurrency, locale)}</span>
          <span>{orders.order(<bdi>{orderNumber(order)}</bdi>)}</span>
          {side === 'sold' && <span>{orders.buyer(<bdi>{buyerName(entry, texts)}</bdi>)}</span>}
        </p>
        {orderItem.txId && (
          <p class="meta">
            {orders.transaction}{' '}
            <ExplorerLink
              network={orderItem.nft.contractNetwork}
              kind="tx"
              value={orderItem.txId}
            />
          </p>
        )}
        <ProgressMessage entry={entry} side={side} />
      </div>
      <Steps entry={entry} side={side} />
    </li>
  )
}

/** Returns the page of an NFT; null if it has none, because it is not released or was deleted. */
function nftPath({
  id,
  status,
  deletedAt,
  releaseAt,
}: HistoryEntry['orderItem']['nft']): string | null {
  const isReleased = orderableStatuses.includes(status) && releaseAt <= usePage().now.toISOString()
  return isReleased && !deletedAt ? `/nfts/${id}` : null
}

const buyerName = ({ order: { buyer }, orderItem }: HistoryEntry, { orders }: Texts): string =>
  buyer.name ??
  buyer.username ??
  (orderItem.ethRecipient ? shortAddress(orderItem.ethRecipient) : orders.user(buyer.id))

/**
 * `billing` is the billing address; undefined for a seller. `shop`: undefined if nobody has named it.
 * `seller`: the name, if there is one. `codes`: those of the buyer.
 */
type OrderPageProps = OrderProps & {
  codes: readonly string[]
  billing: string | undefined
  shop: Shop | undefined
  seller: string | null | undefined
}

type Fact = [name: string, value: Child]

/** What the customer has paid, if the shop has told it. */
function paidFacts(paid: HistoryEntry['paid'], texts: Texts, locale: string): Fact[] {
  if (!paid) return []
  const { orders } = texts
  const { grossCents, taxCents, discountCents, currency, invoiceNumber } = paid
  const amounts: [name: string, cents: number | null][] = [
    [texts.steps.paid, grossCents],
    [orders.tax, taxCents],
    [orders.discount, discountCents],
  ]
  const facts: Fact[] = amounts.flatMap(([name, cents]) =>
    cents === null ? [] : [[name, formatMoney(cents, currency, locale)]],
  )
  if (invoiceNumber !== null) facts.push([orders.invoice, <bdi>{invoiceNumber}</bdi>])
  return facts
}

export const OrderPage = ({ entry, side, codes, billing, shop, seller }: OrderPageProps) => {
  const { nft, ethRecipient: account, quantity, priceCents, priceCurrency } = entry.orderItem
  const { contractNetwork, contractAddr: address, tokenId } = nft
  const { phrase, files, hasCodes, isForHolder } = entry.content
  const { settings, locale, texts } = usePage()
  const { orders } = texts
  const link = (value: string) => (
    <ExplorerLink network={contractNetwork} kind="address" value={value} text={value} />
  )
  const isDelivered = entry.delivery.state === 'transferred'
  const facts: Fact[] = [
    [orders.ordered, <ExactTime at={entry.order.createdAt} />],
    [orders.price, `${quantity} × ${formatMoney(priceCents, priceCurrency, locale)}`],
    ...paidFacts(entry.paid, texts, locale),
    [orders.wallet, account ? link(account) : isDelivered ? '–' : orders.none],
    [orders.contract, link(address)],
    [orders.network, settings.NETWORKS[contractNetwork]?.name ?? contractNetwork],
    [orders.tokenId, tokenId ?? orders.none],
  ]
  const isOwn = side === 'bought' && isDelivered && account && tokenId
  if (billing) facts.push([orders.billing, <bdi>{billing}</bdi>])
  if (shop) facts.push([orders.shop, <ShopContact shop={shop} />])
  if (seller) facts.push([texts.receipt.seller, <bdi>{seller}</bdi>])
  return (
    <div class="flow">
      <p>
        <a href={listPath(side)}>{orders.title}</a>
      </p>
      <h1>{orders.order(<bdi>{orderNumber(entry.order)}</bdi>)}</h1>
      <LiveHistory entries={[entry]}>
        <ol class="rows">
          <Order entry={entry} side={side} isAlone />
        </ol>
        {hasContent(entry.content) && (
          <ContentSection
            phrase={phrase}
            codes={codes}
            missing={hasCodes ? quantity - codes.length : 0}
            files={files.map((file) => ({
              ...file,
              href: `/orders/${entry.order.id}/files/${encodeURIComponent(file.name)}`,
            }))}
          />
        )}
        {isForHolder && <ContentHint id={nft.id} files={0} hasCodes={false} isForHolder />}
        <Facts facts={facts} />
        {isOwn && (
          <WalletAction
            label={orders.addToWallet}
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

/** What was delivered to a user: a card for each NFT of the page. */
export const Collection = ({ entries, next }: History) => {
  const { isFirstPage, texts } = usePage()
  const { collection } = texts
  const none = isFirstPage && next === null ? collection.none : collection.noneHere
  return (
    <div class="flow">
      <h1>{collection.title}</h1>
      <p class="lead">{collection.lead}</p>
      {entries.length === 0 && <p class="empty">{none}</p>}
      <ul class="grid">
        {[...Map.groupBy(entries, ({ orderItem }) => orderItem.nftId).values()].map((own) => (
          <Collected entries={own} />
        ))}
      </ul>
      <Pager noun={collection} path="/collection" next={{ before: next }} />
    </div>
  )
}

/** Leads to the newest of the orders, and to what each has released. */
const Collected = ({ entries }: { entries: HistoryEntry[] }) => {
  const { locale, texts } = usePage()
  const pieces = entries.reduce((sum, { orderItem }) => sum + orderItem.quantity, 0)
  const released = entries.filter(({ content }) => hasContent(content))
  return entries.slice(0, 1).map(({ order, orderItem: { nft } }) => (
    <li class="release">
      <Cover nft={nft} />
      <h2>
        <a href={`/orders/${order.id}`}>
          <Title>{nft.title}</Title>
        </a>
      </h2>
      <p class="meta">
        <bdi>{nft.contractName}</bdi>
        <span>{texts.orders.pieces(pieces, formatCount(pieces, locale))}</span>
        {released.map(({ order, content }) => (
          <span>
            <a href={`/orders/${order.id}#content`}>
              {contentTitle(content, texts)}
              {released.length > 1 && <bdi> ({orderNumber(order)})</bdi>}
            </a>
          </span>
        ))}
      </p>
    </li>
  ))
}

/** Transfers, as lists and the pages of orders show them. */
import type { SQL } from 'drizzle-orm'
import { parseNamespace } from '../../auth/sources.ts'
import type { Database } from '../../db/client.ts'
import type { nfts } from '../../db/schema/catalogue.ts'
import type { DeliveryState, deliveries, ReasonCode } from '../../db/schema/delivery.ts'
import type { orderItems, orders } from '../../db/schema/orders.ts'
import { raw } from '../../db/statements.ts'
import type { Filter } from '../../delivery/actions/transfers.ts'
import { describeReason, rules } from '../../delivery/reasons.ts'
import { Meta, Rows } from '../../pages/components/lists.tsx'
import { usePage } from '../../pages/components/request.ts'
import { formatMoney, plural, sentence } from '../../pages/components/text.ts'
import { Time } from '../../pages/components/values.tsx'
import { OrderLink, PageLink, StateBadge } from './layout.tsx'
import { nameSql } from './people.tsx'

type Delivery = typeof deliveries.$inferSelect

/**
 * A delivery with its order. `amount`: what the buyer paid, in minor units of the currency (ISO
 * 4217). `recipient`: null while the buyer has no wallet.
 */
export type ListedTransfer = Delivery &
  Pick<
    typeof orderItems.$inferSelect,
    'orderId' | 'quantity' | 'sellerId' | 'nftId' | 'listingId'
  > &
  Pick<typeof orders.$inferSelect, 'providerId' | 'namespace' | 'buyerId'> &
  Pick<typeof nfts.$inferSelect, 'title' | 'contractAddr' | 'tokenId'> &
  Record<'network' | 'paidAt' | 'currency', string> & {
    status: DeliveryState
    amount: number
    recipient: string | null
    buyerName: string | null
    sellerName: string | null
  }

/** Selects transfers by a condition on the delivery `d`, its order item `i` and its order `o`. */
export const selectTransfers = (db: Database, condition: SQL) =>
  raw<ListedTransfer>(db)`
    SELECT d.*, d.state AS status, i.orderId, i.quantity, i.sellerId, i.nftId, i.listingId,
      i.ethRecipient AS recipient, i.priceCurrency AS currency, i.priceCents * i.quantity AS amount,
      o.providerId, o.namespace, o.buyerId, o.createdAt AS paidAt,
      n.title, n.contractAddr, n.tokenId, n.contractNetwork AS network,
      ${nameSql('buyer')} AS buyerName, ${nameSql('seller')} AS sellerName
    FROM deliveries d JOIN orderItems i ON i.id = d.id JOIN orders o ON o.id = i.orderId
      JOIN nfts n ON n.id = i.nftId LEFT JOIN users buyer ON buyer.id = o.buyerId
      LEFT JOIN users seller ON seller.id = i.sellerId WHERE ${condition}`

/** Whether transfers in a state, or in any, can be changed. */
export const isChangeable = (state: Filter['status']) =>
  !state || !['transferred', 'cancelled', 'written_off'].includes(state)

type RowsProps = { transfers: readonly ListedTransfer[]; empty: string; isSelectable?: boolean }

/** Transfers, each with a checkbox if it can be selected. */
export const TransferRows = ({ transfers, empty, isSelectable = false }: RowsProps) => (
  <Rows
    items={transfers}
    empty={empty}
    isOrdered
    row={({ id, status, requestedAction, ...transfer }) => (
      <li class="row">
        <div>
          <div class="row-head">
            {isSelectable && isChangeable(status) && (
              <input type="checkbox" name="id" value={id} aria-label={`Transfer ${id}`} />
            )}
            <h3>
              <PageLink to="transfers" id={id} />
            </h3>
            <StateBadge state={status} requestedAction={requestedAction} />
          </div>
          <Meta
            facts={[
              <bdi>{transfer.title}</bdi>,
              plural(transfer.quantity, 'piece'),
              formatMoney(transfer.amount, transfer.currency),
              <OrderLink id={transfer.orderId} providerId={transfer.providerId} />,
              transfer.network,
              ['Ordered ', <Time at={transfer.createdAt} />],
              transfer.dueAt && <Due at={transfer.dueAt} />,
            ]}
          />
          {transfer.reasonCode && <p>{sentence(describeReason(transfer) ?? '')}</p>}
        </div>
      </li>
    )}
  />
)

/** When a transfer is attempted next, or since when it waits for that. */
export const Due = ({ at }: { at: string }) => [
  at > usePage().now.toISOString() ? 'Next attempt ' : 'Due ',
  <Time at={at} />,
]

export function placedWith(namespace: string): string {
  const { kind, name } = parseNamespace(namespace)
  return `${kind} token “${name}”`
}

/** Returns what a retry of transfers with this reason can do. */
export function describeRetry(code: ReasonCode | null | undefined): string {
  const { retry } = code ? rules[code] : {}
  if (retry === false)
    return 'They cannot be retried, because their delivery keys are used up. Write them off.'
  return retry
    ? `A retry fails again at once, unless ${retry} before.`
    : 'A retry helps once the cause is removed. Otherwise it fails again, a day later at most.'
}

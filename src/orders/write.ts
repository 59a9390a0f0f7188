import { type SQL, sql } from 'drizzle-orm'
import { type Database, violates } from '../db/client.ts'
import type { Caller } from '../http/context.ts'
import { writeAs } from '../identity/caller.ts'
import type { Sale } from './check.ts'
import type { Draft, Outcome } from './draft.ts'
import { answerText, forget, type Repeatable } from './repeat.ts'
import {
  addAddresses,
  addItems,
  addOrders,
  addTransfers,
  keep,
  outcome,
  takeStock,
} from './statements.ts'

/** After how many milliseconds the sweep looks at a transfer whose message was lost. */
const SWEPT_AFTER = 60_000

class LostRace extends Error {}

/** What another call may have taken first: stock, a `providerId` or an `Idempotency-Key`. */
const contested = [
  'nfts_stock',
  'orders.placedBy, orders.providerId',
  'idempotencyKeys.userId, idempotencyKeys.key',
]

/**
 * Writes the orders of one call in one transaction. Gives null, with nothing written, when
 * another call came in between the reading of the facts and this. Throws `unauthenticated`,
 * `payload_too_large`.
 */
export async function writeOrders(
  db: Database,
  caller: Caller,
  sales: readonly Sale[],
  draft: Draft,
  call: Repeatable | null,
  now: Date,
): Promise<Outcome | null> {
  const at = now.toISOString()
  const dueAt = new Date(now.getTime() + SWEPT_AFTER).toISOString()
  const many = draft.orders.length
  const added = sales.flatMap(addressOf)
  const nftIds = JSON.stringify(draft.nfts.map(({ id }) => id))
  try {
    const answers = await writeAs(
      db,
      caller,
      [{ when: hasChanged(sales, caller, at), because: () => new LostRace() }],
      [
        ...(added.length > 0 ? [addAddresses(db, { rows: JSON.stringify(added), at })] : []),
        takeStock(db, { rows: JSON.stringify(sales.map(taken)), at }),
        addOrders(db, {
          rows: JSON.stringify(draft.orders.map(({ order, billing }) => ({ ...order, billing }))),
          placedBy: caller.userId,
          added: added.length,
        }),
        addItems(db, { rows: JSON.stringify(draft.orders.map(({ item }) => item)), many }),
        addTransfers(db, {
          rows: JSON.stringify(
            draft.orders.map(({ order, item }) => (item.ethRecipient ? null : order.buyerId)),
          ),
          many,
          at,
          dueAt,
        }),
        ...(call
          ? [forget(db, call, now), keep(db, { ...call, answer: answerText(draft), nftIds, at })]
          : [outcome(db, { nftIds })]),
      ],
    )
    const [row] = answers.flat()
    if (!row) throw new Error('the transaction gave no outcome')
    return JSON.parse(row.outcome)
  } catch (error) {
    if (error instanceof LostRace || contested.some((name) => violates(error, name))) return null
    throw error
  }
}

/** Whether something that was checked, or that goes into the answer, is not so any more. */
function hasChanged(sales: readonly Sale[], caller: Caller, at: string): SQL {
  const expected = sales.map(({ nft, listing, buyer, newBillingAddress }) => [
    listing.id,
    nft.id,
    listing.priceCents,
    listing.priceWei,
    listing.priceCurrency,
    buyer.id,
    buyer.wallet,
    newBillingAddress ? null : buyer.billingAddressId,
  ])
  return sql`(SELECT count(*) FROM json_each(${JSON.stringify(expected)}) AS sale
    JOIN listings ON listings.id = sale.value ->> 0 AND listings.nftId = sale.value ->> 1
      AND listings.priceCents = sale.value ->> 2 AND listings.priceWei = sale.value ->> 3
      AND listings.priceCurrency = sale.value ->> 4
      AND listings.active AND (listings.activeTill IS NULL OR listings.activeTill > ${at})
      AND (${caller.role} = 'master' OR listings.sellerId = ${caller.userId})
    JOIN nfts ON nfts.id = listings.nftId AND nfts.status = 'released' AND nfts.deletedAt IS NULL
    JOIN users ON users.id = sale.value ->> 5 AND users.ethereumPublicAddr = sale.value ->> 6
      AND users.removedAt IS NULL
    LEFT JOIN addresses ON addresses.id = sale.value ->> 7
    WHERE sale.value ->> 7 IS NULL OR addresses.deletedAt IS NULL) < ${sales.length}`
}

const addressOf = ({ buyer, newBillingAddress }: Sale) =>
  newBillingAddress ? [{ userId: buyer.id, ...newBillingAddress }] : []

const taken = ({ nft, quantity }: Sale) => [nft.id, quantity]

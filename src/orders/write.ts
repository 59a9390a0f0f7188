import { sql } from 'drizzle-orm'
import { type Database, violates } from '../db/client.ts'
import { condition, type Placeholders } from '../db/prepared.ts'
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
  const added = sales.flatMap(addressOf)
  const nftIds = JSON.stringify(draft.nfts.map(({ id }) => id))
  const { role, userId } = caller
  const expected = JSON.stringify(sales.map(expectedOf))
  const checked = { sales: expected, many: sales.length, role, userId, at }
  try {
    const answers = await writeAs(
      db,
      caller,
      [{ when: hasChanged(checked), because: () => new LostRace() }],
      [
        ...(added.length > 0 ? [addAddresses(db, added, at)] : []),
        takeStock(db, { rows: JSON.stringify(sales.map(taken)), at }),
        addOrders(db, draft.orders, { at, placedBy: userId, added: added.length }),
        addItems(db, draft.orders, at),
        addTransfers(db, draft.orders, { at, dueAt }),
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

/** What a sale depends on, as it was when it was checked. */
const expectedOf = ({ nft, listing, buyer, newBillingAddress }: Sale) => [
  listing.id,
  nft.id,
  listing.priceCents,
  listing.priceWei,
  listing.priceCurrency,
  buyer.id,
  buyer.wallet,
  newBillingAddress ? null : buyer.billingAddressId,
]

type Checked = { sales: string; many: number; role: string; userId: number; at: string }

/** Whether something that was checked, or that goes into the answer, is not so any more. */
const hasChanged = condition(
  (_, at: Placeholders<Checked>) => sql`(SELECT count(*) FROM json_each(${at.sales}) AS sale
    JOIN listings ON listings.id = sale.value ->> 0 AND listings.nftId = sale.value ->> 1
      AND listings.priceCents = sale.value ->> 2 AND listings.priceWei = sale.value ->> 3
      AND listings.priceCurrency = sale.value ->> 4
      AND listings.active AND (listings.activeTill IS NULL OR listings.activeTill > ${at.at})
      AND (${at.role} = 'master' OR listings.sellerId = ${at.userId})
    JOIN nfts ON nfts.id = listings.nftId AND nfts.status = 'released' AND nfts.deletedAt IS NULL
    JOIN users ON users.id = sale.value ->> 5 AND users.ethereumPublicAddr = sale.value ->> 6
      AND users.removedAt IS NULL
    LEFT JOIN addresses ON addresses.id = sale.value ->> 7
    WHERE sale.value ->> 7 IS NULL OR addresses.deletedAt IS NULL) < ${at.many}`,
)

const addressOf = ({ buyer, newBillingAddress }: Sale) =>
  newBillingAddress ? [{ userId: buyer.id, ...newBillingAddress }] : []

const taken = ({ nft, quantity }: Sale) => [nft.id, quantity]

/** What reservations hold. `src/reservations` makes and releases them. */
import { inArray, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { type Placeholders, prepared, preparedCondition } from '../db/prepared.ts'
import { reservations } from '../db/schema/orders.ts'
import { heldQuantity } from './stock.ts'

export type Hold = typeof reservations.$inferSelect

/** JSON of their ids. */
type Ids = { ids: string; now: string }

/** Reservations with these ids that are live, and whose sellers were not removed since. */
const live = (ids: Placeholder, namespace: SQL | Placeholder, now: SQL | Placeholder) =>
  sql`FROM reservations JOIN listings ON listings.id = reservations.listingId
      JOIN users ON users.id = listings.sellerId AND users.removedAt IS NULL
    WHERE reservations.id IN (SELECT value FROM json_each(${ids}))
      AND reservations.namespace = ${namespace} AND reservations.expiresAt > ${now}`

/** Selects live reservations that were made in a namespace. */
export const selectHolds = (
  db: Database,
  { ids, namespace, now }: { ids: Placeholder; namespace: SQL; now: Placeholder },
) =>
  db
    .select()
    .from(reservations)
    .where(inArray(reservations.id, sql`(SELECT reservations.id ${live(ids, namespace, now)})`))

/**
 * Whether one of `count` reservations is not live any more. Also by the clock of D1: a call that was
 * under way when the hold ended must not take pieces that are somebody else's since.
 */
export const hasEnded = preparedCondition(
  (_, values: Placeholders<Ids & { count: number; namespace: string }>) =>
    sql`(SELECT count(*) ${live(values.ids, values.namespace, sql`max(${values.now}, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`)}) < ${values.count}`,
)

/** Deletes reservations that become orders. A trigger reduces what is held. */
export const deleteHolds = prepared((db, { ids }: Placeholders<{ ids: string }>) =>
  db.all<never>(sql`DELETE FROM reservations WHERE id IN (SELECT value FROM json_each(${ids}))`),
)

/**
 * Whether an NFT has fewer pieces that nobody holds than are taken of it: a row (JSON) for each NFT,
 * with `nftId` and `quantity`.
 */
export const lacksPieces = preparedCondition(
  (_, { rows, now }: Placeholders<{ rows: string; now: string }>) =>
    sql`EXISTS (SELECT 1 FROM json_each(${rows}) JOIN nfts ON nfts.id = value ->> 'nftId'
      WHERE nfts.amountType IS NOT 'unlimited'
        AND nfts.availableAmount - ${heldQuantity(sql`nfts.id`, now)} < value ->> 'quantity')`,
)

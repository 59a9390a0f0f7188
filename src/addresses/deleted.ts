/** Addresses that were deleted: they can be restored for an hour, and are removed after 30 days. */
import { gt, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { prune } from '../db/prune.ts'
import { addresses } from '../db/schema/users.ts'
import { raw } from '../db/statements.ts'
import { peopleLimits } from '../limits.ts'
import { addressTexts } from './schema.ts'

const before = (now: Date, age: number) => new Date(now.getTime() - age).toISOString()

/** Whether the address was deleted a short time ago, so that this can be undone. */
export const isUndoableSql = (now: Date): SQL =>
  gt(addresses.deletedAt, before(now, peopleLimits.undo.max))

const isUnusedSql = sql`NOT EXISTS (SELECT 1 FROM orders o
  WHERE o.buyerId = addresses.userId AND o.billingAddressId = addresses.id)`

const texts = Object.keys(addressTexts)
const emptyTexts = sql.raw(texts.map((name) => `${name} = NULL`).join(', '))

/**
 * Deletes addresses that were deleted 30 days ago and that no order uses. Those that orders use are
 * looked at for 30 days more, and then never again. The newest row of all stays, so that its id is
 * not used again: it is emptied.
 */
export function sweepAddresses(db: Database, now: Date) {
  const { max: lifetime } = peopleLimits.deletedAddress
  return {
    removed: prune(
      db,
      addresses,
      sql`deletedAt BETWEEN ${before(now, 2 * lifetime)} AND ${before(now, lifetime)}
        AND id < (SELECT max(id) FROM addresses) AND ${isUnusedSql}`,
    ),
    emptied: raw<never>(db)`UPDATE addresses SET ${emptyTexts}
      WHERE id = (SELECT max(id) FROM addresses) AND deletedAt <= ${before(now, lifetime)}
        AND ${isUnusedSql}`,
  }
}

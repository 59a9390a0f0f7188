import { sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { prune } from '../db/prune.ts'
import { addresses } from '../db/schema/users.ts'

/** Milliseconds for which a deleted address is kept. */
const DELETED_LIFETIME = 30 * 24 * 60 * 60 * 1000

/**
 * Deletes addresses that were deleted 30 days ago and that no order uses. Those that orders use are
 * looked at for 30 days more, and then never again. The newest row of all stays, so that its id is
 * not used again.
 */
export const sweepAddresses = (db: Database, now: Date) => {
  const before = (age: number) => new Date(now.getTime() - age).toISOString()
  return prune(
    db,
    addresses,
    sql`deletedAt BETWEEN ${before(2 * DELETED_LIFETIME)} AND ${before(DELETED_LIFETIME)}
      AND id < (SELECT max(id) FROM addresses)
      AND NOT EXISTS (SELECT 1 FROM orders o
        WHERE o.buyerId = addresses.userId AND o.billingAddressId = addresses.id)`,
  )
}

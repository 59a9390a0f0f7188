import { sql } from 'drizzle-orm'
import { type Database, raw } from '../db/client.ts'

/** Milliseconds for which a deleted address is kept. */
const DELETED_LIFETIME = 30 * 24 * 60 * 60 * 1000

/** Addresses that one run deletes. */
const MAX_DELETED = 5000

/**
 * Deletes addresses that were deleted 30 days ago and that no order uses. The newest row of all
 * stays, so that its id is not used again.
 */
export const sweepAddresses = (db: Database, now: Date) =>
  raw<{ id: number }>(
    db,
    sql`DELETE FROM addresses WHERE id IN (
        SELECT a.id FROM addresses a
        WHERE a.deletedAt < ${new Date(now.getTime() - DELETED_LIFETIME).toISOString()}
          AND a.id < (SELECT max(id) FROM addresses)
          AND NOT EXISTS (
            SELECT 1 FROM orders o WHERE o.buyerId = a.userId AND o.billingAddressId = a.id)
        LIMIT ${MAX_DELETED})
      RETURNING id`,
  )

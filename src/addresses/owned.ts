import { type SQL, sql } from 'drizzle-orm'

/**
 * Selects the ids of all addresses of a user: those of the book, deleted ones, and those of sellers'
 * orders. In the spelling of the indexes, so that SQLite uses them.
 */
export const selectAddressIds = (userId: number | SQL): SQL => sql`(SELECT id FROM addresses
    WHERE userId = ${userId} AND deletedAt IS NULL AND origin <> 'seller_order'
  UNION ALL SELECT id FROM addresses
    WHERE userId = ${userId} AND (deletedAt IS NOT NULL OR origin = 'seller_order'))`

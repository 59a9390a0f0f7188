/** The rows of a person, in the spelling of the indexes that SQLite is to use. */
import { type SQL, sql } from 'drizzle-orm'

/** Selects the ids of all addresses: those of the book, deleted ones, and those of sellers' orders. */
export const selectAddressIds = (userId: number): SQL => sql`(SELECT id FROM addresses
    WHERE userId = ${userId} AND deletedAt IS NULL AND origin <> 'seller_order'
  UNION ALL SELECT id FROM addresses
    WHERE userId = ${userId} AND (deletedAt IS NOT NULL OR origin = 'seller_order'))`

/** Matches links that were sent to the person or requested by them. Cron deletes links after 15 minutes. */
export const isMailLink = (userId: number): SQL => sql`(userId = ${userId}
  OR email = (SELECT email FROM users WHERE id = ${userId} AND email <> ''))`

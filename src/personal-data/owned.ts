/** The rows of a person, in the spelling of the indexes that SQLite is to use. */
import { type SQL, sql } from 'drizzle-orm'

/** Ids of all addresses: those of the book, deleted ones, and those of sellers' orders. */
export const addressIdsOf = (userId: number): SQL => sql`(SELECT id FROM addresses
    WHERE userId = ${userId} AND deletedAt IS NULL AND origin <> 'seller_order'
  UNION ALL SELECT id FROM addresses
    WHERE userId = ${userId} AND (deletedAt IS NOT NULL OR origin = 'seller_order'))`

/** Links to the address of the person, or made by them. The table has those of 15 minutes. */
export const isLinkOf = (userId: number): SQL => sql`(userId = ${userId}
  OR email = (SELECT email FROM users WHERE id = ${userId} AND email <> ''))`

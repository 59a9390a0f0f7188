/** Whom a buyer can ask about an order. */
import { sql } from 'drizzle-orm'
import { prepared } from '../../db/statements.ts'

/** Where an order was bought. Nobody has confirmed an address of a seller, so a user token has none. */
export type Shop = { name: string; email: string; url: string | null }

/** Selects the shop of an order, as an administrator has named it. */
export const selectShop = prepared((db, { id }: { id: number }) =>
  db.all<Shop>(sql`SELECT name, email, url FROM shops
    WHERE namespace = (SELECT namespace FROM orders WHERE id = ${id})`),
)

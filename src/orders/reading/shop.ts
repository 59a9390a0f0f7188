/** Whom a buyer can ask about an order. */
import { sql } from 'drizzle-orm'
import { prepared } from '../../db/statements.ts'

/** Where an order was bought. The seller of a user token has no address: nobody has confirmed one. */
export type Shop = { name: string; email: string | null; url: string | null }

/** Selects the shop of an order: as an administrator has named it; of a user token, the seller. */
export const selectShop = prepared((db, { id }: { id: number }) =>
  db.all<Shop>(sql`
    SELECT shops.name, shops.email, shops.url
    FROM orders JOIN shops ON shops.namespace = orders.namespace WHERE orders.id = ${id}
    UNION ALL
    SELECT coalesce(nullif(users.name, ''), users.username) AS name, NULL, NULL
    FROM orders JOIN orderItems ON orderItems.orderId = orders.id
    JOIN users ON users.id = orderItems.sellerId
    WHERE orders.id = ${id} AND orders.namespace LIKE 'user:%'
      AND coalesce(nullif(users.name, ''), users.username) IS NOT NULL
    LIMIT 1`),
)

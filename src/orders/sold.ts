import { type Placeholder, sql } from 'drizzle-orm'

/** SQL of the newest orders that a user has sold, before one of them, as the column `orderId`. */
export const soldOrders = (userId: Placeholder, before: Placeholder, count: Placeholder) => sql`(
  SELECT * FROM (SELECT orderId FROM orderItems
    WHERE sellerId = ${userId} AND orderId < ${before} ORDER BY orderId DESC LIMIT ${count})
  UNION ALL SELECT * FROM (SELECT id FROM archivedOrders
    WHERE sellerId = ${userId} AND id < ${before} ORDER BY id DESC LIMIT ${count}))`

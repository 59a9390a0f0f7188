import { type SQL, sql } from 'drizzle-orm'

/**
 * Whether something is still to be transferred to or from the wallet of this user. Reads only what
 * is under way, not the whole history.
 */
export const hasTransfersUnderWay = (userId: number): SQL =>
  sql`EXISTS (SELECT 1
    FROM (SELECT id FROM deliveries WHERE dueAt IS NOT NULL
      UNION ALL SELECT value FROM transactions, json_each(items) WHERE isOpen) AS underWay
    JOIN orderItems ON orderItems.id = underWay.id
    JOIN orders ON orders.id = orderItems.orderId
    JOIN listings ON listings.id = orderItems.listingId
    WHERE orders.buyerId = ${userId} OR listings.sellerId = ${userId})`

import { type SQL, sql } from 'drizzle-orm'
import { type Database, raw, type Statement } from '../db/client.ts'

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
    WHERE orders.buyerId = ${userId} OR orderItems.sellerId = ${userId})`

/** Takes the wallet from the user's failed items, so that a retry does not deliver to it. */
export const removeRecipient = (db: Database, userId: number, now: Date): Statement =>
  raw(
    db,
    // All states, in the spelling of the index `deliveries_waiting`, so that SQLite uses it.
    sql`UPDATE orderItems SET ethRecipient = NULL, recipientChainId = 0,
        updatedAt = ${now.toISOString()}
      WHERE id IN (SELECT d.id FROM deliveries d JOIN orderItems i ON i.id = d.id
        JOIN orders o ON o.id = i.orderId
        WHERE d.state IN ('awaiting_wallet', 'failed', 'cancelled') AND d.state = 'failed'
          AND o.buyerId = ${userId})`,
  )

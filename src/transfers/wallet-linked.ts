import { sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import { type Database, raw, type Statement } from '../db/client.ts'

/**
 * Starts what waited for the user's wallet. To go into the batch that links it; the rows of the
 * second statement are the transfers to announce once that batch is through.
 */
export function beginAwaiting(
  db: Database,
  userId: number,
  wallet: string,
  now: Date,
): [Statement, RunnableQuery<{ id: number }[], 'sqlite'>] {
  const at = now.toISOString()
  const theirs = sql`SELECT t.id
    FROM orders o JOIN orderItems i ON i.orderId = o.id JOIN transfers t ON t.id = i.id
    WHERE o.buyerId = ${userId} AND t.status = 'awaiting_wallet'`
  return [
    raw(
      db,
      sql`UPDATE orderItems SET ethRecipient = ${wallet}, status = NULL, updatedAt = ${at}
        WHERE id IN (${theirs})`,
    ),
    raw<{ id: number }>(
      db,
      sql`UPDATE transfers SET status = 'queued', dueAt = ${at}, updatedAt = ${at}
        WHERE id IN (${theirs}) RETURNING id`,
    ),
  ]
}

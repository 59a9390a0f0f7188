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
  return [
    raw(
      db,
      sql`UPDATE orderItems SET ethRecipient = ${wallet}, updatedAt = ${at}
        WHERE id IN (SELECT id FROM transfers WHERE awaits = ${userId})`,
    ),
    raw<{ id: number }>(
      db,
      sql`UPDATE transfers SET status = 'queued', awaits = NULL, version = version + 1,
          dueAt = ${at}, updatedAt = ${at}
        WHERE awaits = ${userId} RETURNING id`,
    ),
  ]
}

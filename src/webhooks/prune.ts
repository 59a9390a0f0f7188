import { sql } from 'drizzle-orm'
import { type Database, raw, type Statement } from '../db/client.ts'

/** Milliseconds for which messages are kept, with their attempts. */
const KEPT = 30 * 24 * 60 * 60 * 1000

/** Messages that one run deletes at most. */
const MAX_DELETED = 1000

/** Deletes old messages that are not to be sent. A trigger deletes their attempts. */
export const pruneMessages = (db: Database, now: Date): Statement =>
  raw(
    db,
    sql`DELETE FROM webhookMessages WHERE id IN (SELECT id FROM webhookMessages
      WHERE createdAt < ${new Date(now.getTime() - KEPT).toISOString()} AND dueAt IS NULL
      ORDER BY createdAt LIMIT ${MAX_DELETED})`,
  )

import { sql } from 'drizzle-orm'
import { ROLL_GRACE } from '../auth/access.ts'
import { type Database, raw, type Statement } from '../db/client.ts'

/** Milliseconds for which a revoked or expired token is kept, to answer questions about it. */
const KEPT = 30 * 24 * 60 * 60 * 1000

/** Tokens that one run deletes at most. */
const MAX_DELETED = 1000

/** Revokes rolled tokens that no longer work, so that no list shows them, and deletes those that ended long ago. */
export function sweepTokens(db: Database, now: Date): Statement[] {
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString()
  return [
    raw(
      db,
      sql`UPDATE tokens SET revokedAt = ${now.toISOString()}
        WHERE rolledAt IS NOT NULL AND revokedAt IS NULL AND rolledAt <= ${before(ROLL_GRACE)}`,
    ),
    raw(
      db,
      sql`DELETE FROM tokens WHERE id IN (SELECT id FROM tokens
        WHERE CASE WHEN revokedAt IS NULL THEN expiresAt ELSE revokedAt END < ${before(KEPT)}
        LIMIT ${MAX_DELETED})`,
    ),
  ]
}

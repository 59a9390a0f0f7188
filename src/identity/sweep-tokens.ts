import { sql } from 'drizzle-orm'
import { ROLL_GRACE } from '../auth/access.ts'
import { raw, type Statement } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { prune } from '../db/prune.ts'
import { tokens } from '../db/schema/users.ts'
import { DAY } from '../time.ts'

/** Milliseconds for which a revoked or expired token is kept, to answer questions about it. */
const KEPT = 30 * DAY

/** Revokes rolled tokens that no longer work, so that no list shows them, and deletes those that ended long ago. */
export function sweepTokens(db: Database, now: Date): Statement[] {
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString()
  return [
    raw(
      db,
      sql`UPDATE tokens SET revokedAt = ${now.toISOString()}
        WHERE rolledAt IS NOT NULL AND revokedAt IS NULL AND rolledAt <= ${before(ROLL_GRACE)}`,
    ),
    prune(
      db,
      tokens,
      sql`CASE WHEN revokedAt IS NULL THEN expiresAt ELSE revokedAt END < ${before(KEPT)}`,
    ),
  ]
}

/** What nodes contradict each other in. An alarm tells of what lasts. */
import { sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { prune } from '../../db/prune.ts'
import { disagreements } from '../../db/schema/operations.ts'
import { raw } from '../../db/statements.ts'
import { MINUTE } from '../../time.ts'

/** Rows that are kept of a chain. */
const KEPT = 50
/** Milliseconds after which nodes that were not seen to disagree again have agreed. */
const AGREED = 15 * MINUTE
/** Characters of what was asked, and of the answers. */
const MAX_LENGTH = 200

/** `about`: what was asked, in words. `answers`: what each node says, as in `node 0: 5, node 1: 0`. */
export type Disagreement = { about: string; answers: string }

const agreedBefore = (now: Date): string => new Date(now.getTime() - AGREED).toISOString()

/**
 * Returns the statement that stores what nodes of a chain disagree about now. Since when they do is kept
 * while it is seen again. What there is no room for is not stored.
 */
export function storeDisagreements(
  db: Database,
  chainId: number,
  found: readonly Disagreement[],
  now: Date,
) {
  const at = now.toISOString()
  const rows = JSON.stringify(
    found.map(({ about, answers }) => ({
      about: about.slice(0, MAX_LENGTH),
      answers: answers.slice(0, MAX_LENGTH),
    })),
  )
  return raw<never>(db)`INSERT INTO disagreements (chainId, about, answers, since, seenAt)
    SELECT ${chainId}, value ->> 'about', value ->> 'answers', ${at}, ${at} FROM json_each(${rows}) r
      LEFT JOIN disagreements d ON d.chainId = ${chainId} AND d.about = value ->> 'about'
    GROUP BY value ->> 'about'
    ORDER BY d.about IS NULL
    LIMIT max(0, ${KEPT} - (SELECT count(*) FROM disagreements
      WHERE chainId = ${chainId} AND seenAt >= ${agreedBefore(now)}
        AND about NOT IN (SELECT value ->> 'about' FROM json_each(${rows}))))
    ON CONFLICT (chainId, about) DO UPDATE SET answers = excluded.answers, seenAt = excluded.seenAt,
      since = iif(disagreements.seenAt < ${agreedBefore(now)}, excluded.since, disagreements.since)`
}

/** Selects what nodes disagree about. */
export const selectDisagreements = (db: Database, now: Date) =>
  db
    .select()
    .from(disagreements)
    .where(sql`seenAt >= ${agreedBefore(now)}`)

/** Returns the statement that deletes what nodes have agreed about since. */
export const pruneDisagreements = (db: Database, now: Date) =>
  prune(db, disagreements, sql`seenAt < ${agreedBefore(now)}`, sql`chainId, about`)

/** How reservations end. */

import { sql } from 'drizzle-orm'
import { actsForAll, namespaceOf, writeAs } from '../auth/access.ts'
import type { Database } from '../db/client.ts'
import { prune } from '../db/prune.ts'
import { heldPieces, reservations } from '../db/schema/orders.ts'
import { raw } from '../db/statements.ts'
import type { Ctx } from '../http/context.ts'
import { guard } from '../http/guard.ts'

/**
 * Releases what a reservation holds. The tokens of its namespace and those that act for all may. A
 * reservation that is used, expired, released or unknown is released already: a call may be
 * repeated, and its answer tells nothing of them. Throws `unauthenticated`, `forbidden`, and
 * `not_found` if it is live and somebody else's.
 */
export async function release({ db, caller, now }: Ctx, id: string): Promise<void> {
  const mayRelease = sql`(${+actsForAll(caller)} OR namespace = ${namespaceOf(caller.tokenId)})`
  const isForeign = guard('not_found', 'there is no reservation of yours with this id')`
    EXISTS (SELECT 1 FROM reservations
      WHERE id = ${id} AND expiresAt > ${now.toISOString()} AND NOT ${mayRelease})`
  const removed = raw<never>(db)`DELETE FROM reservations WHERE id = ${id} AND ${mayRelease}`
  await writeAs(db, caller, [isForeign], { removed })
}

/** Milliseconds for which a reservation stays that has expired, for calls that are under way. */
const GRACE = 60 * 1000

/** Returns the statements that delete what nothing is held for any more. */
export function sweepReservations(db: Database, now: Date) {
  const before = new Date(now.getTime() - GRACE).toISOString()
  // Pieces first: deleting a reservation would change their row.
  return [heldPieces, reservations].map((table) => prune(db, table, sql`expiresAt < ${before}`))
}

/** The log of events: who may read it, and how long it is kept. */

import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { actsForAll, namespaceOf, readAs } from '../auth/access.ts'
import { sourcesNamed } from '../auth/sources.ts'
import type { Database } from '../db/client.ts'
import { MAX_PRUNED, prune } from '../db/prune.ts'
import { events } from '../db/schema/webhooks.ts'
import { raw } from '../db/statements.ts'
import type { Ctx } from '../http/context.ts'
import { rejected } from '../http/errors.ts'
import { webhookLimits } from '../limits.ts'
import { HOUR } from '../time.ts'
import type { EndpointReadCtx } from './access.ts'
import { eventIdAt } from './append.ts'
import { eventName, mayTakeSql, selectEvents, toBody } from './event.ts'
import type { EventsQuery } from './schema.ts'

/** Milliseconds by which the newest event may be ahead of the clock of a request. */
const MAX_AHEAD = HOUR

/**
 * Returns the events that the caller may see, oldest first, after an event or since a time. Throws
 * `events_removed` if events after `after` may be missing.
 */
export async function readEvents(
  ctx: EndpointReadCtx & Pick<Ctx, 'now'>,
  { after, since, source, limit }: z.infer<typeof EventsQuery>,
) {
  const { db, caller, now } = ctx
  // One more than is shown, and the event `after` itself, which proves that none is missing.
  const most = (actsForAll(caller) && !source ? limit + 1 : webhookLimits.window.max) + 1
  const from = after ?? (since ? eventIdAt(new Date(since)) : 0)
  const scanned = sql`(SELECT id FROM events WHERE id >= ${from} ORDER BY id LIMIT ${most})`
  const { rows, windows, newest } = await readAs(db, caller, {
    rows: selectEvents(db)
      .where(and(inArray(events.id, scanned), gt(events.id, after ?? 0), isShown(ctx, source)))
      .orderBy(asc(events.id))
      .limit(limit + 1),
    windows: raw<Window>(db)`
      SELECT min(id) AS first, max(id) AS last, count(*) AS count FROM ${scanned}`,
    newest: raw<{ id: number | null }>(db)`SELECT max(id) AS id FROM events`,
  })
  const [window] = windows
  // A replica that lags may not have a new one yet, nor any that followed.
  const latest = eventIdAt(new Date(now.getTime() + MAX_AHEAD))
  const isMissing = window?.first ? window.first !== after : (after ?? 0) > latest
  if (after !== undefined && isMissing)
    throw rejected([
      {
        path: 'after',
        code: 'events_removed',
        message:
          'it is not in the log, so events that followed it may be missing; read the orders, then go on with `since`',
      },
    ])
  const shown = rows.slice(0, limit)
  const isCut = rows.length > limit
  // Where to go on if there is nothing yet.
  const end = window?.last ?? after ?? newest[0]?.id
  const last = isCut ? shown.at(-1)?.id : end
  return {
    events: shown.map((row) => ({ id: eventName(row.id), ...toBody(row) })),
    nextAfter: last ? eventName(last) : null,
    hasMore: isCut || window?.count === most,
  }
}

/** The first and the last event that were looked at; null if there is none. */
type Window = { first: number | null; last: number | null; count: number }

/**
 * Matches events of orders that the caller bought or sold; with a master token, all but tests, or those
 * of its shop.
 */
const isShown = ({ caller }: EndpointReadCtx, source: string | undefined) =>
  and(
    mayTakeSql(caller),
    // The source of a master token's orders is their namespace.
    caller.scope === 'orders' ? eq(events.source, namespaceOf(caller.tokenId)) : undefined,
    source ? inArray(events.source, sourcesNamed(source)) : undefined,
  )

/**
 * The statements that delete old events, and endpoints that their owners have deleted. A trigger
 * deletes the messages of an event. The newest old event stays, so that readers see that none after
 * it is missing.
 */
export function pruneEvents(db: Database, now: Date) {
  const before = sql`(SELECT max(id) FROM events
    WHERE id < ${eventIdAt(new Date(now.getTime() - webhookLimits.event.max))})`
  return [
    prune(db, events, sql`id < ${before}`),
    raw<never>(db)`
      DELETE FROM webhookMessages WHERE rowid IN (SELECT m.rowid FROM webhookEndpoints e
      JOIN webhookMessages m ON m.endpointId = e.id WHERE e.deletedAt IS NOT NULL
      LIMIT ${MAX_PRUNED})`,
    raw<never>(db)`DELETE FROM webhookEndpoints WHERE deletedAt IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM webhookMessages m WHERE m.endpointId = webhookEndpoints.id)`,
  ]
}

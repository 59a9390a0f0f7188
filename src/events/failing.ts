/** Endpoints that accept nothing: their owners are warned, then they are disabled. */

import { and, eq, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'
import { batch, raw } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { users } from '../db/schema/users.ts'
import { type events, webhookEndpoints } from '../db/schema/webhooks.ts'
import { log } from '../log.ts'
import { type Mailer, mailWebhook, type WebhookProblem } from '../mail/mail.ts'
import { DAY } from '../time.ts'
import { takes } from './filter.ts'
import { eventIdAt, RETENTION } from './id.ts'

/** Milliseconds of failure. */
const WARNED_AFTER = 4 * DAY
const DISABLED_AFTER = 5 * DAY

/** What a mail to the owner of an endpoint needs. */
type MailedEndpoint = {
  id: string
  url: string
  /** Of its owner; `''` if there is none. */
  email: string
}

/** The columns of a `MailedEndpoint`, for a SELECT or `UPDATE … RETURNING`. */
const mailedColumns = sql`id, url, (SELECT email FROM users WHERE users.id = userId) AS email`

/**
 * Warns owners after four days of failure, and disables endpoints after five, a day after the
 * warning at the earliest. Each mail is sent once, however often this runs.
 */
export async function handleFailing(ctx: Mailer): Promise<void> {
  const { db, now } = ctx
  const at = now.toISOString()
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString()
  const { warned, disabled } = await batch(db, {
    warned: raw<MailedEndpoint>(
      db,
      sql`UPDATE webhookEndpoints SET warnedAt = ${at} WHERE failingSince <= ${before(WARNED_AFTER)}
        AND disabledAt IS NULL AND warnedAt IS NULL RETURNING ${mailedColumns}`,
    ),
    disabled: raw<MailedEndpoint>(
      db,
      sql`UPDATE webhookEndpoints SET disabledAt = ${at}, disabledReason = 'failing', updatedAt = ${at}
        WHERE failingSince <= ${before(DISABLED_AFTER)} AND disabledAt IS NULL
          AND warnedAt <= ${before(DISABLED_AFTER - WARNED_AFTER)} RETURNING ${mailedColumns}`,
    ),
  })
  await Promise.all([
    ...warned.map((endpoint) => notifyOwner(ctx, endpoint, 'failing')),
    ...disabled.map((endpoint) => reportDisabled(ctx, endpoint, 'failed')),
  ])
}

/** Milliseconds before the next event of an endpoint is removed in which its owner is told. */
const TOLD_BEFORE = 3 * DAY

/** Tells the owners of endpoints whose next events are soon removed from the log. Runs once a day. */
export async function warnBehind(ctx: Mailer): Promise<void> {
  const { db, now } = ctx
  const removedUntil = now.getTime() - RETENTION
  // Twice, and not each day: its owner may have disabled it on purpose.
  const first = eventIdAt(new Date(removedUntil + DAY))
  const last = eventIdAt(new Date(removedUntil + TOLD_BEFORE))
  const { endpoints, kinds } = await batch(db, {
    endpoints: selectNotIdle(db, last),
    kinds: selectNextKinds(db, last),
  })
  const behind = endpoints.filter((endpoint) => {
    const ofUser = { buyerId: endpoint.userId, sellerId: null, endpointId: null }
    const taken = kinds.filter(
      (kind) => kind.endpointId === endpoint.id && takes(endpoint, { ...kind, ...ofUser }),
    )
    const next = Math.min(...taken.map(({ id }) => id))
    return next > first && next <= last
  })
  await Promise.all(behind.map((endpoint) => notifyOwner(ctx, endpoint, 'behind')))
}

/** Selects the endpoints that may have to get an event up to this id. */
const selectNotIdle = (db: Database, last: number) =>
  db
    .select({
      id: webhookEndpoints.id,
      userId: webhookEndpoints.userId,
      role: webhookEndpoints.role,
      url: webhookEndpoints.url,
      events: webhookEndpoints.events,
      sources: webhookEndpoints.sources,
      email: users.email,
    })
    .from(webhookEndpoints)
    .innerJoin(users, eq(users.id, webhookEndpoints.userId))
    .where(
      and(
        lt(webhookEndpoints.position, last),
        isNull(webhookEndpoints.deletedAt),
        or(
          isNotNull(webhookEndpoints.dueAt),
          isNull(webhookEndpoints.verifiedAt),
          isNotNull(webhookEndpoints.disabledAt),
        ),
      ),
    )

/** The first event of a type and a source that an endpoint may have to get. */
type NextKind = Pick<typeof events.$inferSelect, 'id' | 'type' | 'source'> & { endpointId: string }

/** Selects, up to this id, the first event of each type and source after the positions of endpoints. */
const selectNextKinds = (db: Database, last: number) =>
  raw<NextKind>(
    db,
    sql`SELECT endpointId, type, source, min(id) AS id FROM (
        SELECT e.id AS endpointId, v.id, v.type, v.source FROM events v CROSS JOIN webhookEndpoints e
          ON e.userId IN (v.buyerId, v.sellerId) AND e.role = 'user' AND e.position < v.id
          WHERE v.id <= ${last}
        UNION ALL SELECT e.id, v.id, v.type, v.source FROM webhookEndpoints e CROSS JOIN events v
          ON v.id > e.position AND v.endpointId IS NULL
          WHERE e.role = 'master' AND v.id <= ${last})
      GROUP BY endpointId, type, source`,
  )

/** Tells the owner of an endpoint that it was disabled, because it has answered 410. */
export async function reportGone(ctx: Mailer, endpointId: string): Promise<void> {
  const { endpoints } = await batch(ctx.db, {
    endpoints: raw<MailedEndpoint>(
      ctx.db,
      sql`SELECT ${mailedColumns} FROM webhookEndpoints WHERE id = ${endpointId}`,
    ),
  })
  for (const endpoint of endpoints) await reportDisabled(ctx, endpoint, 'gone')
}

/** Logs that an endpoint was disabled, and notifies its owner. */
function reportDisabled(
  ctx: Mailer,
  endpoint: MailedEndpoint,
  problem: 'failed' | 'gone',
): Promise<void> {
  log.info('webhook_disabled', { endpointId: endpoint.id, reason: problem })
  return notifyOwner(ctx, endpoint, problem)
}

/** Sends a mail, unless the owner has no e-mail address. */
async function notifyOwner(
  mailer: Mailer,
  endpoint: MailedEndpoint,
  problem: WebhookProblem,
): Promise<void> {
  if (!endpoint.email) return
  const { host } = new URL(endpoint.url)
  await mailWebhook(mailer, endpoint.email, { problem, id: endpoint.id, host })
}

/** Tells owners of endpoints that accept nothing, and disables these. Cron does so. */

import { and, eq, isNotNull, isNull, lt, ne, or, type SQL, sql } from 'drizzle-orm'
import { batch } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { periodAt } from '../db/quota.ts'
import { users } from '../db/schema/users.ts'
import { type events, type WebhookEndpoint, webhookEndpoints } from '../db/schema/webhooks.ts'
import { raw } from '../db/statements.ts'
import { webhookLimits } from '../limits.ts'
import { log } from '../log.ts'
import { type Mailer, mailWebhook, type WebhookProblem } from '../mail/mail.ts'
import { DAY } from '../time.ts'
import { eventIdAt } from './append.ts'
import { takes } from './event.ts'

/** What a mail to the owner of an endpoint needs. */
type MailedEndpoint = {
  id: string
  url: string
  /** Of its owner; `''` if there is none. */
  email: string
}

/** The columns of a `MailedEndpoint`, for `UPDATE … RETURNING`. */
const mailedColumns = sql`id, url, (SELECT email FROM users WHERE users.id = userId) AS email`

/** Mails of each kind in a run, so that the statements of all fit into those of a run of cron. The next goes on. */
const MAX_MAILS = { problem: 10, behind: 50 }

/**
 * Warns owners after four days of failure, disables endpoints after five, a day after the warning at
 * the earliest, and tells the owners of endpoints that were disabled because they answered 410. Each
 * mail is sent once, however often this runs.
 */
export async function handleFailing(ctx: Mailer): Promise<void> {
  const { db, now } = ctx
  const at = now.toISOString()
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString()
  const found = await batch(db, {
    failing: raw<MailedEndpoint>(db)`UPDATE webhookEndpoints SET warnedAt = ${at}
      WHERE ${isNext(sql`failingSince <= ${before(webhookLimits.warned.max)}
        AND disabledAt IS NULL AND warnedAt IS NULL`)} RETURNING ${mailedColumns}`,
    failed: raw<MailedEndpoint>(db)`
      UPDATE webhookEndpoints SET disabledAt = ${at}, disabledReason = 'failing', updatedAt = ${at}
      WHERE ${isNext(sql`failingSince <= ${before(webhookLimits.disabled.max)} AND disabledAt IS NULL
        AND warnedAt <= ${before(webhookLimits.disabled.max - webhookLimits.warned.max)}`)}
      RETURNING ${mailedColumns}`,
    gone: raw<MailedEndpoint>(db)`UPDATE webhookEndpoints SET warnedAt = max(disabledAt, ${at})
      WHERE ${isNext(sql`disabledReason = 'gone' AND disabledAt IS NOT NULL AND deletedAt IS NULL
        AND coalesce(warnedAt, '') < disabledAt`)} RETURNING ${mailedColumns}`,
  })
  const { failed, gone } = found
  for (const { id } of failed) log.info('webhook_disabled', { endpointId: id, reason: 'failing' })
  for (const { id } of gone) log.info('webhook_disabled', { endpointId: id, reason: 'gone' })
  const problems = ['failing', 'failed', 'gone'] as const
  await Promise.all(
    problems.flatMap((problem) => found[problem].map((one) => notifyOwner(ctx, one, problem))),
  )
}

/** The endpoints that are told of next. */
const isNext = (condition: SQL) =>
  sql`id IN (SELECT id FROM webhookEndpoints WHERE ${condition} LIMIT ${MAX_MAILS.problem})`

/** A quota of each day, used once `warnBehind` has told everybody. */
const TOLD = 'webhooks-behind'

/** Tells the owners of endpoints whose next events are soon removed from the log. Does so once on a day. */
export async function warnBehind(ctx: Mailer): Promise<void> {
  const { db, now } = ctx
  const removedUntil = now.getTime() - webhookLimits.event.max
  // Twice, and not each day: its owner may have disabled it on purpose.
  const first = eventIdAt(new Date(removedUntil + DAY))
  const last = eventIdAt(new Date(removedUntil + webhookLimits.behind.max))
  const { lagging } = await batch(db, { lagging: selectLagging(db, now, last) })
  const endpoints = lagging.map(({ endpoint }) => endpoint)
  const { kinds } = await batch(db, {
    kinds: endpoints.length > 0 ? selectNextKinds(db, endpoints, last) : undefined,
  })
  const behind = lagging.filter(({ endpoint }) => {
    const ofUser = { buyerId: endpoint.userId, sellerId: null, endpointId: null }
    const taken = kinds.filter(
      (kind) => kind.endpointId === endpoint.id && takes(endpoint, { ...kind, ...ofUser }),
    )
    const next = Math.min(...taken.map(({ id }) => id))
    return next > first && next <= last
  })
  await Promise.all(
    behind
      .slice(0, MAX_MAILS.behind)
      .map(({ endpoint, email }) => notifyOwner(ctx, { ...endpoint, email }, 'behind')),
  )
  if (behind.length > MAX_MAILS.behind) return
  await batch(db, {
    told: raw<never>(db)`INSERT INTO quotas (name, period, used)
      VALUES (${TOLD}, ${periodAt(now, 'day')}, 1) ON CONFLICT DO NOTHING`,
  })
}

/**
 * Selects the endpoints that may have to get an event up to this id, and whose owners were not told today.
 * None once all were.
 */
const selectLagging = (db: Database, now: Date, last: number) =>
  db
    .select({ endpoint: webhookEndpoints, email: users.email })
    .from(webhookEndpoints)
    .innerJoin(users, eq(users.id, webhookEndpoints.userId))
    .where(
      and(
        lt(webhookEndpoints.position, last),
        isNull(webhookEndpoints.deletedAt),
        ne(users.email, ''),
        or(
          isNotNull(webhookEndpoints.dueAt),
          isNull(webhookEndpoints.verifiedAt),
          isNotNull(webhookEndpoints.disabledAt),
        ),
        sql`NOT EXISTS (SELECT 1 FROM quotas WHERE period = ${periodAt(now, 'day')}
          AND name IN (${TOLD}, 'webhook-behind:' || ${webhookEndpoints.id}))`,
      ),
    )
    .orderBy(webhookEndpoints.position)

/** The first event of a type and a source that an endpoint may have to get. */
type NextKind = Pick<typeof events.$inferSelect, 'id' | 'type' | 'source'> & { endpointId: string }

/** Selects, up to this id, the first event of each type and source after the positions of the endpoints. */
function selectNextKinds(db: Database, endpoints: readonly WebhookEndpoint[], last: number) {
  const ids = sql`(SELECT value FROM json_each(${JSON.stringify(endpoints.map(({ id }) => id))}))`
  const ofUsers = endpoints.filter(({ role }) => role === 'user').map(({ position }) => position)
  return raw<NextKind>(db)`SELECT endpointId, type, source, min(id) AS id FROM (
      SELECT e.id AS endpointId, v.id, v.type, v.source FROM events v CROSS JOIN webhookEndpoints e
        ON e.userId IN (v.buyerId, v.sellerId) AND e.role = 'user' AND e.position < v.id AND e.id IN ${ids}
        WHERE v.id > ${Math.min(last, ...ofUsers)} AND v.id <= ${last}
      UNION ALL SELECT e.id, v.id, v.type, v.source FROM webhookEndpoints e CROSS JOIN events v
        ON v.id > e.position AND v.endpointId IS NULL
        WHERE e.role = 'master' AND e.id IN ${ids} AND v.id <= ${last})
    GROUP BY endpointId, type, source`
}

/** Sends a mail, unless the owner has no e-mail address. */
async function notifyOwner(
  mailer: Mailer,
  { id, url, email }: MailedEndpoint,
  problem: WebhookProblem,
): Promise<void> {
  if (email) await mailWebhook(mailer, email, { problem, id, host: new URL(url).host })
}

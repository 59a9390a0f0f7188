/** Tells owners of endpoints that accept nothing, and disables these. Cron does so. */

import { and, eq, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'
import { batch } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { users } from '../db/schema/users.ts'
import { type events, webhookEndpoints } from '../db/schema/webhooks.ts'
import { raw } from '../db/statements.ts'
import { webhookLimits } from '../http/limits.ts'
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
      WHERE failingSince <= ${before(webhookLimits.warned.max)}
      AND disabledAt IS NULL AND warnedAt IS NULL RETURNING ${mailedColumns}`,
    failed: raw<MailedEndpoint>(db)`
      UPDATE webhookEndpoints SET disabledAt = ${at}, disabledReason = 'failing', updatedAt = ${at}
      WHERE failingSince <= ${before(webhookLimits.disabled.max)} AND disabledAt IS NULL
        AND warnedAt <= ${before(webhookLimits.disabled.max - webhookLimits.warned.max)}
      RETURNING ${mailedColumns}`,
    gone: raw<MailedEndpoint>(db)`UPDATE webhookEndpoints SET warnedAt = max(disabledAt, ${at})
      WHERE disabledReason = 'gone' AND disabledAt IS NOT NULL AND deletedAt IS NULL
        AND coalesce(warnedAt, '') < disabledAt RETURNING ${mailedColumns}`,
  })
  const { failed, gone } = found
  for (const { id } of failed) log.info('webhook_disabled', { endpointId: id, reason: 'failing' })
  for (const { id } of gone) log.info('webhook_disabled', { endpointId: id, reason: 'gone' })
  const problems = ['failing', 'failed', 'gone'] as const
  await Promise.all(
    problems.flatMap((problem) => found[problem].map((one) => notifyOwner(ctx, one, problem))),
  )
}

/** Tells the owners of endpoints whose next events are soon removed from the log. Runs once a day. */
export async function warnBehind(ctx: Mailer): Promise<void> {
  const { db, now } = ctx
  const removedUntil = now.getTime() - webhookLimits.event.max
  // Twice, and not each day: its owner may have disabled it on purpose.
  const first = eventIdAt(new Date(removedUntil + DAY))
  const last = eventIdAt(new Date(removedUntil + webhookLimits.behind.max))
  const { notIdle, kinds } = await batch(db, {
    notIdle: selectNotIdle(db, last),
    kinds: selectNextKinds(db, last),
  })
  const behind = notIdle.filter(({ endpoint }) => {
    const ofUser = { buyerId: endpoint.userId, sellerId: null, endpointId: null }
    const taken = kinds.filter(
      (kind) => kind.endpointId === endpoint.id && takes(endpoint, { ...kind, ...ofUser }),
    )
    const next = Math.min(...taken.map(({ id }) => id))
    return next > first && next <= last
  })
  await Promise.all(
    behind.map(({ endpoint, email }) => notifyOwner(ctx, { ...endpoint, email }, 'behind')),
  )
}

/** Selects the endpoints that may have to get an event up to this id. */
const selectNotIdle = (db: Database, last: number) =>
  db
    .select({ endpoint: webhookEndpoints, email: users.email })
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
  raw<NextKind>(db)`SELECT endpointId, type, source, min(id) AS id FROM (
      SELECT e.id AS endpointId, v.id, v.type, v.source FROM events v CROSS JOIN webhookEndpoints e
        ON e.userId IN (v.buyerId, v.sellerId) AND e.role = 'user' AND e.position < v.id
        WHERE v.id <= ${last}
      UNION ALL SELECT e.id, v.id, v.type, v.source FROM webhookEndpoints e CROSS JOIN events v
        ON v.id > e.position AND v.endpointId IS NULL
        WHERE e.role = 'master' AND v.id <= ${last})
    GROUP BY endpointId, type, source`

/** Sends a mail, unless the owner has no e-mail address. */
async function notifyOwner(
  mailer: Mailer,
  { id, url, email }: MailedEndpoint,
  problem: WebhookProblem,
): Promise<void> {
  if (email) await mailWebhook(mailer, email, { problem, id, host: new URL(url).host })
}

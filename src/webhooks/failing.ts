/** Endpoints that accept nothing: their owners are warned, then they are disabled. */

import { sql } from 'drizzle-orm'
import { raw } from '../db/batch.ts'
import { log } from '../log.ts'
import { type Mailer, mailWebhook, type WebhookProblem } from '../mail/mail.ts'
import { eventIdAt, RETENTION } from './log.ts'

const DAY = 24 * 60 * 60 * 1000

/** Milliseconds of failure. */
const WARNED_AFTER = 4 * DAY
const DISABLED_AFTER = 5 * DAY

/** What a mail to the owner of an endpoint needs. */
export type MailedEndpoint = {
  id: string
  url: string
  /** Of its owner; `''` if there is none. */
  email: string
}

/** The columns of a `MailedEndpoint`, for `UPDATE webhookEndpoints … RETURNING`. */
const mailedColumns = sql`id, url, (SELECT email FROM users WHERE users.id = userId) AS email`

/**
 * Warns owners after four days of failure, and disables endpoints after five, a day after the
 * warning at the earliest. Each mail is sent once, however often this runs.
 */
export async function handleFailing(ctx: Mailer): Promise<void> {
  const { db, now } = ctx
  const at = now.toISOString()
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString()
  const [warned, disabled] = await db.batch([
    raw<MailedEndpoint>(
      db,
      sql`UPDATE webhookEndpoints SET warnedAt = ${at} WHERE failingSince <= ${before(WARNED_AFTER)}
        AND disabledAt IS NULL AND warnedAt IS NULL RETURNING ${mailedColumns}`,
    ),
    raw<MailedEndpoint>(
      db,
      sql`UPDATE webhookEndpoints SET disabledAt = ${at}, disabledReason = 'failing', updatedAt = ${at}
        WHERE failingSince <= ${before(DISABLED_AFTER)} AND disabledAt IS NULL
          AND warnedAt <= ${before(DISABLED_AFTER - WARNED_AFTER)} RETURNING ${mailedColumns}`,
    ),
  ])
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
  const removed = now.getTime() - RETENTION
  const [before, after] = [TOLD_BEFORE, DAY].map((left) => eventIdAt(new Date(removed + left)))
  const [behind] = await db.batch([
    raw<MailedEndpoint>(
      db,
      // Twice, and not each day: its owner may have disabled it on purpose.
      sql`SELECT ${mailedColumns} FROM webhookEndpoints
        WHERE hasEvents AND deletedAt IS NULL AND position < ${before} AND position >= ${after}`,
    ),
  ])
  await Promise.all(behind.map((endpoint) => notifyOwner(ctx, endpoint, 'behind')))
}

/** Logs that an endpoint was disabled, and notifies its owner. */
export function reportDisabled(
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

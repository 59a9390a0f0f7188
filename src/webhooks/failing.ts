/** Endpoints at which nothing arrives: their owners are warned, then they are disabled. */
import { sql } from 'drizzle-orm'
import { type Database, raw } from '../db/client.ts'
import type { Settings } from '../env.ts'
import { log } from '../log.ts'
import { mailWebhook, type WebhookProblem } from '../mail/mail.ts'

const DAY = 24 * 60 * 60 * 1000

/** Milliseconds of failure. */
const WARNED_AFTER = 4 * DAY
const DISABLED_AFTER = 5 * DAY

export type FailingEndpoint = {
  id: string
  url: string
  /** Of its owner; `''` if there is none. */
  email: string
}

/** What `UPDATE webhookEndpoints … RETURNING` returns for a mail. */
export const failingEndpoint = sql`id, url, (SELECT email FROM users WHERE users.id = userId) AS email`

type Mailer = Pick<Settings, 'PUBLIC_URL' | 'EMAIL_FROM'>

/**
 * Warns owners after four days of failure, and disables endpoints after five, a day after the
 * warning at the earliest. Each mail is sent once, however often this runs.
 */
export async function handleFailing(
  email: SendEmail,
  db: Database,
  mailer: Mailer,
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString()
  const [warned, disabled] = await db.batch([
    raw<FailingEndpoint>(
      db,
      sql`UPDATE webhookEndpoints SET warnedAt = ${at} WHERE failingSince <= ${before(WARNED_AFTER)}
        AND disabledAt IS NULL AND warnedAt IS NULL RETURNING ${failingEndpoint}`,
    ),
    raw<FailingEndpoint>(
      db,
      sql`UPDATE webhookEndpoints SET disabledAt = ${at}, disabledReason = 'failing', updatedAt = ${at}
        WHERE failingSince <= ${before(DISABLED_AFTER)} AND disabledAt IS NULL
          AND warnedAt <= ${before(DISABLED_AFTER - WARNED_AFTER)} RETURNING ${failingEndpoint}`,
    ),
  ])
  await Promise.all([
    ...warned.map((endpoint) => notifyOwner(email, mailer, endpoint, 'failing')),
    ...disabled.map((endpoint) => tellDisabled(email, mailer, endpoint, 'failed')),
  ])
}

/** Logs that an endpoint was disabled, and tells its owner. */
export function tellDisabled(
  email: SendEmail,
  mailer: Mailer,
  endpoint: FailingEndpoint,
  problem: 'failed' | 'gone',
): Promise<void> {
  log.info('webhook_disabled', { endpointId: endpoint.id, reason: problem })
  return notifyOwner(email, mailer, endpoint, problem)
}

/** An owner without an e-mail address gets no mail. */
async function notifyOwner(
  email: SendEmail,
  mailer: Mailer,
  endpoint: FailingEndpoint,
  problem: WebhookProblem,
): Promise<void> {
  if (!endpoint.email) return
  const { host } = new URL(endpoint.url)
  await mailWebhook(email, mailer, endpoint.email, { problem, id: endpoint.id, host }).catch(
    (error) => log.error('mail_failed', { mail: `webhook-${problem}`, error }),
  )
}

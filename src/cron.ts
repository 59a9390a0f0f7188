/** What the cron trigger does each minute. */
import { sql } from 'drizzle-orm'
import { sweepAddresses } from './addresses/deleted.ts'
import { removeOrphans } from './avatars/remove.ts'
import { checkListings } from './catalogue/check-listings.ts'
import { tellDue } from './catalogue/due.ts'
import { sweepImports } from './catalogue/import.ts'
import { sweepFiles } from './content/sweep.ts'
import { batch } from './db/batch.ts'
import { connect, type Database } from './db/client.ts'
import { prune } from './db/prune.ts'
import { pruneQuotas } from './db/quota.ts'
import { downloads } from './db/schema/content.ts'
import { cronRuns, sentMails } from './db/schema/operations.ts'
import { idempotencyKeys } from './db/schema/orders.ts'
import { emailLinks, phoneLinks, walletNonces } from './db/schema/users.ts'
import { raw } from './db/statements.ts'
import { pruneDisagreements } from './delivery/store/disagreements.ts'
import { putOffUnconfigured } from './delivery/unconfigured.ts'
import { wakeDueChains } from './delivery/wake.ts'
import { readSettings, type Settings } from './env.ts'
import { handleFailing, warnBehind } from './events/failing.ts'
import { pruneEvents } from './events/log.ts'
import { wakeWebhooks } from './events/wake.ts'
import { sweepTokens } from './identity/all-tokens.ts'
import { contentLimits, mailLimits, orderLimits } from './limits.ts'
import { log } from './log.ts'
import { mailAlarms } from './monitoring/alarms/mail-alarms.ts'
import { raiseAlarms } from './monitoring/alarms/notify.ts'
import { rollUpHours } from './monitoring/counting/hourly-orders.ts'
import { countSigned } from './monitoring/counting/signed-items.ts'
import { warnTokenOwners } from './monitoring/counting/token-ends.ts'
import { checkNetworks } from './monitoring/watching/check-networks.ts'
import { remindBuyers } from './order-mails/remind.ts'
import { mailOrders } from './order-mails/send.ts'
import { mailSummaries } from './order-mails/summary.ts'
import { dayOf } from './orders/placing/idempotency.ts'
import { sweepReservations } from './reservations/reserve.ts'
import { SECOND, within } from './time.ts'

/** What a job may need: also all that sending a mail does. */
type JobCtx = { env: Env; email: SendEmail; db: Database; settings: Settings; now: Date }
type Job = (ctx: JobCtx) => Promise<unknown>

const jobs: Record<string, Job> = {
  wakeDueChains: ({ env, db, settings, now }) => wakeDueChains(env.DELIVERIES, db, settings, now),
  putOffUnconfigured: ({ db, settings, now }) => putOffUnconfigured(db, settings, now),
  wakeWebhooks: ({ env, db, now }) => wakeWebhooks(env, db, now),
  handleFailingWebhooks: handleFailing,
  warnTokenOwners,
  mailOrders,
  remindBuyers,
  mailSummaries,
  deleteExpiredRows: ({ db, now }) => deleteExpiredRows(db, now),
  removeOrphans: ({ env, db, now }) => removeOrphans(env.AVATARS, db, now),
  sweepFiles: ({ env, db, now }) => sweepFiles(env.CONTENT, db, now),
  checkListings: ({ db, settings, now }) => checkListings(db, settings, now),
  tellDue: ({ db, now }) => tellDue(db, now),
  rollUpHours: ({ db, now }) => rollUpHours(db, now),
  countSigned: ({ db, now }) => countSigned(db, now),
  // At night only, because it reads again the deleted addresses that orders use.
  sweepAddresses: async ({ db, now }) => isNight(now) && batch(db, sweepAddresses(db, now)),
  warnBehindWebhooks: async (ctx) => isNight(ctx.now) && warnBehind(ctx),
}

/** Milliseconds that a job may take. What it has begun then is not waited for. */
const MAX_DURATION = 20 * SECOND

/** For ten minutes a day, in which a run may be late. */
const isNight = (now: Date) => now.toISOString().slice(11, 15) === '03:0'

/**
 * Runs all jobs. A job that fails or takes too long is logged, and does not stop the others. Alarms are raised
 * right after the networks were checked, and again at the end if other jobs failed than the last time.
 */
export async function runCron(env: Env, now: Date): Promise<void> {
  const start = performance.now()
  const settings = readSettings(env)
  const db = connect(env.DB)
  const ctx = { env, email: env.EMAIL, db, settings, now }
  const failedJobs = new Set<string>()
  const attempt = async (job: string, run: Job) => {
    try {
      await within(MAX_DURATION, run(ctx))
    } catch (error) {
      failedJobs.add(job)
      log.error('cron_job_failed', { job, error })
    }
  }
  const recordEnd = () =>
    attempt('recordEnd', () => {
      const run = { finishedAt: new Date().toISOString(), failedJobs: [...failedJobs].sort() }
      return batch(db, { run: db.update(cronRuns).set(run) })
    })
  const raise = () =>
    attempt('raiseAlarms', async () => mailAlarms(ctx, await raiseAlarms(env, db, now)))
  let failedBefore = ''
  await attempt('recordStart', async () => {
    const { started } = await batch(db, {
      started: raw<{ failedJobs: string }>(db)`
        INSERT INTO cronRuns (id, startedAt, failedJobs) VALUES (1, ${now.toISOString()}, '[]')
        ON CONFLICT (id) DO UPDATE SET startedAt = excluded.startedAt RETURNING failedJobs`,
    })
    failedBefore = started[0]?.failedJobs ?? ''
  })
  const others = Object.entries(jobs).map(([job, run]) => attempt(job, run))
  await attempt('checkNetworks', () => checkNetworks(db, settings, now))
  await raise()
  await Promise.all(others)
  await recordEnd()
  if (JSON.stringify([...failedJobs].sort()) !== failedBefore) {
    await raise()
    if (failedJobs.has('raiseAlarms')) await recordEnd()
  }
  log.info('cron_run', { failedJobs: [...failedJobs].sort(), duration: performance.now() - start })
}

/** Deletes rows that no request can use any more. */
export function deleteExpiredRows(db: Database, now: Date) {
  const before = (lifetime: number) => new Date(now.getTime() - lifetime).toISOString()
  const isOldDay = sql`day < ${dayOf(before(orderLimits.idempotencyKey.max))}`
  return batch(db, {
    idempotencyKeys: prune(db, idempotencyKeys, isOldDay, sql`day, namespace, "key"`),
    nonces: prune(db, walletNonces, sql`expiresAt < ${now.toISOString()}`),
    phoneLinks: prune(db, phoneLinks, sql`expiresAt < ${now.toISOString()}`),
    links: prune(db, emailLinks, sql`createdAt < ${before(mailLimits.link.max)}`),
    tokens: sweepTokens(db, now),
    imports: sweepImports(db, now),
    events: pruneEvents(db, now),
    reservations: sweepReservations(db, now),
    quotas: pruneQuotas(db, now),
    disagreements: pruneDisagreements(db, now),
    downloads: prune(
      db,
      downloads,
      sql`day < ${before(contentLimits.counted.max).slice(0, 10)}`,
      sql`nftId, day, name, userId, orderItemId`,
    ),
    mails: prune(db, sentMails, sql`createdAt < ${before(mailLimits.approval.max)}`),
  })
}

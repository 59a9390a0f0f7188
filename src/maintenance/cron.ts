/** What the cron trigger does each minute. */
import { lt, sql } from 'drizzle-orm'
import { removeOrphans } from '../avatars/orphans.ts'
import { connect, type Database } from '../db/client.ts'
import { emailLinks, idempotencyKeys, walletNonces } from '../db/schema.ts'
import { settingsOf } from '../env.ts'
import { log } from '../log.ts'
import { IDEMPOTENCY_LIFETIME } from '../orders/idempotency.ts'
import { announce, type TransferMessage } from '../transfers/message.ts'

/** The number of transfers that one run announces. */
const MAX_TRANSFERS = 4000

/** Milliseconds that a message has to arrive before the transfer is announced again. */
const MESSAGE_DELAY = 2 * 60_000

type Job = (env: Env, db: Database, now: Date) => Promise<unknown>

const jobs: Record<string, Job> = {
  announceDueTransfers: (env, db, now) => announceDueTransfers(env.TRANSFERS, db, now),
  deleteExpiredRows: (_env, db, now) => deleteExpiredRows(db, now),
  removeOrphans: (env, db, now) => removeOrphans(env.AVATARS, db, now),
}

/** Runs all jobs. A job that fails is logged and does not stop the others. */
export async function runCron(env: Env, now: Date): Promise<void> {
  settingsOf(env)
  const db = connect(env.DB)
  await Promise.all(
    Object.entries(jobs).map(async ([job, run]) => {
      try {
        await run(env, db, now)
      } catch (error) {
        log.error('cron_job_failed', { job, error: String(error) })
      }
    }),
  )
}

/** Announces transfers that are due: their message was lost, or they never had one. */
async function announceDueTransfers(
  queue: Queue<TransferMessage>,
  db: Database,
  now: Date,
): Promise<void> {
  const due = await db.all<{ id: number }>(
    sql`UPDATE transfers SET dueAt = ${new Date(now.getTime() + MESSAGE_DELAY).toISOString()}
        WHERE id IN (
          SELECT id FROM transfers
          WHERE dueAt <= ${now.toISOString()} AND deadLetteredAt IS NULL
          ORDER BY dueAt LIMIT ${MAX_TRANSFERS}
        )
        RETURNING id`,
  )
  if (due.length === 0) return
  log.info('due_transfers_announced', { transfers: due.length })
  await announce(
    queue,
    due.map(({ id }) => id),
  )
}

/** Deletes rows that no request can use any more. */
const deleteExpiredRows = (db: Database, now: Date) =>
  db.batch([
    db
      .delete(idempotencyKeys)
      .where(
        lt(idempotencyKeys.createdAt, new Date(now.getTime() - IDEMPOTENCY_LIFETIME).toISOString()),
      ),
    db.delete(walletNonces).where(lt(walletNonces.expiresAt, now.toISOString())),
    db.delete(emailLinks).where(lt(emailLinks.expiresAt, now.toISOString())),
  ])

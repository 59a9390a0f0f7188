/** What the cron trigger does each minute. */
import { lt, sql } from 'drizzle-orm'
import { removeOrphans } from '../avatars/orphans.ts'
import { connect, type Database } from '../db/client.ts'
import { emailLinks, idempotencyKeys, walletNonces } from '../db/schema.ts'
import { settingsOf } from '../env.ts'
import { alarm, note } from './log.ts'
import { announce, type TransferMessage } from './message.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
/** At most this many transfers are announced at a time. */
const LIMIT = 4000
/** How long a message has to arrive before the sweep announces its transfer once more. */
const PATIENCE = 2 * MINUTE

type Chore = (env: Env, db: Database, now: Date) => Promise<unknown>

/** Each chore fails alone. */
const chores: Record<string, Chore> = {
  announceDue: (env, db, now) => announceDue(env.TRANSFERS, db, now),
  forgetExpired: (_env, db, now) => forgetExpired(db, now),
  removeOrphans: (env, db, now) => removeOrphans(env.AVATARS, db, now),
}

export async function sweep(env: Env, now: Date): Promise<void> {
  settingsOf(env)
  const db = connect(env.DB)
  await Promise.all(
    Object.entries(chores).map(async ([chore, run]) => {
      try {
        await run(env, db, now)
      } catch (error) {
        alarm({ event: 'chore_failed', reason: chore, error: String(error) })
      }
    }),
  )
}

/** The table is the outbox: whatever is due was forgotten by its message, or never had one. */
async function announceDue(queue: Queue<TransferMessage>, db: Database, now: Date): Promise<void> {
  const due = await db.all<{ id: number }>(
    sql`UPDATE transfers SET dueAt = ${new Date(now.getTime() + PATIENCE).toISOString()}
        WHERE id IN (
          SELECT id FROM transfers
          WHERE dueAt <= ${now.toISOString()} AND deadLetteredAt IS NULL
          ORDER BY dueAt LIMIT ${LIMIT}
        )
        RETURNING id`,
  )
  if (due.length === 0) return
  note({ event: 'sweep_announces', transfers: due.length })
  await announce(
    queue,
    due.map(({ id }) => id),
  )
}

/** Rows that no request can ask for any more. */
const forgetExpired = (db: Database, now: Date) =>
  db.batch([
    db
      .delete(idempotencyKeys)
      .where(lt(idempotencyKeys.createdAt, new Date(now.getTime() - DAY).toISOString())),
    db.delete(walletNonces).where(lt(walletNonces.expiresAt, now.toISOString())),
    db.delete(emailLinks).where(lt(emailLinks.expiresAt, now.toISOString())),
  ])

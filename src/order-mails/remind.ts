/**
 * Reminds buyers of orders that wait for a wallet, twice, and tells the shop of those that go on
 * waiting. A reminder is stored before it is sent, so it is sent once, and a run that dies loses one.
 */
import { type SQL, sql } from 'drizzle-orm'
import { batch } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { raw } from '../db/statements.ts'
import { changeDeliveries } from '../delivery/transitions.ts'
import { mailLimits } from '../limits.ts'
import type { OrderMailer } from './once.ts'
import { mailedOrderItemColumns, type OrderMail, readLocale, send } from './send.ts'

/** What one run sends of each reminder, and tells. The next one goes on. */
const MAX_PER_RUN = { mails: 10, events: 100 }

type Reminder = OrderMail & { id: number; type: 'reminder' | 'last_reminder' }

/** Sends the reminders that are due. `order.unclaimed` is told whether or not mails are sent. */
export async function remindBuyers(mailer: OrderMailer): Promise<void> {
  const { db, settings, now } = mailer
  const { due } = await batch(db, {
    unclaimed: changeDeliveries(db, 'tell_unclaimed', isUnclaimed(now), now),
    due: settings.MAX_ORDER_MAILS_PER_DAY > 0 ? selectDue(db, now) : undefined,
  })
  for (const { id, ...mail } of due ?? []) {
    const isLast = mail.type === 'last_reminder'
    const isDue = sql`deliveries.id = ${id} AND deliveries.reminders < ${isLast ? 2 : 1}`
    const mark = changeDeliveries(db, isLast ? 'remind_last' : 'remind', isDue, now)
    // Claimed, cancelled, or reminded by another run. The next run does not find it.
    const isSent = sql`NOT EXISTS (SELECT 1 FROM deliveries
      WHERE state = 'awaiting_wallet' AND ${isDue})`
    if (mail.email === '') await batch(db, { mark })
    else if (!(await send(mailer, { mail, isSent, mark }))) return
  }
}

const timeBefore = (now: Date, milliseconds: number) =>
  new Date(now.getTime() - milliseconds).toISOString()

const isUnclaimed = (now: Date): SQL =>
  sql`deliveries.id IN (SELECT id FROM deliveries INDEXED BY deliveries_reminders
    WHERE state = 'awaiting_wallet'
    AND reminders IN (0, 1, 2) AND awaitsSince <= ${timeBefore(now, mailLimits.unclaimed.max)}
    ORDER BY awaitsSince, id LIMIT ${MAX_PER_RUN.events})`

/** Selects who is to be reminded. Who has waited for the last reminder gets no other one before. */
function selectDue(db: Database, now: Date) {
  const last = timeBefore(now, mailLimits.lastReminder.max)
  return raw<Reminder>(db)`
    SELECT d.id, d.id AS itemId, iif(d.awaitsSince <= ${last}, 'last_reminder', 'reminder') AS type,
      coalesce(u.email, '') AS email, coalesce(${readLocale}, '') AS locale, ${mailedOrderItemColumns},
      NULL AS wallet, NULL AS txId, d.awaitsSince AS since, d.placedBy
    FROM (SELECT * FROM (SELECT id, awaits, awaitsSince, placedBy FROM deliveries
        WHERE state = 'awaiting_wallet' AND reminders = 1 AND awaitsSince <= ${last}
        ORDER BY awaitsSince LIMIT ${MAX_PER_RUN.mails})
      UNION ALL SELECT * FROM (SELECT id, awaits, awaitsSince, placedBy FROM deliveries
        WHERE state = 'awaiting_wallet' AND reminders = 0
          AND awaitsSince <= ${timeBefore(now, mailLimits.reminder.max)}
        ORDER BY awaitsSince LIMIT ${MAX_PER_RUN.mails})) d
    JOIN orderItems i ON i.id = d.id JOIN orders o ON o.id = i.orderId JOIN nfts n ON n.id = i.nftId
    LEFT JOIN users u ON u.id = d.awaits AND u.removedAt IS NULL
    ORDER BY d.awaitsSince, d.id`
}

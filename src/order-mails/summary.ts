/** Tells a buyer, once a day, how the orders are that no mail was sent about because there were too many. */
import { sql } from 'drizzle-orm'
import { batch } from '../db/batch.ts'
import { raw } from '../db/statements.ts'
import { quotaOf } from '../http/guard.ts'
import { mailLimits } from '../limits.ts'
import { EnoughMails, hashAddress, mailboxOf } from '../mail/mail.ts'
import { type OrderMailer, sendOnce } from './once.ts'
import { readLocale } from './send.ts'
import { type HeldOrder, writeSummary } from './texts.ts'

/** What one run sends, and how many orders a mail names. */
const MAX_SUMMARIES = 10
const MAX_NAMED = 20

/** Sends the summaries of what was held back until yesterday (UTC). */
export async function mailSummaries(mailer: OrderMailer): Promise<void> {
  if (mailer.settings.MAX_ORDER_MAILS_PER_DAY === 0) return
  for (let i = 0; i < MAX_SUMMARIES; i++) if (!(await mailOneSummary(mailer))) return
}

/** Returns whether another one may be due. */
async function mailOneSummary(mailer: OrderMailer): Promise<boolean> {
  const { db, settings, now } = mailer
  const today = now.toISOString().slice(0, 10)
  const [oldest] = await db.all<{ userId: number; email: string; locale: string }>(sql`
    SELECT h.userId, coalesce(u.email, '') AS email, coalesce(${readLocale}, '') AS locale
    FROM (SELECT userId FROM heldMails WHERE createdAt < ${today} ORDER BY createdAt LIMIT 1) h
    LEFT JOIN users u ON u.id = h.userId AND u.removedAt IS NULL`)
  if (!oldest) return false
  const { userId, email: to, locale } = oldest
  const isHeld = sql`userId = ${userId} AND createdAt < ${today}`
  const { orders, counted } = await batch(db, {
    orders: raw<HeldOrder>(db)`
      SELECT d.state, n.title, o.id, o.providerId
      FROM heldMails h JOIN deliveries d ON d.id = h.itemId JOIN orderItems i ON i.id = h.itemId
      JOIN orders o ON o.id = i.orderId JOIN nfts n ON n.id = i.nftId
      WHERE h.itemId IN (SELECT itemId FROM heldMails WHERE ${isHeld} ORDER BY itemId LIMIT ${MAX_NAMED})
      ORDER BY h.itemId`,
    counted: raw<{ count: number }>(db)`SELECT count(*) AS count FROM heldMails WHERE ${isHeld}`,
  })
  const mark = [raw<never>(db)`DELETE FROM heldMails WHERE ${isHeld}`]
  const content = await writeSummary(
    orders,
    (counted[0]?.count ?? 0) - orders.length,
    settings,
    locale,
  )
  if (!to || !content) {
    await batch(db, { mark })
    return true
  }
  const perMailbox = {
    ...quotaOf(mailLimits.summary, hashAddress(mailboxOf(to))),
    error: () => new EnoughMails('the mailbox got its summary'),
  }
  const isSent = sql`NOT EXISTS (SELECT 1 FROM heldMails WHERE ${isHeld})`
  const quotas = [perMailbox]
  return sendOnce(mailer, { mail: 'summary', to, locale, content, quotas, isSent, mark })
}

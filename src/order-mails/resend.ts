/** Sends a buyer the mail about the present state of an order again, as an operator asks. */
import { sql } from 'drizzle-orm'
import { readAs, writeAs } from '../auth/access.ts'
import { recordIntended } from '../auth/audit.ts'
import type { Database } from '../db/client.ts'
import type { WebhookEvent } from '../db/schema/webhooks.ts'
import { raw } from '../db/statements.ts'
import { eventIdAt, hasEventAfterSql, mailPosition } from '../events/append.ts'
import type { Caller } from '../http/context.ts'
import { ApiError, tryLater } from '../http/errors.ts'
import { guard, quotaOf } from '../http/guard.ts'
import { operatorLimits } from '../limits.ts'
import { log } from '../log.ts'
import { EnoughMails, post } from '../mail/mail.ts'
import { HOUR, MINUTE, SECOND } from '../time.ts'
import { countMail, NoMails, type OrderMailer } from './once.ts'
import { mailboxQuota, mailedOrderItemColumns, type OrderMail, readLocale } from './send.ts'
import { writeOrderMail } from './texts.ts'

/** Milliseconds that a mail may take from its event, if none waits before it. */
const MAX_SENDING = 2 * MINUTE

type ToldEvent = Extract<WebhookEvent, OrderMail['type']>

/** `type`: null if buyers get no mail about the state. */
type Present = Omit<OrderMail, 'type'> & {
  type: ToldEvent | null
  itemId: number
  version: number
}

const selectPresent = (db: Database, orderId: number) =>
  raw<Present>(db)`
    SELECT CASE d.state WHEN 'awaiting_wallet' THEN 'order.awaiting_wallet'
        WHEN 'transferred' THEN 'order.delivered' WHEN 'failed' THEN 'order.failed' END AS type,
      i.id AS itemId, u.email, ${readLocale} AS locale, ${mailedOrderItemColumns},
      i.ethRecipient AS wallet, t.hash AS txId, d.placedBy, d.version, iif(d.state = 'failed', d.reasonCode, NULL) AS reasonCode
    FROM orders o JOIN orderItems i ON i.orderId = o.id JOIN deliveries d ON d.id = i.id
      JOIN nfts n ON n.id = i.nftId JOIN users u ON u.id = o.buyerId
      LEFT JOIN transactions t ON t.id = d.transactionId
    WHERE o.id = ${orderId}`

/** Throws `conflict` if there is no such mail, or its recipient gets no more. */
export async function sendAgain(
  mailer: OrderMailer & { caller: Caller },
  { orderId }: { orderId: number },
): Promise<void> {
  const { db, caller, now, settings } = mailer
  const { found } = await readAs(db, caller, { found: selectPresent(db, orderId) })
  const [present] = found
  if (!present) throw new ApiError('not_found', 'there is no such order')
  const { type, itemId, version, email: to, locale } = present
  if (!type) throw new ApiError('conflict', 'there is no mail about this state of an order')
  if (!to) throw new ApiError('conflict', 'the buyer has no e-mail address')
  const mail = { ...present, type }
  const ofOperator = quotaOf(operatorLimits.mailsAgain, caller.userId)
  const counted = await countMail(mailer, { to, quotas: [mailboxQuota(to), ofOperator] })
  const { unsubscribe, guards, uses } = counted
  const changed = guard('conflict', 'the order has changed meanwhile')`
    NOT EXISTS (SELECT 1 FROM orderItems i JOIN deliveries d ON d.id = i.id
      JOIN orders o ON o.id = i.orderId JOIN users u ON u.id = o.buyerId
      WHERE o.id = ${orderId} AND d.version = ${version} AND u.email = ${to})`
  // A run that marks a mail as sent may still be sending it.
  const since = eventIdAt(new Date(now.getTime() - MAX_SENDING))
  const underWay = guard('conflict', 'this mail is just being sent: look again in a few minutes')`
    ${hasEventAfterSql(sql`min(${mailPosition}, ${since})`, sql`${itemId}`, type)}`
  const action = { action: 'order.mail', subject: orderId } as const
  const record = recordIntended({ db, caller, now }, action)
  await writeAs(db, caller, [changed, ...guards, underWay], { record, uses }).catch(
    (error: unknown) => {
      if (error instanceof NoMails) throw tryLater('no more mails are sent today', HOUR / SECOND)
      if (!(error instanceof EnoughMails)) throw error
      throw new ApiError('conflict', `no mail was sent: ${error.message}`)
    },
  )
  const content = await writeOrderMail(type, mail, settings, locale)
  await post(mailer, to, { ...content, unsubscribe }, { locale }).catch((error: unknown) => {
    log.error('mail_failed', { mail: type, error })
    throw tryLater('the mail could not be sent', 60)
  })
}

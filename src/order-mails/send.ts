/**
 * Mails about orders: to buyers, by the log of events, and to sellers who have to approve a contract.
 * Each is stored as sent before it is sent. So it is sent once, and a run that dies loses one.
 */

import { type SQL, sql } from 'drizzle-orm'
import { batch } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import type { Quota } from '../db/quota.ts'
import { readLocaleSql } from '../db/schema/users.ts'
import { raw, type StatementOf } from '../db/statements.ts'
import { treasuryOf } from '../delivery/holder.ts'
import type { Settings } from '../env.ts'
import { eventIdAt, mailPosition } from '../events/append.ts'
import { quotaOf } from '../http/guard.ts'
import { mailLimits } from '../limits.ts'
import { EnoughMails, hashAddress, mailboxOf, strangersLimit } from '../mail/mail.ts'
import { DAY, MINUTE } from '../time.ts'
import { HeldBack, type OrderMailer, sendOnce } from './once.ts'
import { type MailedOrderItem, type OrderMailType, writeOrderMail } from './texts.ts'

/** What one run sends, and looks at. The next one goes on. */
const MAX_PER_RUN = { mails: 50, events: 200, waiting: 1000 }

export type OrderMail = MailedOrderItem & {
  type: OrderMailType
  email: string
  locale: string
  sellerId: number
  /** The order item of a buyer, for the summary if this mail is held back. */
  itemId?: number
  /** The user whose token has placed the order; null for a master token, absent for an approval. */
  placedBy?: number | null
}
/**
 * `isSent`: the condition that it was sent before, or is out of date. `mark`: the statements that
 * store that it is sent.
 */
type Sending = { mail: OrderMail; isSent: SQL; mark: StatementOf<unknown>[] }

/** Sends the mails that are due, but reminders. */
export async function mailOrders(mailer: OrderMailer): Promise<void> {
  const { db, settings, now } = mailer
  if (settings.MAX_ORDER_MAILS_PER_DAY === 0) return
  const { waiting, told, newest } = await batch(db, {
    waiting: selectWaiting(db, settings),
    told: selectTold(db, now),
    newest: raw<{ id: number | null }>(db)`SELECT max(id) AS id FROM ${nextEvents(now)}`,
  })
  const moveTo = (id: number) =>
    raw<never>(db)`UPDATE instance SET mailPosition = ${id} WHERE mailPosition < ${id}`
  const store = (subject: string) =>
    raw<never>(db)`INSERT INTO sentMails (subject, createdAt)
      VALUES (${subject}, ${now.toISOString()})
      ON CONFLICT DO NOTHING`
  const due: Sending[] = [
    ...waiting.map(({ subject, ...mail }) => ({
      mail,
      isSent: sql`EXISTS (SELECT 1 FROM sentMails WHERE subject = ${subject})`,
      mark: [store(subject)],
    })),
    ...told.map(({ id, ...mail }) => ({
      mail,
      isSent: sql`NOT EXISTS (SELECT 1 FROM instance WHERE mailPosition < ${id})`,
      mark: [
        moveTo(id),
        ...(mail.reasonCode ? [store(failureSubject(mail.itemId, mail.reasonCode))] : []),
      ],
    })),
  ]
  for (const sending of due.slice(0, MAX_PER_RUN.mails)) if (!(await send(mailer, sending))) return
  const last = newest[0]?.id
  if (last && due.length <= MAX_PER_RUN.mails) await batch(db, { move: moveTo(last) })
}

const failureSubject = (itemId: number | undefined, code: string) => `failed:${itemId}:${code}`

/** The quota of the mailbox that has an address. */
export const mailboxQuota = (email: string): Quota => ({
  ...quotaOf(mailLimits.mailbox, hashAddress(mailboxOf(email))),
  error: () => new HeldBack('the mailbox got enough'),
})

/** The quotas of a mail, besides that of the instance. */
function quotasOf(settings: Settings, mail: OrderMail): Quota[] {
  const { type, email, sellerId, contract, placedBy } = mail
  const addressHash = hashAddress(mailboxOf(email))
  // Sellers do not cause what they get themselves.
  const cause = `${addressHash}:${type === 'approval.needed' ? contract : sellerId}`
  const { orders, seller } = mailLimits
  const quotas: Quota[] = [
    mailboxQuota(email),
    { ...quotaOf(seller, cause), error: () => new HeldBack('its seller caused enough') },
  ]
  // One user must not use up the mails of the others.
  if (placedBy)
    quotas.push({
      ...quotaOf(orders, placedBy),
      limit: strangersLimit(settings.MAX_ORDER_MAILS_PER_DAY),
      error: () => new EnoughMails('its user caused enough'),
    })
  return quotas
}

/**
 * Sends a mail. One that its recipient does not want, or one too many, counts as sent; what a buyer is
 * not told is held for the summary. Returns whether another one can be sent now.
 */
export async function send(mailer: OrderMailer, { mail, isSent, mark }: Sending): Promise<boolean> {
  const { db, settings, now } = mailer
  const { type, email: to, locale, itemId } = mail
  const quotas = quotasOf(settings, mail)
  const content = await writeOrderMail(type, mail, settings, locale)
  const held = itemId === undefined ? [] : [holdBack(db, itemId, now)]
  return sendOnce(mailer, { mail: type, to, locale, content, quotas, isSent, mark, held })
}

/** Has the summary of the next day tell how the order is then. */
const holdBack = (db: Database, itemId: number, now: Date) =>
  raw<never>(db)`INSERT INTO heldMails (itemId, userId, createdAt)
    SELECT i.id, o.buyerId, ${now.toISOString()}
    FROM orderItems i JOIN orders o ON o.id = i.orderId WHERE i.id = ${itemId}
    ON CONFLICT DO NOTHING`

/** In which a recipient `u` reads. */
export const readLocale = readLocaleSql('u')

/** The columns of `MailedOrderItem`, of an order item `i`, its order `o` and its NFT `n`. */
export const mailedOrderItemColumns = sql`n.title, i.orderId, i.quantity, o.providerId, o.claimPath,
  n.contractNetwork AS network, n.contractAddr AS contract, i.nftId, n.heldBySeller, n.coverKey,
  json_type(n.payload, '$.metadata.image') IS 'text' AS hasImage, i.sellerId,
  (SELECT name FROM shops WHERE namespace = o.namespace) AS shopName,
  (SELECT email FROM shops WHERE namespace = o.namespace) AS shopEmail`

/** Milliseconds after which an event is not mailed: it may wait for the mails of the next days. */
const MAX_EVENT_AGE = 3 * DAY

/** Selects the next events; if they are too old, those of the last ten minutes. */
function nextEvents(now: Date): SQL {
  const tooOld = eventIdAt(new Date(now.getTime() - MAX_EVENT_AGE))
  const recent = eventIdAt(new Date(now.getTime() - 10 * MINUTE))
  return sql`(SELECT id, type, itemId, data FROM events
    WHERE id > iif(${mailPosition} < ${tooOld}, ${recent}, ${mailPosition})
    ORDER BY id LIMIT ${MAX_PER_RUN.events})`
}

/** Selects what buyers are told, unless the state has changed since. */
const selectTold = (db: Database, now: Date) =>
  raw<OrderMail & { id: number }>(db)`
    SELECT v.id, v.type, v.itemId, u.email, ${readLocale} AS locale, ${mailedOrderItemColumns},
      i.ethRecipient AS wallet, v.data ->> 'txId' AS txId, d.placedBy,
      iif(v.type = 'order.failed', d.reasonCode, NULL) AS reasonCode
    FROM ${nextEvents(now)} v
    CROSS JOIN deliveries d ON d.id = v.itemId AND d.state = CASE v.type
      WHEN 'order.awaiting_wallet' THEN 'awaiting_wallet' WHEN 'order.delivered' THEN 'transferred'
      WHEN 'order.failed' THEN 'failed' END
    JOIN orderItems i ON i.id = d.id JOIN nfts n ON n.id = i.nftId JOIN orders o ON o.id = i.orderId
    JOIN users u ON u.id = o.buyerId AND u.email <> '' AND u.removedAt IS NULL
    -- A retry that fails for the same reason is no news.
    WHERE NOT (v.type = 'order.failed' AND EXISTS (SELECT 1 FROM sentMails
      WHERE subject = 'failed:' || v.itemId || ':' || d.reasonCode))
    ORDER BY v.id`

/** Selects an order item of each seller and token contract that wait for an approval of the seller. */
function selectWaiting(db: Database, { NETWORKS }: Settings) {
  const networks = Object.values(NETWORKS).map((network) => ({
    chainId: network.chainId,
    hasTreasury: treasuryOf({ heldBySeller: false }, network) !== undefined,
  }))
  return raw<OrderMail & { subject: string }>(db)`
    SELECT w.*, 'approval.needed' AS type, u.email, ${readLocale} AS locale,
      u.ethereumPublicAddr AS wallet
    FROM (SELECT 'approval:' || i.sellerId || ':' || d.chainId || ':' || n.contractAddr AS subject,
        min(d.id), ${mailedOrderItemColumns}
      FROM (SELECT d.id, d.chainId FROM json_each(${JSON.stringify(networks)}) w
          CROSS JOIN deliveries d ON d.chainId = w.value ->> 'chainId'
            AND d.reasonCode = 'holder_not_approved' AND d.waitingSince IS NOT NULL AND d.dueAt IS NOT NULL
          CROSS JOIN orderItems i ON i.id = d.id CROSS JOIN nfts n ON n.id = i.nftId
        WHERE n.heldBySeller OR NOT w.value ->> 'hasTreasury'
        ORDER BY d.queuedAt DESC LIMIT ${MAX_PER_RUN.waiting}) d
      CROSS JOIN orderItems i ON i.id = d.id CROSS JOIN orders o ON o.id = i.orderId
      CROSS JOIN nfts n ON n.id = i.nftId
      GROUP BY subject) w
    JOIN users u ON u.id = w.sellerId AND u.email <> '' AND u.removedAt IS NULL
    WHERE NOT EXISTS (SELECT 1 FROM sentMails WHERE sentMails.subject = w.subject)
    LIMIT ${MAX_PER_RUN.mails}`
}

/** Sends a mail about orders once: it is stored as sent, and counted, before it is sent. */
import type { SQL } from 'drizzle-orm'
import { signOptOut, tokenIssuer } from '../auth/tokens.ts'
import { batch, guarded } from '../db/batch.ts'
import { type Quota, takeQuotas } from '../db/quota.ts'
import type { StatementOf } from '../db/statements.ts'
import type { Settings } from '../env.ts'
import { mailLimits } from '../limits.ts'
import { log } from '../log.ts'
import type { MailContent } from '../mail/html.ts'
import {
  EnoughMails,
  hashAddress,
  isOptedOutSql,
  type Mailer,
  mailboxOf,
  post,
} from '../mail/mail.ts'

export type OrderMailer = Mailer & { settings: Settings }

/** Today's mails are used up, or another run sends them. */
export class NoMails extends Error {}

/** The recipient got enough mails today: the summary of the next day tells it. */
export class HeldBack extends EnoughMails {}

type Once = {
  /** Its name in the log. */
  mail: string
  to: string
  locale: string
  content: MailContent
  /** Besides that of all mails about orders. */
  quotas: readonly Quota[]
  /** Holds if it was sent before, or is out of date. */
  isSent: SQL
  /** Store that it is sent. */
  mark: readonly StatementOf<unknown>[]
  /** Store that it was held back. */
  held?: readonly StatementOf<unknown>[]
}

/** Returns the link that ends such mails, the guards that refuse a mail, and the statements that count it. */
export async function countMail(
  { db, settings, now }: OrderMailer,
  { to, quotas }: Pick<Once, 'to' | 'quotas'>,
) {
  const addressHash = hashAddress(mailboxOf(to))
  const token = await signOptOut(tokenIssuer(settings), addressHash)
  const unsubscribe = `${settings.PUBLIC_URL}/mails/unsubscribe?token=${token}`
  const { quota: name, per } = mailLimits.orders
  const limit = settings.MAX_ORDER_MAILS_PER_DAY
  const ofInstance = { name, per, limit, error: () => new NoMails() }
  const { guards, uses } = takeQuotas(db, now, [ofInstance, ...quotas])
  const optOut = {
    when: isOptedOutSql(addressHash),
    error: () => new EnoughMails('the recipient wants none'),
  }
  return { unsubscribe, guards: [optOut, ...guards], uses }
}

/** Returns whether another mail can be sent now. One that is not wanted, or one too many, counts as sent. */
export async function sendOnce(mailer: OrderMailer, once: Once): Promise<boolean> {
  const { db } = mailer
  const { mail, to, locale, content, isSent, mark, held = [] } = once
  const { unsubscribe, guards, uses } = await countMail(mailer, once)
  const allGuards = [{ when: isSent, error: () => new NoMails() }, ...guards]
  try {
    await guarded(db, allGuards, { mark, uses })
  } catch (error) {
    if (error instanceof NoMails) return false
    if (!(error instanceof EnoughMails)) throw error
    log.info('mail_skipped', { mail, reason: error.message })
    await batch(db, { mark, ...(error instanceof HeldBack && { held }) })
    return true
  }
  await post(mailer, to, { ...content, unsubscribe }, { locale }).catch((error) =>
    log.error('mail_failed', { mail, error }),
  )
  return true
}

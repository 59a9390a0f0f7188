/** Sends mails, and has the texts of those about accounts and webhooks. */
import { type SQL, sql } from 'drizzle-orm'
import { sha256, stringToBytes } from 'viem/utils'
import { guarded } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { type Quota, takeQuotas } from '../db/quota.ts'
import { isGuestSql } from '../db/schema/users.ts'
import type { Settings } from '../env.ts'
import { tryLater } from '../http/errors.ts'
import { countFailure } from '../http/failures.ts'
import { creatorLimits, mailLimits } from '../limits.ts'
import { log } from '../log.ts'
import type { Texts } from '../texts/en.ts'
import { DEFAULT_LOCALE, textsOf } from '../texts/texts.ts'
import { footOf, type MailContent, type MailSettings, renderMail } from './html.ts'
import { quotable } from './quotable.ts'

/** The path of each kind of link. */
const paths = { 'sign-in': '/sign-in/email', link: '/settings/account/email' }

export type Mailer = {
  email: SendEmail
  db: Database
  settings: MailSettings & Pick<Settings, 'EMAIL_FROM' | 'MAX_MAILS_PER_HOUR' | 'MAX_MAILS_PER_DAY'>
  now: Date
}

type LinkMail = {
  to: string
  secret: string
  purpose: keyof typeof paths
  /** In whose language it is. */
  locale: string
}

/** Sends a link that `newEmailLink` has counted. */
export async function mailLink(
  mailer: Mailer,
  { to, secret, purpose, locale }: LinkMail,
): Promise<void> {
  const { mail } = await textsOf(locale)
  const url = `${mailer.settings.PUBLIC_URL}${paths[purpose]}?secret=${secret}`
  const content = { ...mail[purpose], url, note: mail.linkNote }
  try {
    await post(mailer, to, content, { locale, isForHost: true })
  } catch (error) {
    log.error('mail_failed', { mail: purpose, error })
    throw tryLater('the mail could not be sent', 60)
  }
}

/** What an owner is told, because it changes how to get into the account. */
export type AccountEvent =
  | { type: keyof Texts['mail']['account']['events'] }
  | { type: 'master-token' | 'appointed' | 'dismissed'; name: string }

/** What administrators are told is in English, as their pages are. */
function describe(event: AccountEvent, { events }: Texts['mail']['account']) {
  switch (event.type) {
    case 'master-token':
      return {
        subject: 'A master token was generated',
        lead: `Your account has a new master token with the name “${event.name}”. It acts for every user.`,
      }
    case 'appointed':
    case 'dismissed':
      return {
        subject: `An administrator was ${event.type}`,
        lead: `${event.name} was ${event.type} as administrator of the marketplace.`,
      }
    default:
      return events[event.type]
  }
}

/** Tells the owner of an account what happened. A failure is only logged. */
export async function mailEvent(
  mailer: Mailer,
  { email, locale = DEFAULT_LOCALE }: { email: string; locale?: string },
  event: AccountEvent,
): Promise<boolean> {
  const { account } = (await textsOf(locale)).mail
  const { button, note } = account
  const url = `${mailer.settings.PUBLIC_URL}/settings/sessions`
  const content = { ...describe(event, account), url, button, note }
  return notify(mailer, email, { mail: event.type, about: 'account', content, locale })
}

/**
 * Tells an address that a guest had before, or has now, that an operator has corrected it. Neither mail names the
 * other address. A failure is only logged.
 */
export async function mailCorrection(
  mailer: Mailer,
  to: string,
  { whose, locale }: { whose: 'before' | 'after'; locale: string },
): Promise<boolean> {
  const { PUBLIC_URL } = mailer.settings
  const content = (await textsOf(locale)).correctedAddress[whose]
  const url = whose === 'after' ? `${PUBLIC_URL}/orders` : PUBLIC_URL
  const mail = `address-${whose}`
  return notify(mailer, to, { mail, about: 'account', content: { ...content, url }, locale })
}

/** `title`: of the NFT. `reason`: why something was rejected; null if it was approved. */
type Review = { title: string; reason: string | null; locale: string }

/** Tells who lists something what was decided. A failure is only logged. */
export async function mailReview(
  mailer: Mailer,
  to: string,
  { title, reason, locale }: Review,
): Promise<boolean> {
  const { mail, review } = await textsOf(locale)
  const quoted = mail.quote(quotable(title))
  const why = reason === null ? null : mail.quote(quotable(reason, creatorLimits.reason.max))
  const { approved, rejected } = review
  const said =
    why === null
      ? { ...approved, subject: approved.subject(quoted), lead: approved.lead(quoted) }
      : { ...rejected, subject: rejected.subject(quoted), lead: rejected.lead(quoted, why) }
  const url = `${mailer.settings.PUBLIC_URL}/create`
  const content = { ...said, url, button: review.button }
  return notify(mailer, to, { mail: 'review', about: 'reviews', content, locale })
}

/**
 * `failing` for four days; disabled, because it has `failed` for five or is `gone` (410); `behind`:
 * its next events are soon removed.
 */
export type WebhookProblem = 'failing' | 'failed' | 'gone' | 'behind'

const webhookMails = {
  failing: {
    subject: 'A webhook fails',
    lead: (host: string) =>
      `Nothing that we have sent to ${host} in the last four days has arrived. Unless something arrives within a day, this webhook will be disabled.`,
  },
  failed: {
    subject: 'A webhook was disabled',
    lead: (host: string) =>
      `Nothing that we have sent to ${host} in the last five days has arrived, so this webhook was disabled.`,
  },
  gone: {
    subject: 'A webhook was disabled',
    lead: (host: string) => `${host} has answered 410 Gone, so this webhook was disabled.`,
  },
  behind: {
    subject: 'A webhook will lose events',
    lead: (host: string) =>
      `Events of 27 days ago still wait to be sent to ${host}, and will be removed. Repair, verify or enable this webhook, or read the events with GET /api/events.`,
  },
}

/** Tells the owner of a webhook what is wrong with it, once a day. A failure is only logged. */
export function mailWebhook(
  mailer: Mailer,
  to: string,
  { problem, id, host }: { problem: WebhookProblem; id: string; host: string },
): Promise<boolean> {
  const mail = `webhook-${problem}`
  const content = {
    subject: webhookMails[problem].subject,
    lead: webhookMails[problem].lead(host),
    url: `${mailer.settings.PUBLIC_URL}/settings/webhooks/${id}`,
    button: 'See the webhook',
    note: 'Events are kept for 30 days. Once it works and is enabled, the webhook goes on where it stopped.',
  }
  const error = () => new EnoughMails('the owner was told of this today')
  const once: Quota = { name: `${mail}:${id}`, per: 'day', limit: mailLimits.webhook.max, error }
  return notify(mailer, to, { mail, about: 'webhooks', content, quotas: [once] })
}

/** Tells the owner of an API token that it ends. A failure is only logged. */
export const mailTokenEnd = (
  mailer: Mailer,
  to: string,
  { id, name, expiresAt }: { id: string; name: string; expiresAt: string },
): Promise<boolean> =>
  notify(mailer, to, {
    mail: 'token-ends',
    about: 'account',
    content: {
      subject: 'An API token ends soon',
      lead: `Your API token “${name}” ends on ${expiresAt.slice(0, 10)}, and was used in the last 30 days. What uses it will be refused from then on.`,
      url: `${mailer.settings.PUBLIC_URL}/settings/api-access/tokens/${id}`,
      button: 'Roll the token',
      note: 'Rolling it makes a new token with the same name, which stands for the same shop. The old one works for 24 hours more. If nothing needs it any more, revoke it.',
    },
  })

/** Tells an operator of alarms. A failure is only logged. */
export const mailOperator = (mailer: Mailer, to: string, content: MailContent): Promise<boolean> =>
  notify(mailer, to, { mail: 'alarms', about: 'alarms', content })

type Notification = {
  /** Its name in the log. */
  mail: string
  about: 'account' | 'webhooks' | 'alarms' | 'reviews'
  content: MailContent
  /** That of the texts. Default: English. */
  locale?: string
  /** Further quotas that the mail must not exceed. */
  quotas?: readonly Quota[]
}

/** Sends a mail that nobody asked for. Returns whether it was taken. */
async function notify(
  mailer: Mailer,
  to: string,
  { mail, about, content, locale = DEFAULT_LOCALE, quotas = [] }: Notification,
): Promise<boolean> {
  const limit = mailLimits[about].max
  const recipient: Quota = {
    name: `${about}:${hashAddress(to)}`,
    per: 'day',
    limit,
    error: () => new EnoughMails(`the recipient got ${limit} of these today`),
  }
  try {
    const ofInstance = about === 'alarms' ? allQuotas(mailer) : mailQuotas(mailer, to)
    const all = [...quotas, recipient, ...ofInstance]
    const { guards, uses } = takeQuotas(mailer.db, mailer.now, all)
    await guarded(mailer.db, guards, { uses })
    await post(mailer, to, content, { locale, isForHost: true })
    return true
  } catch (error) {
    if (error instanceof EnoughMails) log.info('mail_skipped', { mail, reason: error.message })
    else log.error('mail_failed', { mail, error })
    return false
  }
}

/** Returns the address without the plus tag of its local part: where mails to it arrive. */
export const mailboxOf = (email: string): string => email.replace(/(?<=.)\+[^@]*(?=@)/, '')

/** Returns the SHA-256 of an e-mail address (lower case), hex. */
export const hashAddress = (email: string): string => sha256(stringToBytes(email)).slice(2)

export class EnoughMails extends Error {}

/** Returns the number of mails up to which addresses that no user has get one. */
export const strangersLimit = (limit: number): number => Math.ceil(limit * mailLimits.share.max)

/** The quotas of the instance, of which addresses that no user has get their share only. */
export function mailQuotas(mailer: Pick<Mailer, 'settings'>, to: string): Quota[] {
  // Guests do not count, of whom a seller can make any number.
  const isKnown = sql`EXISTS (SELECT 1 FROM users
    WHERE email = ${to} AND email <> '' AND NOT ${isGuestSql('users')})`
  return quotasOf(mailer, (limit) => sql`iif(${isKnown}, ${limit}, ${strangersLimit(limit)})`)
}

/** The quotas of the instance, with what is kept for addresses of users. */
const allQuotas = (mailer: Pick<Mailer, 'settings'>): Quota[] => quotasOf(mailer, (limit) => limit)

/** The share of the quotas of the instance that anybody may use. The rest is kept for addresses of users. */
export const sharedQuotas = (mailer: Pick<Mailer, 'settings'>): Quota[] =>
  quotasOf(mailer, strangersLimit)

function quotasOf(
  { settings }: Pick<Mailer, 'settings'>,
  limitOf: (limit: number) => Quota['limit'],
): Quota[] {
  const limits = { hour: settings.MAX_MAILS_PER_HOUR, day: settings.MAX_MAILS_PER_DAY }
  return (['day', 'hour'] as const).map((per) => ({
    name: 'mails',
    per,
    limit: limitOf(limits[per]),
    error: (seconds) => tryLater('no more mails can be sent at the moment', seconds),
  }))
}

/** What Cloudflare says of a recipient whose mailbox has refused mails. Other mails go. */
const SUPPRESSED = 'E_RECIPIENT_SUPPRESSED'

/**
 * Sends a mail that is counted already. `locale` is that of its texts. `isForHost`: the subject names
 * the host of the instance.
 */
export async function post(
  { email, settings, db, now }: Mailer,
  to: string,
  content: MailContent,
  { locale, isForHost }: { locale: string; isForHost?: boolean },
): Promise<void> {
  const { mail, layout, orders } = await textsOf(locale)
  const { order, lead, url, note, pieces, shop, unsubscribe } = content
  const subject = order ? mail.forOrder(content.subject, order) : content.subject
  const [, ...foot] = (await footOf(settings, locale)).map(({ text, href }) =>
    href && !href.startsWith('mailto:') ? `${text}: ${href}` : text,
  )
  const parts = [
    lead,
    pieces,
    url,
    note,
    shop && `${orders.shop}: ${shop.name} – ${layout.questions}: ${shop.email}`,
    foot.join('\n'),
    unsubscribe && `${mail.unsubscribe}\n${unsubscribe}`,
  ]
  const message = {
    from: { name: settings.INSTANCE_NAME, email: settings.EMAIL_FROM },
    to,
    subject: isForHost ? `${subject} (${new URL(settings.PUBLIC_URL).host})` : subject,
    text: `${parts.filter(Boolean).join('\n\n')}\n`,
    html: await renderMail(settings, content, locale),
    // With RFC 8058, mail programs show a button that calls the link.
    ...(unsubscribe && {
      headers: {
        'List-Unsubscribe': `<${unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    }),
  }
  try {
    await email.send(message)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === SUPPRESSED))
      await countFailure(db, 'mails', now)
    throw error
  }
}

/** Whether the owner of a mailbox (`hashAddress` of `mailboxOf`) wants no mails about orders. */
export const isOptedOutSql = (addressHash: string): SQL =>
  sql`EXISTS (SELECT 1 FROM mailOptOuts WHERE addressHash = ${addressHash})`

/** Stores that the owner of a mailbox (`hashAddress` of `mailboxOf`) wants no mails about orders. */
export const optOut = ({ db, now }: Pick<Mailer, 'db' | 'now'>, addressHash: string) =>
  db.run(sql`INSERT INTO mailOptOuts (addressHash, createdAt)
    VALUES (${addressHash}, ${now.toISOString()}) ON CONFLICT DO NOTHING`)

/** Undoes it. */
export const optIn = ({ db }: Pick<Mailer, 'db'>, addressHash: string) =>
  db.run(sql`DELETE FROM mailOptOuts WHERE addressHash = ${addressHash}`)

/** Whether the owner of an e-mail address wants no mails about orders. */
export async function isOptedOut({ db }: Pick<Mailer, 'db'>, email: string): Promise<boolean> {
  const hash = hashAddress(mailboxOf(email))
  const [row] = await db.all<{ isOut: 0 | 1 }>(sql`SELECT ${isOptedOutSql(hash)} AS isOut`)
  return row?.isOut === 1
}

/** The mails: those that carry a link, and those that tell what happened to an account. */
import type { Settings } from '../env.ts'
import { type MailContent, renderMail } from './html.ts'

const purposes = {
  'sign-in': {
    path: '/sign-in/email',
    subject: 'Your sign-in link',
    lead: 'Open this link to sign in:',
    button: 'Sign in',
  },
  link: {
    path: '/settings/account/email',
    subject: 'Confirm your e-mail address',
    lead: 'Open this link to add this e-mail address to your account:',
    button: 'Confirm',
  },
}

type Mailer = Pick<Settings, 'PUBLIC_URL' | 'EMAIL_FROM'>
type LinkMail = { to: string; secret: string; purpose: keyof typeof purposes }

/** Sends a link by e-mail. Throws if the binding does not accept the mail. */
export async function mailLink(
  email: SendEmail,
  mailer: Mailer,
  { to, secret, purpose }: LinkMail,
): Promise<void> {
  const { path, ...texts } = purposes[purpose]
  await send(email, mailer, to, {
    ...texts,
    url: `${mailer.PUBLIC_URL}${path}?secret=${secret}`,
    note: 'The link works once and expires in 15 minutes. If you did not ask for it, ignore this mail. We never ask for a password.',
  })
}

/** What an owner is told, because it changes how to get into the account. */
export type AccountEvent =
  | { type: 'wallet-linked' | 'email-linked' | 'wallet-unlinked' | 'email-unlinked' }
  | { type: 'master-token'; name: string }

function describe(event: AccountEvent): { subject: string; lead: string } {
  switch (event.type) {
    case 'wallet-linked':
      return { subject: 'A wallet was linked', lead: 'A wallet can now sign in to your account.' }
    case 'email-linked':
      return {
        subject: 'An e-mail address was linked',
        lead: 'This e-mail address can now sign in to your account.',
      }
    case 'wallet-unlinked':
      return {
        subject: 'A wallet was unlinked',
        lead: 'Your wallet can no longer sign in to your account.',
      }
    case 'email-unlinked':
      return {
        subject: 'This e-mail address was unlinked',
        lead: 'This e-mail address can no longer sign in to your account.',
      }
    case 'master-token':
      return {
        subject: 'A master token was generated',
        lead: `Your account has a new master token with the name “${event.name}”. It acts for every user.`,
      }
  }
}

/** Tells the owner of an account what happened. Throws if the binding does not accept the mail. */
export const mailEvent = (
  email: SendEmail,
  mailer: Mailer,
  to: string,
  event: AccountEvent,
): Promise<void> =>
  send(email, mailer, to, {
    ...describe(event),
    url: `${mailer.PUBLIC_URL}/settings/sessions`,
    button: 'See your sessions',
    note: `If this was not you, ${remedyFor(event)}, end all other sessions, and revoke the tokens that you do not know. If you cannot sign in, write to us.`,
  })

/** What was unlinked opens a new, empty account. */
function remedyFor({ type }: AccountEvent): string {
  if (type === 'email-unlinked') return 'sign in with your wallet, not with this address'
  return type === 'wallet-unlinked' ? 'sign in with this e-mail address' : 'sign in'
}

/** `failing` for four days; disabled, because it has `failed` for five or is `gone` (410). */
export type WebhookProblem = 'failing' | 'failed' | 'gone'

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
}

/** Tells the owner of a webhook what is wrong with it. Throws if the binding does not accept the mail. */
export const mailWebhook = (
  email: SendEmail,
  mailer: Mailer,
  to: string,
  { problem, id, host }: { problem: WebhookProblem; id: string; host: string },
): Promise<void> =>
  send(email, mailer, to, {
    subject: webhookMails[problem].subject,
    lead: webhookMails[problem].lead(host),
    url: `${mailer.PUBLIC_URL}/settings/webhooks/${id}`,
    button: 'See the webhook',
    note: 'What is missed is kept for 30 days: replay it once the receiver works.',
  })

async function send(
  email: SendEmail,
  { PUBLIC_URL, EMAIL_FROM }: Mailer,
  to: string,
  content: MailContent,
): Promise<void> {
  const { subject, lead, url, note } = content
  const { host } = new URL(PUBLIC_URL)
  await email.send({
    from: EMAIL_FROM,
    to,
    subject: `${subject} for ${host}`,
    text: `${lead}\n\n${url}\n\n${note}\n`,
    html: renderMail(host, content),
  })
}

/** The mails: those that carry a link, and those that tell what happened to an account. */
import { html } from 'hono/html'
import type { Settings } from '../env.ts'

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

type Mail = { subject: string; lead: string; url: string; button: string; note: string }

async function send(
  email: SendEmail,
  { PUBLIC_URL, EMAIL_FROM }: Mailer,
  to: string,
  { subject, lead, url, button, note }: Mail,
): Promise<void> {
  await email.send({
    from: EMAIL_FROM,
    to,
    subject: `${subject} for ${new URL(PUBLIC_URL).host}`,
    text: `${lead}\n\n${url}\n\n${note}\n`,
    html: String(
      html`<!doctype html><html lang="en"><body style="font-family:sans-serif;line-height:1.5">
<p>${lead}</p>
<p><a href="${url}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#1d4ed8;color:#fff;text-decoration:none">${button}</a></p>
<p style="word-break:break-all">${url}</p>
<p style="color:#555">${note}</p>
</body></html>`,
    ),
  })
}

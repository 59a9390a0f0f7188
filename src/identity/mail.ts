/** The mails that carry a link. */
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

type LinkMail = { to: string; secret: string; purpose: keyof typeof purposes }

/** Sends a link by e-mail. Throws if the binding does not accept the mail. */
export async function mailLink(
  email: SendEmail,
  { PUBLIC_URL, EMAIL_FROM }: Settings,
  { to, secret, purpose }: LinkMail,
): Promise<void> {
  const { path, subject, lead, button } = purposes[purpose]
  const { host } = new URL(PUBLIC_URL)
  const url = `${PUBLIC_URL}${path}?secret=${secret}`
  const note = `The link works once and expires in 15 minutes. If you did not ask for it, ignore this mail. We never ask for a password.`
  await email.send({
    from: EMAIL_FROM,
    to,
    subject: `${subject} for ${host}`,
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

import type { Context } from 'hono'
import type { App } from '../../http/context.ts'
import { rateLimitKey } from '../../http/rate-limit.ts'
import { createSignInLink } from '../../identity/email-link.ts'
import { mailLink } from '../../mail/mail.ts'
import { readerLocale } from '../reader.ts'

/**
 * Mails a sign-in link, which leads to `redirect` (an absolute URL; null for `HOME`). Returns whether mails are
 * scarce: then only addresses of users get one. Throws `try_later`.
 */
export async function sendSignInLink(
  c: Context<App>,
  { email, redirect }: { email: string; redirect: string | null },
): Promise<boolean> {
  const client = rateLimitKey(c.req.raw)
  const { secret, isScarce } = await createSignInLink(c.var, { email, client, redirect })
  const mails = { email: c.env.EMAIL, ...c.var }
  const locale = readerLocale(c, null)
  const sending = secret
    ? mailLink(mails, { to: email, secret, purpose: 'sign-in', locale })
    : Promise.resolve()
  // The time of the answer must not tell whether a mail was sent.
  if (isScarce) c.executionCtx.waitUntil(sending.catch(() => {}))
  else await sending
  return isScarce
}

/** Settings → Account: the sign-in methods of a user. */
import { type Context, Hono } from 'hono'
import * as z from 'zod'
import { isRecent, readAccount } from '../../auth/session.ts'
import { wake } from '../../delivery/wake.ts'
import { rateLimitKey } from '../../http/client-ip.ts'
import type { App } from '../../http/context.ts'
import {
  type AppWithCaller,
  publicEndpoint,
  requireSession,
  validate,
} from '../../http/endpoint.ts'
import { EmailAddress, inputText } from '../../http/inputs.ts'
import { signInRateLimit } from '../../http/rate-limit.ts'
import { LinkSecret } from '../../identity/email-link.ts'
import {
  createConfirmationLink,
  linkEmail,
  readConfirmationLink,
  unlink,
} from '../../identity/link.ts'
import { mailLink } from '../../mail/mail.ts'
import { notifyOwner } from '../notify-owner.ts'
import { page } from '../page.tsx'
import { explainBrokenLink } from '../sign-in/broken-link.tsx'
import { AccountSettings, ConfirmEmail, type RejectedEmail } from './views.tsx'

/** Routes of a person's account. */
export const accountRoutes = new Hono<App>()
  .get('/settings', publicEndpoint(), (c) => c.redirect('/settings/profile', 303))
  .get('/settings/account', requireSession(), async (c) => accountPage(c))
  .post(
    '/settings/account/email',
    requireSession(),
    signInRateLimit,
    validate('form', z.object({ email: inputText(1000) })),
    async (c) => {
      const input = c.req.valid('form').email
      const email = EmailAddress.safeParse(input)
      if (!email.success)
        return accountPage(c, { email: input, problem: 'This is not an e-mail address.' })
      const request = { email: email.data, client: rateLimitKey(c.req.raw) }
      const secret = await createConfirmationLink(c.var, request)
      if (secret)
        await mailLink(
          { email: c.env.EMAIL, ...c.var },
          { to: email.data, secret, purpose: 'link' },
        )
      return c.redirect('/settings/account?notice=link-sent', 303)
    },
  )
  .get(
    '/settings/account/email',
    requireSession(),
    explainBrokenLink('link'),
    validate('query', LinkSecret),
    async (c) => {
      const { secret } = c.req.valid('query')
      const { account, email } = await readConfirmationLink(c.var, secret)
      return page(c, {
        title: 'Confirm your e-mail address',
        account,
        children: <ConfirmEmail email={email} secret={secret} />,
      })
    },
  )
  .post(
    '/settings/account/email/confirm',
    requireSession(),
    explainBrokenLink('link'),
    validate('form', LinkSecret),
    async (c) => {
      const { email, chainIds } = await linkEmail(c.var, c.req.valid('form').secret)
      notifyOwner(c, email, { type: 'email-linked' })
      c.executionCtx.waitUntil(wake(c.env.DELIVERIES, chainIds))
      return c.redirect('/settings/account?notice=email-linked', 303)
    },
  )
  .post('/settings/account/email/unlink', requireSession(), async (c) => {
    notifyOwner(c, await unlink(c.var, 'email'), { type: 'email-unlinked' })
    return c.redirect('/settings/account?notice=email-unlinked', 303)
  })
  .post('/settings/account/wallet/unlink', requireSession(), async (c) => {
    notifyOwner(c, await unlink(c.var, 'ethereumPublicAddr'), { type: 'wallet-unlinked' })
    return c.redirect('/settings/account?notice=wallet-unlinked', 303)
  })

async function accountPage(c: Context<AppWithCaller>, rejected?: RejectedEmail) {
  const account = await readAccount(c.var)
  const canLink = isRecent(account, c.var.now)
  return page(c, {
    title: 'Account',
    account,
    scripts: account.ethereumPublicAddr ? ['dialog.js'] : canLink ? ['wallet.js'] : [],
    status: rejected ? 400 : 200,
    children: <AccountSettings account={account} rejected={rejected} />,
  })
}

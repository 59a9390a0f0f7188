/** Settings → Account: the ways in that a user has. */
import { type Context, Hono } from 'hono'
import * as z from 'zod'
import { chainIdsOf } from '../../env.ts'
import type { App } from '../../http/context.ts'
import { anyone, callers, valid } from '../../http/door.ts'
import { readAccount } from '../../identity/api-tokens.ts'
import { EmailAddress, LinkSecret } from '../../identity/email-link.ts'
import { signInLimit } from '../../identity/limit.ts'
import { linkEmail, offerEmailLink, readEmailLink } from '../../identity/link.ts'
import { mailLink } from '../../identity/mail.ts'
import type { Account } from '../../identity/session.ts'
import { page } from '../page.tsx'
import { type Notice, NoticeName } from '../settings.tsx'
import { ConfirmEmail, Methods } from './views.tsx'

const tag = 'Pages'
const Secret = z.object({ secret: LinkSecret })

type Given = { account: Account; notice?: Notice | undefined; email?: string; problem?: string }

function methods<E extends App>(c: Context<E>, { notice, ...given }: Given) {
  const chainIds = chainIdsOf(c.var.settings)
  return page(c, {
    title: 'Account',
    account: given.account,
    scripts: given.account.ethereumPublicAddr ? [] : ['wallet.js'],
    status: given.problem ? 400 : 200,
    children: <Methods {...given} notice={notice} chainIds={chainIds} />,
  })
}

export const accountPages = new Hono<App>()
  .get('/settings', anyone({ tag, summary: 'Settings', answer: 'redirect' }), (c) =>
    c.redirect('/settings/account', 303),
  )
  .get(
    '/settings/account',
    callers({ tag, summary: 'The ways to sign in to the account', answer: 'page' }),
    valid('query', z.object({ notice: NoticeName })),
    async (c) => {
      const account = await readAccount(c.var.db, c.var.caller)
      return methods(c, { account, notice: c.req.valid('query').notice })
    },
  )
  .post(
    '/settings/account/email',
    callers({
      tag,
      summary: 'Ask for a link that adds an e-mail address to the account',
      answer: 'redirect',
      errors: ['forbidden', 'cross_site', 'conflict', 'rate_limited'],
    }),
    signInLimit,
    valid('form', z.object({ email: z.string().max(1000) })),
    async (c) => {
      const { db, caller, settings, now } = c.var
      const given = c.req.valid('form').email
      const email = EmailAddress.safeParse(given)
      if (!email.success) {
        const account = await readAccount(db, caller)
        return methods(c, { account, email: given, problem: 'This is not an e-mail address.' })
      }
      const secret = await offerEmailLink(db, caller, email.data, now)
      if (secret) await mailLink(c.env.EMAIL, settings, { to: email.data, secret, purpose: 'link' })
      return c.redirect('/settings/account?notice=link-sent', 303)
    },
  )
  .get(
    '/settings/account/email',
    callers({
      tag,
      summary: 'Where a link leads that adds an e-mail address: asks first',
      answer: 'page',
      errors: ['link_expired'],
    }),
    valid('query', Secret),
    async (c) => {
      const { db, caller, now } = c.var
      const { secret } = c.req.valid('query')
      const { account, email } = await readEmailLink(db, caller, secret, now)
      return page(c, {
        title: 'Confirm your e-mail address',
        account,
        children: <ConfirmEmail email={email} secret={secret} />,
      })
    },
  )
  .post(
    '/settings/account/email/confirm',
    callers({
      tag,
      summary: 'Add the e-mail address that the link was mailed to',
      answer: 'redirect',
      errors: ['forbidden', 'cross_site', 'conflict', 'link_expired'],
    }),
    valid('form', Secret),
    async (c) => {
      const { db, caller, now } = c.var
      await linkEmail(db, caller, c.req.valid('form').secret, now)
      return c.redirect('/settings/account?notice=email-linked', 303)
    },
  )

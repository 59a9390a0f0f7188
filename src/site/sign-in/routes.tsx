/** The pages that sign people in and out (contract, Authentication 1 and 4). */
import { type Context, Hono } from 'hono'
import * as z from 'zod'
import { chainIdsOf } from '../../env.ts'
import { addressOf } from '../../http/address.ts'
import type { App } from '../../http/context.ts'
import { anyone, valid } from '../../http/door.ts'
import { ApiError } from '../../http/errors.ts'
import { readAccount } from '../../identity/api-tokens.ts'
import { sameOrigin } from '../../identity/caller.ts'
import {
  EmailAddress,
  emailProof,
  LinkSecret,
  newLink,
  readLink,
} from '../../identity/email-link.ts'
import { signInLimit } from '../../identity/limit.ts'
import { mailLink } from '../../identity/mail.ts'
import { endSession, startSession } from '../../identity/session.ts'
import { signIn } from '../../identity/sign-in.ts'
import { issuerOf } from '../../identity/tokens.ts'
import { page } from '../page.tsx'
import { allowedRedirect } from '../redirect.ts'
import { ConfirmSignIn, LinkSent, SignIn } from './views.tsx'

const HOME = '/settings/api-access'
const tag = 'Pages'

const Redirect = z.object({ redirect: z.string().max(2048).optional() })
const Secret = z.object({ secret: LinkSecret })

function entrance(
  c: Context<App>,
  given: { redirect: string | null; email?: string; problem?: string; signedOut?: boolean },
) {
  const { settings } = c.var
  return page(c, {
    title: 'Sign in',
    account: null,
    scripts: ['wallet.js'],
    status: given.problem ? 400 : 200,
    children: (
      <SignIn {...given} chainIds={chainIdsOf(settings)} host={new URL(settings.PUBLIC_URL).host} />
    ),
  })
}

export const signInPages = new Hono<App>()
  .get('/', anyone({ tag, summary: 'The way in', answer: 'redirect' }), (c) =>
    c.redirect(HOME, 303),
  )
  .get(
    '/sign-in',
    anyone({ tag, summary: 'Sign in; `redirect` says where to go then', answer: 'page' }),
    valid(
      'query',
      Redirect.extend({ notice: z.literal('signed-out').optional().catch(undefined) }),
    ),
    async (c) => {
      const query = c.req.valid('query')
      const redirect = allowedRedirect(c.var.settings, query.redirect)
      if (await isSignedIn(c)) return c.redirect(redirect ?? HOME, 303)
      return entrance(c, { redirect, signedOut: query.notice === 'signed-out' })
    },
  )
  .post(
    '/sign-in/email',
    anyone({ tag, summary: 'Ask for a sign-in link', answer: 'redirect', errors: ['cross_site'] }),
    sameOrigin,
    signInLimit,
    valid('form', Redirect.extend({ email: z.string().max(1000) })),
    async (c) => {
      const { db, settings, now } = c.var
      const form = c.req.valid('form')
      const redirect = allowedRedirect(settings, form.redirect)
      const email = EmailAddress.safeParse(form.email)
      if (!email.success)
        return entrance(c, {
          redirect,
          email: form.email,
          problem: 'This is not an e-mail address.',
        })
      const link = await newLink(db, { email: email.data, userId: null, redirect }, now)
      const stored = await link.statement
      // Whether the address is known makes no difference: a new one will make a new user.
      if (stored.length > 0)
        await mailLink(c.env.EMAIL, settings, {
          to: email.data,
          secret: link.secret,
          purpose: 'sign-in',
        })
      return c.redirect('/sign-in/email/sent', 303)
    },
  )
  .get('/sign-in/email/sent', anyone({ tag, summary: 'What to do next', answer: 'page' }), (c) =>
    page(c, { title: 'Check your mail', account: null, children: <LinkSent /> }),
  )
  .get(
    '/sign-in/email',
    anyone({
      tag,
      summary: 'Where a sign-in link leads: asks before it signs anyone in',
      answer: 'page',
      errors: ['link_expired'],
    }),
    signInLimit,
    valid('query', Secret),
    async (c) => {
      const { secret } = c.req.valid('query')
      const link = await readLink(c.var.db, secret, c.var.now)
      return page(c, {
        title: 'Sign in',
        account: null,
        children: <ConfirmSignIn {...link} secret={secret} />,
      })
    },
  )
  .post(
    '/sign-in/email/confirm',
    anyone({
      tag,
      summary: 'Use a sign-in link up',
      answer: 'redirect',
      errors: ['cross_site', 'link_expired', 'forbidden'],
    }),
    sameOrigin,
    signInLimit,
    valid('form', Secret.extend(Redirect.shape)),
    async (c) => {
      const { db, settings, now } = c.var
      const { secret, redirect } = c.req.valid('form')
      const proof = await emailProof(db, secret, now)
      await startSession(c, await signIn(db, issuerOf(settings), proof, addressOf(c.req.raw), now))
      return c.redirect(allowedRedirect(settings, redirect) ?? HOME, 303)
    },
  )
  .post(
    '/sign-out',
    anyone({ tag, summary: 'Revoke the session', answer: 'redirect', errors: ['cross_site'] }),
    sameOrigin,
    async (c) => {
      await endSession(c)
      return c.redirect('/sign-in?notice=signed-out', 303)
    },
  )

/** Asked of the database: a revoked session would be sent back and forth between two pages. */
async function isSignedIn({ var: { db, caller } }: Context<App>): Promise<boolean> {
  if (!caller) return false
  try {
    await readAccount(db, caller)
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

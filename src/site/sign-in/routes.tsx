/** The sign-in page, sign-in with an e-mail link, and sign-out. */
import { type Context, Hono } from 'hono'
import * as z from 'zod'
import { requireSameOrigin } from '../../auth/authenticate.ts'
import { readAccount, signOut, startSession } from '../../auth/session.ts'
import { issuerOf } from '../../auth/tokens.ts'
import { chainIdsOf } from '../../env.ts'
import { rateLimitKey } from '../../http/client-ip.ts'
import type { App } from '../../http/context.ts'
import { publicEndpoint, requireToken, validate } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { signInRateLimit } from '../../http/rate-limit.ts'
import {
  createSignInLink,
  EmailAddress,
  LinkSecret,
  proveEmail,
  readSignInLink,
} from '../../identity/email-link.ts'
import { mailLink } from '../../identity/mail.ts'
import { signIn } from '../../identity/sign-in.ts'
import { page } from '../page.tsx'
import { clientOf } from './client.ts'
import { allowedRedirect, withoutSecret } from './redirect.ts'
import { ConfirmSignIn, LinkSent, SignIn, SignInAgain } from './views.tsx'

const HOME = '/settings/api-access'

const Redirect = z.object({
  redirect: z
    .string()
    .max(2048)
    .optional()
    .describe('The URL to open after sign-in, on this site or on an allowed one.'),
})

export const signInRoutes = new Hono<App>()
  .get('/', publicEndpoint(), (c) => c.redirect(HOME, 303))
  .get(
    '/sign-in',
    publicEndpoint(),
    validate(
      'query',
      Redirect.extend({ notice: z.literal('signed-out').optional().catch(undefined) }),
    ),
    async (c) => {
      const query = c.req.valid('query')
      const redirect = allowedRedirect(c.var.settings, query.redirect)
      if (await isSignedIn(c)) return c.redirect(redirect ?? HOME, 303)
      return signInPage(c, { redirect, isSignedOut: query.notice === 'signed-out' })
    },
  )
  .get('/sign-in/again', requireToken(), validate('query', Redirect), async (c) => {
    const { db, caller, settings } = c.var
    const account = await readAccount(db, caller)
    const redirect = allowedRedirect(settings, c.req.valid('query').redirect) ?? HOME
    return page(c, {
      title: 'Sign in again',
      account,
      scripts: account.ethereumPublicAddr ? ['wallet.js'] : [],
      children: (
        <SignInAgain account={account} redirect={redirect} chainIds={chainIdsOf(settings)} />
      ),
    })
  })
  .post(
    '/sign-in/email',
    publicEndpoint(),
    requireSameOrigin,
    signInRateLimit,
    validate('form', Redirect.extend({ email: z.string().max(1000) })),
    async (c) => {
      const { db, settings, now } = c.var
      const form = c.req.valid('form')
      const redirect = allowedRedirect(settings, form.redirect)
      const email = EmailAddress.safeParse(form.email)
      if (!email.success)
        return signInPage(c, {
          redirect,
          email: form.email,
          problem: 'This is not an e-mail address.',
        })
      const client = rateLimitKey(c.req.raw)
      const request = { email: email.data, client, redirect: withoutSecret(redirect) }
      const secret = await createSignInLink(db, request, now)
      if (secret)
        await mailLink(c.env.EMAIL, settings, { to: email.data, secret, purpose: 'sign-in' })
      return c.redirect('/sign-in/email/sent', 303)
    },
  )
  .get('/sign-in/email/sent', publicEndpoint(), (c) =>
    page(c, { title: 'Check your mail', account: null, children: <LinkSent /> }),
  )
  .get(
    '/sign-in/email',
    publicEndpoint(),
    signInRateLimit,
    validate('query', LinkSecret),
    async (c) => {
      const { secret } = c.req.valid('query')
      const link = await readSignInLink(c.var.db, secret, c.var.now)
      return page(c, {
        title: 'Sign in',
        account: null,
        children: <ConfirmSignIn {...link} secret={secret} />,
      })
    },
  )
  .post(
    '/sign-in/email/confirm',
    publicEndpoint(),
    requireSameOrigin,
    signInRateLimit,
    validate('form', LinkSecret.extend(Redirect.shape)),
    async (c) => {
      const { db, settings, now } = c.var
      const { secret, redirect } = c.req.valid('form')
      const proof = proveEmail(db, secret, null, now)
      await startSession(c, await signIn(db, issuerOf(settings), proof, clientOf(c), now))
      return c.redirect(allowedRedirect(settings, redirect) ?? HOME, 303)
    },
  )
  .post('/sign-out', publicEndpoint(), requireSameOrigin, async (c) => {
    await signOut(c)
    return c.redirect('/sign-in?notice=signed-out', 303)
  })

function signInPage(
  c: Context<App>,
  state: { redirect: string | null; email?: string; problem?: string; isSignedOut?: boolean },
) {
  const { settings } = c.var
  return page(c, {
    title: 'Sign in',
    account: null,
    scripts: ['wallet.js'],
    status: state.problem ? 400 : 200,
    children: (
      <SignIn {...state} chainIds={chainIdsOf(settings)} host={new URL(settings.PUBLIC_URL).host} />
    ),
  })
}

/** Reads D1: with a revoked session, this page and the settings would redirect to each other. */
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

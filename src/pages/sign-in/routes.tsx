/** The sign-in page, sign-in with an e-mail link, and sign-out. */
import * as z from 'zod'
import { requireSameOrigin } from '../../auth/authenticate.ts'
import { findAccount, isRecent, readAccount, signOut, startSession } from '../../auth/session.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { EmailAddress, inputText } from '../../http/inputs.ts'
import { signInRateLimit } from '../../http/rate-limit.ts'
import { LinkSecret, proveEmail, readSignInLink } from '../../identity/email-link.ts'
import { signIn } from '../../identity/sign-in.ts'
import type { Texts } from '../../texts/en.ts'
import { pathWith } from '../components/text.ts'
import { page, sent, shown } from '../page.tsx'
import { explainBrokenLink } from './broken-link.tsx'
import { describeClient } from './client.ts'
import { deleteLinkAddress, readLinkAddress, storeLinkAddress } from './link-address.ts'
import { allowedRedirect, HOME, withoutSecret } from './redirect.ts'
import { sendSignInLink } from './send-link.ts'
import { signInPage } from './sign-in-page.tsx'
import { isHuman } from './turnstile.ts'
import { ConfirmSignIn, LinkSent, SignInAgain, signInNotices } from './views.tsx'

const Redirect = z.object({
  /** The URL to open after sign-in, on this site or on an allowed one. */
  redirect: inputText(2048).optional(),
})

const SignInQuery = Redirect.extend({ notice: z.enum(signInNotices).optional().catch(undefined) })
const EmailForm = Redirect.extend({
  email: inputText(1000),
  'cf-turnstile-response': inputText(2048).default(''),
})
const SentQuery = Redirect.extend({
  notice: z.enum(['another', 'scarce']).optional().catch(undefined),
})
const ConfirmForm = LinkSecret.extend(Redirect.shape)

const checks = [requireSameOrigin, signInRateLimit]
const middleware = [explainBrokenLink('sign-in')]
const linkPage = { ...shown.public({ query: LinkSecret }), checks: [signInRateLimit], middleware }
const signingOut = { ...sent.public({ form: Redirect }), checks: [requireSameOrigin] }
const confirm = { ...sent.public({ form: ConfirmForm }), checks, middleware }

export const signInRoutes = new Endpoints({ isTranslated: true })
  .get('/sign-in', shown.public({ query: SignInQuery }), async (c, { query }) => {
    const redirect = allowedRedirect(c.var.settings, query.redirect)
    // Reads D1: with a revoked session, this page and the others would redirect to each other.
    if (await findAccount(c.var.db, c.var.caller)) return c.redirect(redirect ?? HOME, 303)
    return signInPage(c, { redirect, notice: query.notice })
  })
  .get('/sign-in/again', shown.session({ query: Redirect }), async (c, { query }) => {
    const { settings, now } = c.var
    const account = await readAccount(c.var)
    const redirect = allowedRedirect(settings, query.redirect) ?? HOME
    if (isRecent(account, now)) return c.redirect(redirect, 303)
    const scripts = account.ethereumPublicAddr ? ['wallet.js'] : []
    const view = <SignInAgain account={account} redirect={redirect} />
    return page(c, { title: ({ signIn }) => signIn.again.title, account, scripts }, view)
  })
  .post('/sign-in/email', { ...sent.public({ form: EmailForm }), checks }, async (c, { form }) => {
    const { settings } = c.var
    const redirect = allowedRedirect(settings, form.redirect)
    const reject = (problem: 'notAnAddress' | 'notHuman') => {
      const problems = { email: ({ signIn }: Texts) => signIn[problem] }
      c.set('rejection', { values: { email: form.email }, problems, status: 400 })
      return signInPage(c, { redirect })
    }
    const email = EmailAddress.safeParse(form.email)
    if (!email.success) return reject('notAnAddress')
    if (!(await isHuman(settings, form['cf-turnstile-response']))) return reject('notHuman')
    const request = { email: email.data, redirect: withoutSecret(redirect) }
    const isScarce = await sendSignInLink(c, request)
    const isAnother = readLinkAddress(c) === email.data
    storeLinkAddress(c, email.data)
    const notice = isScarce ? 'scarce' : isAnother && 'another'
    const shown = { redirect: request.redirect, notice }
    return c.redirect(pathWith('/sign-in/email/sent', shown), 303)
  })
  .get('/sign-in/email/sent', shown.public({ query: SentQuery }), async (c, { query }) => {
    const { redirect, notice } = query
    const account = await findAccount(c.var.db, c.var.caller)
    const asked = { email: readLinkAddress(c), notice }
    const target = allowedRedirect(c.var.settings, redirect)
    const view = <LinkSent {...asked} redirect={target} />
    return page(c, { title: ({ signIn }) => signIn.sent.title, account }, view)
  })
  .get('/sign-in/email', linkPage, async (c, { query: { secret } }) => {
    const [account, link] = await Promise.all([
      findAccount(c.var.db, c.var.caller),
      readSignInLink(c.var, secret),
    ])
    return page(c, { title: signInTitle, account }, <ConfirmSignIn {...link} secret={secret} />)
  })
  .post('/sign-in/email/confirm', confirm, async (c, { form: { secret, redirect } }) => {
    const proof = proveEmail(c.var, { secret, userId: null })
    await startSession(c, await signIn(c.var, { proof, client: describeClient(c) }))
    deleteLinkAddress(c)
    return c.redirect(allowedRedirect(c.var.settings, redirect) ?? HOME, 303)
  })
  .post('/sign-out', signingOut, async (c, { form }) => {
    await signOut(c)
    const redirect = allowedRedirect(c.var.settings, form.redirect)
    return c.redirect(pathWith('/sign-in', { redirect, notice: 'signed-out' }), 303)
  })

const signInTitle = ({ signIn }: Texts) => signIn.title

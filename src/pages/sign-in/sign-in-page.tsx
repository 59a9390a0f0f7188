import type { Context } from 'hono'
import type { Account } from '../../auth/session.ts'
import type { App } from '../../http/context.ts'
import { page } from '../page.tsx'
import { TURNSTILE_SCRIPT } from './turnstile.ts'
import { SignIn } from './views.tsx'

type SignInPage = Parameters<typeof SignIn>[0] & { account?: Account | null }

/** Answers with the sign-in page. `account`: who is signed in already, and is to choose another account. */
export function signInPage(c: Context<App>, { account = null, ...props }: SignInPage) {
  const { TURNSTILE_SITE_KEY } = c.var.settings
  const scripts = TURNSTILE_SITE_KEY ? ['wallet.js', TURNSTILE_SCRIPT] : ['wallet.js']
  return page(c, { title: ({ signIn }) => signIn.title, account, scripts }, <SignIn {...props} />)
}

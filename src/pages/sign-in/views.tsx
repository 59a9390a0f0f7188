import type { Account } from '../../auth/session.ts'
import { LinkButton, Submit } from '../components/button.tsx'
import { EmailField } from '../components/field.tsx'
import { displayName } from '../components/names.ts'
import { pathWith } from '../components/navigation.tsx'
import { Notice } from '../components/notice.tsx'
import { usePage } from '../components/request.ts'
import { Wallets } from '../wallet/views.tsx'
import { HOME } from './redirect.ts'

/** Why the sign-in page is shown. A redirect passes the name in its query. */
export const signInNotices = ['signed-out', 'required', 'not-saved'] as const
export type SignInNotice = (typeof signInNotices)[number]

const noticeTexts: Record<SignInNotice, string> = {
  'signed-out': 'You are signed out.',
  required: 'Sign in to open this page.',
  'not-saved': 'Your session has ended, so nothing was saved. Sign in, then enter it again.',
}

export type SignInProps = {
  /** The absolute URL to open after sign-in; null for `HOME`. */
  redirect: string | null
  notice?: SignInNotice | undefined
}

export const SignIn = ({ redirect, notice }: SignInProps) => (
  <section class="card narrow">
    {notice && (
      <p class={notice === 'not-saved' ? 'notice warn' : 'notice'} role="status">
        {noticeTexts[notice]}
      </p>
    )}
    <h1>Sign in</h1>
    <p class="lead">{destination(redirect)}</p>
    <EmailForm redirect={redirect} submit="Send me a link" isOnItsOwnPage>
      <p class="hint">You need no password. The link signs you in and expires in 15 minutes.</p>
    </EmailForm>
    <p class="or">or with a wallet</p>
    <Wallets purpose="sign-in" redirect={redirect ?? HOME} />
  </section>
)

function destination(redirect: string | null): string {
  const { host } = new URL(usePage().settings.PUBLIC_URL)
  const target = redirect ? new URL(redirect).host : host
  return target === host ? `to your account at ${host}` : `to continue to ${target}`
}

type EmailFormProps = {
  redirect?: string | null
  email?: string | undefined
  submit: string
  /** Whether it is on the sign-in page, which loads the script of Turnstile. */
  isOnItsOwnPage?: boolean
  children?: unknown
}

export const EmailForm = (props: EmailFormProps) => {
  const { redirect, email, submit, isOnItsOwnPage, children } = props
  const turnstileKey = isOnItsOwnPage && usePage().settings.TURNSTILE_SITE_KEY
  return (
    <form method="post" action="/sign-in/email" class="stack">
      {redirect && <input type="hidden" name="redirect" value={redirect} />}
      <EmailField label="E-mail address" value={email} autofocus={isOnItsOwnPage} />
      {turnstileKey && <div class="cf-turnstile" data-sitekey={turnstileKey} />}
      <Submit kind="primary">{submit}</Submit>
      {children}
    </form>
  )
}

/** Asks for one of the account's own ways to sign in, and returns to the page that needs it. */
export const SignInAgain = ({ account, redirect }: { account: Account; redirect: string }) => (
  <section class="card narrow">
    <h1>Sign in again</h1>
    <p class="lead">What you are about to do needs a sign-in of the last 10 minutes.</p>
    {account.email && (
      <form method="post" action="/sign-in/email" class="stack">
        <input type="hidden" name="redirect" value={redirect} />
        <input type="hidden" name="email" value={account.email} />
        <p>
          We send a link to <strong>{account.email}</strong>. Open it in this browser.
        </p>
        <Submit kind="primary">Send me a link</Submit>
      </form>
    )}
    {account.email && account.ethereumPublicAddr && <p class="or">or</p>}
    {account.ethereumPublicAddr && (
      <>
        <p>
          Sign with your wallet <span class="code">{account.ethereumPublicAddr}</span>
        </p>
        <Wallets purpose="sign-in" redirect={redirect} address={account.ethereumPublicAddr} />
      </>
    )}
  </section>
)

type LinkSentProps = {
  /** The address that this browser has asked a link for, if it is known. */
  email: string | undefined
  redirect: string | null
  /** Whether it has asked for this address before. */
  isAnother: boolean
}

/** What to do after a link was mailed, for a visitor or for somebody who signs in again. */
export const LinkSent = ({ email, redirect, isAnother }: LinkSentProps) => {
  const isSignedIn = usePage().account !== null
  return (
    <section class="card narrow">
      {isAnother && <Notice>Another link is on its way.</Notice>}
      <h1>Check your mail</h1>
      <p>
        A link is on its way to {email ? <strong>{email}</strong> : 'your mailbox'}. It works once,
        expires in 15 minutes
        {isSignedIn ? '. Open it in this browser.' : ', and opens on any device.'}
      </p>
      <div class="actions">
        {email && (
          <form method="post" action="/sign-in/email">
            {redirect && <input type="hidden" name="redirect" value={redirect} />}
            <input type="hidden" name="email" value={email} />
            <Submit>Send another link</Submit>
          </form>
        )}
        <LinkButton href={pathWith(isSignedIn ? '/sign-in/again' : '/sign-in', { redirect })}>
          {isSignedIn ? 'Back to sign-in' : 'Use another address'}
        </LinkButton>
      </div>
      <p class="hint">
        No mail? Look in the spam folder. Your last three links work. We send you at most six links
        to a mailbox in 15 minutes.
      </p>
    </section>
  )
}

type ConfirmSignInProps = { email: string; secret: string; redirect: string | null }

/** Opening the link does not sign in, because mail scanners open links too. */
export const ConfirmSignIn = ({ email, secret, redirect }: ConfirmSignInProps) => {
  const { account } = usePage()
  return (
    <section class="card narrow">
      <h1>Sign in</h1>
      <p class="lead">
        as <strong>{email}</strong>
      </p>
      {account && account.email !== email && (
        <p class="notice warn">
          You are signed in as {displayName(account)}. This ends that session in this browser.
        </p>
      )}
      <form method="post" action="/sign-in/email/confirm" class="stack">
        <input type="hidden" name="secret" value={secret} />
        {redirect && <input type="hidden" name="redirect" value={redirect} />}
        <Submit kind="primary">Sign in</Submit>
      </form>
      <p class="hint">
        Not your address, or you did not ask for this? Close this page. Nothing changes.
      </p>
    </section>
  )
}

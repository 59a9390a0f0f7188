import type { Account } from '../../auth/session.ts'

type SignInProps = {
  /** The absolute URL to open after sign-in; null for the settings. */
  redirect: string | null
  /** The rejected input of the form. */
  email?: string
  /** Why it was rejected. */
  problem?: string
  isSignedOut?: boolean
  chainIds: readonly number[]
  host: string
}

export const SignIn = ({ redirect, email, problem, isSignedOut, chainIds, host }: SignInProps) => (
  <section class="card narrow">
    {isSignedOut && (
      <p class="notice" role="status">
        You are signed out.
      </p>
    )}
    <h1>Sign in</h1>
    <p class="lead">{destination(redirect, host)}</p>
    <h2>With a wallet</h2>
    <Wallets purpose="sign-in" redirect={redirect ?? '/settings/api-access'} chainIds={chainIds} />
    <p class="or">or</p>
    <h2>With an e-mail link</h2>
    <form method="post" action="/sign-in/email" class="stack">
      {redirect && <input type="hidden" name="redirect" value={redirect} />}
      <EmailField label="E-mail address" value={email} problem={problem} />
      <button class="button" type="submit">
        Send me a link
      </button>
      <p class="hint">You need no password. The link signs you in and expires in 15 minutes.</p>
    </form>
  </section>
)

function destination(redirect: string | null, host: string): string {
  const target = redirect ? new URL(redirect).host : host
  return target === host ? `to your account at ${host}` : `to continue to ${target}`
}

type SignInAgainProps = { account: Account; redirect: string; chainIds: readonly number[] }

/** Asks for one of the account's own ways to sign in, and returns to the page that needs it. */
export const SignInAgain = ({ account, redirect, chainIds }: SignInAgainProps) => (
  <section class="card narrow">
    <h1>Sign in again</h1>
    <p class="lead">What you are about to do needs a sign-in of the last 10 minutes.</p>
    {account.email && (
      <form method="post" action="/sign-in/email" class="stack">
        <input type="hidden" name="redirect" value={redirect} />
        <input type="hidden" name="email" value={account.email} />
        <p>We send a link to {account.email}. Open it in this browser.</p>
        <button class="button primary" type="submit">
          Send me a link
        </button>
      </form>
    )}
    {account.email && account.ethereumPublicAddr && <p class="or">or</p>}
    {account.ethereumPublicAddr && (
      <>
        <p>
          Sign with your wallet <span class="code">{account.ethereumPublicAddr}</span>
        </p>
        <Wallets
          purpose="sign-in"
          redirect={redirect}
          chainIds={chainIds}
          address={account.ethereumPublicAddr}
        />
      </>
    )}
  </section>
)

type WalletsProps = {
  purpose: 'sign-in' | 'link'
  redirect: string
  chainIds: readonly number[]
  /** The only wallet that is accepted. */
  address?: string
}

/** The script `assets/wallet.js` adds a button for each wallet in the browser. */
export const Wallets = ({ purpose, redirect, chainIds, address }: WalletsProps) => (
  <div
    id="wallets"
    class="stack"
    data-purpose={purpose}
    data-redirect={redirect}
    data-chains={chainIds.join(' ')}
    data-address={address}
  >
    <noscript>
      <p class="hint">Wallets need JavaScript, which is off in this browser.</p>
    </noscript>
    <ul class="wallets" hidden />
    <p class="hint" id="no-wallets" hidden>
      No wallet was found in this browser. Install one, or unlock it, and reload this page.
    </p>
    <p class="status" role="status" />
    <p class="problem" role="alert" />
  </div>
)

type EmailFieldProps = { label: string; value?: string | undefined; problem?: string | undefined }

export const EmailField = ({ label, value, problem }: EmailFieldProps) => (
  <div class="field">
    <label for="email">{label}</label>
    <input
      id="email"
      name="email"
      type="email"
      required
      maxlength={254}
      autocomplete="email"
      spellcheck={false}
      value={value}
      {...(problem && { 'aria-invalid': 'true', 'aria-describedby': 'email-problem' })}
    />
    {problem && (
      <p class="problem" id="email-problem">
        {problem}
      </p>
    )}
  </div>
)

export const LinkSent = () => (
  <section class="card narrow">
    <h1>Check your mail</h1>
    <p>A link is on its way. It works once, expires in 15 minutes, and opens on any device.</p>
    <p class="hint">
      No mail? Look in the spam folder. Your last three links work. We send you at most six links to
      a mailbox in 15 minutes.
    </p>
    <p class="actions">
      <a class="button" href="/sign-in">
        Back to sign-in
      </a>
    </p>
  </section>
)

type ConfirmSignInProps = { email: string; secret: string; redirect: string | null }

/** Opening the link does not sign in, because mail scanners open links too. */
export const ConfirmSignIn = ({ email, secret, redirect }: ConfirmSignInProps) => (
  <section class="card narrow">
    <h1>Sign in</h1>
    <p>
      as <strong>{email}</strong>
    </p>
    <form method="post" action="/sign-in/email/confirm" class="stack">
      <input type="hidden" name="secret" value={secret} />
      {redirect && <input type="hidden" name="redirect" value={redirect} />}
      <button class="button primary" type="submit">
        Sign in
      </button>
    </form>
    <p class="hint">Not your address? Close this page. You will not be signed in.</p>
  </section>
)

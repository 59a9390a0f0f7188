type Entrance = {
  /** Where signing in leads, when the visitor came from somewhere. */
  redirect: string | null
  /** What was typed, and what is wrong with it. */
  email?: string
  problem?: string
  signedOut?: boolean
  chainIds: readonly number[]
  host: string
}

export const SignIn = ({ redirect, email, problem, signedOut, chainIds, host }: Entrance) => (
  <section class="card narrow">
    {signedOut && (
      <p class="notice" role="status">
        You are signed out.
      </p>
    )}
    <h1>Sign in</h1>
    <p class="lead">{goingTo(redirect, host)}</p>
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
      <p class="hint">No password: the link in the mail signs you in. It works for 15 minutes.</p>
    </form>
  </section>
)

function goingTo(redirect: string | null, host: string): string {
  const target = redirect ? new URL(redirect).host : host
  return target === host ? `to your account at ${host}` : `to go on to ${target}`
}

type Wallets = { purpose: 'sign-in' | 'link'; redirect: string; chainIds: readonly number[] }

/** Filled in by `assets/wallet.js`, which finds the browser's wallets. */
export const Wallets = ({ purpose, redirect, chainIds }: Wallets) => (
  <div
    id="wallets"
    class="stack"
    data-purpose={purpose}
    data-redirect={redirect}
    data-chains={chainIds.join(' ')}
  >
    <noscript>
      <p class="hint">A wallet needs JavaScript, which is off in this browser.</p>
    </noscript>
    <ul class="wallets" hidden />
    <p class="hint" id="no-wallets" hidden>
      No wallet was found in this browser. Install one, or unlock it, and reload this page.
    </p>
    <p class="status" role="status" />
    <p class="problem" role="alert" />
  </div>
)

type EmailField = { label: string; value?: string | undefined; problem?: string | undefined }

export const EmailField = ({ label, value, problem }: EmailField) => (
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
    <p>
      If the address takes mail, a link is on its way. It works once, for 15 minutes, and can be
      opened on any device.
    </p>
    <p class="hint">
      Nothing there? Look in the spam folder. For one address we send at most three links in 15
      minutes.
    </p>
    <p class="actions">
      <a class="button" href="/sign-in">
        Back to sign-in
      </a>
    </p>
  </section>
)

type Confirm = { email: string; secret: string; redirect: string | null }

/** Opening the link does nothing yet: programs that scan mails open links too. */
export const ConfirmSignIn = ({ email, secret, redirect }: Confirm) => (
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
    <p class="hint">Not your address? Close this page: nothing happens.</p>
  </section>
)

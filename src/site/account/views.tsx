import type { Account } from '../../identity/session.ts'
import { type Notice, Settings } from '../settings.tsx'
import { EmailField, Wallets } from '../sign-in/views.tsx'

type Methods = {
  account: Account
  notice: Notice | undefined
  chainIds: readonly number[]
  email?: string
  problem?: string
}

/** The ways in that an account has, and those it may still get. */
export const Methods = ({ account, notice, chainIds, email, problem }: Methods) => (
  <Settings section="account" notice={notice}>
    <h2>Account</h2>
    <p>You can sign in with either of these, once it is linked.</p>
    <section class="panel">
      <h3>Wallet</h3>
      {account.ethereumPublicAddr ? (
        <p class="code">{account.ethereumPublicAddr}</p>
      ) : (
        <>
          <p>No wallet is linked. NFTs that you bought wait until there is one to send them to.</p>
          <Wallets
            purpose="link"
            redirect="/settings/account?notice=wallet-linked"
            chainIds={chainIds}
          />
        </>
      )}
    </section>
    <section class="panel">
      <h3>E-mail address</h3>
      {account.email ? (
        <p class="code">{account.email}</p>
      ) : (
        <form method="post" action="/settings/account/email" class="stack">
          <EmailField label="Address to add" value={email} problem={problem} />
          <button class="button" type="submit">
            Send me a link
          </button>
        </form>
      )}
    </section>
    <p class="hint">Your user id is {account.id}.</p>
  </Settings>
)

/** Opening the link does nothing yet: programs that scan mails open links too. */
export const ConfirmEmail = ({ email, secret }: { email: string; secret: string }) => (
  <Settings section="account" notice={undefined}>
    <h2>Confirm your e-mail address</h2>
    <p>
      From now on <strong>{email}</strong> can sign in to this account.
    </p>
    <form method="post" action="/settings/account/email/confirm" class="actions">
      <input type="hidden" name="secret" value={secret} />
      <button class="button primary" type="submit">
        Confirm
      </button>
      <a class="button" href="/settings/account">
        Not now
      </a>
    </form>
  </Settings>
)

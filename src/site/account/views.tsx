import type { Account } from '../../auth/session.ts'
import { type Notice, SettingsPage, SignInAgain } from '../settings.tsx'
import { EmailField, Wallets } from '../sign-in/views.tsx'

type AccountSettingsProps = {
  account: Account
  notice: Notice | undefined
  chainIds: readonly number[]
  /** Whether the user has signed in a short time ago. */
  canChange: boolean
  email?: string
  problem?: string
}

/** The sign-in methods of an account, and forms for the missing ones. */
export const AccountSettings = ({
  account,
  notice,
  chainIds,
  canChange,
  email,
  problem,
}: AccountSettingsProps) => (
  <SettingsPage section="account" notice={notice}>
    <h2>Account</h2>
    <p>You can sign in with a linked wallet or a linked e-mail address.</p>
    <section class="panel">
      <h3>Wallet</h3>
      {account.ethereumPublicAddr ? (
        <>
          <p class="code">{account.ethereumPublicAddr}</p>
          {account.email && <Unlink method="wallet" name="wallet" canChange={canChange} />}
        </>
      ) : (
        <>
          <p>No wallet is linked. NFTs that you bought are sent to you once you link one.</p>
          {canChange ? (
            <Wallets
              purpose="link"
              redirect="/settings/account?notice=wallet-linked"
              chainIds={chainIds}
            />
          ) : (
            <SignInAgain toDo="link a wallet" path="/settings/account" />
          )}
        </>
      )}
    </section>
    <section class="panel">
      <h3>E-mail address</h3>
      {account.email ? (
        <>
          <p class="code">{account.email}</p>
          {account.ethereumPublicAddr && (
            <Unlink method="email" name="e-mail address" canChange={canChange} />
          )}
        </>
      ) : !canChange ? (
        <SignInAgain toDo="add an e-mail address" path="/settings/account" />
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
  </SettingsPage>
)

type UnlinkProps = { method: 'wallet' | 'email'; name: string; canChange: boolean }

/** Asks for confirmation without a script. */
const Unlink = ({ method, name, canChange }: UnlinkProps) =>
  !canChange ? (
    <SignInAgain toDo="unlink it" path="/settings/account" />
  ) : (
    <details class="revoke">
      <summary class="button">
        Unlink<span class="visually-hidden"> the {name}</span>
      </summary>
      <form method="post" action={`/settings/account/${method}/unlink`}>
        <p>You will no longer be able to sign in with this {name}.</p>
        <button class="button danger" type="submit">
          Unlink {name}
        </button>
      </form>
    </details>
  )

/** Opening the link changes nothing, because mail scanners open links too. */
export const ConfirmEmail = ({ email, secret }: { email: string; secret: string }) => (
  <SettingsPage section="account" notice={undefined}>
    <h2>Confirm your e-mail address</h2>
    <p>
      After you confirm, you can sign in to this account with <strong>{email}</strong>.
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
  </SettingsPage>
)

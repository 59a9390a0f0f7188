import type { Account } from '../../auth/session.ts'
import { Confirm } from '../components/confirm.tsx'
import { EmailField } from '../components/field.tsx'
import { type Notice, SettingsPage, SignInAgain } from '../settings.tsx'
import type { WalletNetwork } from '../wallet/networks.ts'
import { Wallets } from '../wallet/views.tsx'

type AccountSettingsProps = {
  account: Account
  notice: Notice | undefined
  networks: readonly WalletNetwork[]
  /** Whether the user has signed in a short time ago. */
  canChange: boolean
  email?: string
  problem?: string
}

/** The sign-in methods of an account, and forms for the missing ones. */
export const AccountSettings = ({
  account,
  notice,
  networks,
  canChange,
  email,
  problem,
}: AccountSettingsProps) => {
  const hasBoth = account.email !== '' && account.ethereumPublicAddr !== ''
  return (
    <SettingsPage section="account" notice={notice}>
      <h2>Account</h2>
      <p class="lead">You can sign in with a linked wallet or a linked e-mail address.</p>
      <ul class="rows" aria-label="Your ways to sign in">
        {account.email && (
          <Linked
            title="E-mail address"
            value={account.email}
            method="email"
            canUnlink={hasBoth && canChange}
          />
        )}
        {account.ethereumPublicAddr && (
          <Linked
            title="Wallet"
            value={account.ethereumPublicAddr}
            method="wallet"
            canUnlink={hasBoth && canChange}
          />
        )}
      </ul>
      {hasBoth && !canChange && (
        <section class="panel">
          <SignInAgain toDo="unlink one of them" path="/settings/account" />
        </section>
      )}
      {!account.ethereumPublicAddr && <LinkWallet canChange={canChange} networks={networks} />}
      {!account.email && <LinkEmail canChange={canChange} email={email} problem={problem} />}
      <p class="hint">Your user id is {account.id}.</p>
    </SettingsPage>
  )
}

type Method = 'wallet' | 'email'
type LinkedProps = { title: string; value: string; method: Method; canUnlink: boolean }

const Linked = ({ title, value, method, canUnlink }: LinkedProps) => (
  <li class="row">
    <div class="row-head">
      <h3>{title}</h3>
    </div>
    <p class={method === 'wallet' ? 'code' : 'lead'}>{value}</p>
    {canUnlink && (
      <div class="actions">
        <Unlink method={method} value={value} />
      </div>
    )}
  </li>
)

const names = { wallet: 'wallet', email: 'e-mail address' }

const Unlink = ({ method, value }: { method: Method; value: string }) => (
  <Confirm
    id={`unlink-${method}`}
    label={
      <>
        Unlink<span class="visually-hidden"> the {names[method]}</span>
      </>
    }
    title={`Unlink this ${names[method]}?`}
    action={`/settings/account/${method}/unlink`}
    submit={`Unlink ${names[method]}`}
  >
    <p class={method === 'wallet' ? 'code' : 'lead'}>{value}</p>
    <p>
      You will no longer be able to sign in to this account with it.
      {method === 'wallet' && ' What you bought and is not sent yet waits for your next wallet.'}
    </p>
  </Confirm>
)

type LinkWalletProps = { canChange: boolean; networks: readonly WalletNetwork[] }

const LinkWallet = ({ canChange, networks }: LinkWalletProps) => (
  <section class="panel">
    <h3>Link a wallet</h3>
    <p>No wallet is linked. NFTs that you bought are sent to you once you link one.</p>
    {canChange ? (
      <Wallets
        purpose="link"
        redirect="/settings/account?notice=wallet-linked"
        networks={networks}
      />
    ) : (
      <SignInAgain toDo="link a wallet" path="/settings/account" />
    )}
  </section>
)

type LinkEmailProps = {
  canChange: boolean
  email: string | undefined
  problem: string | undefined
}

const LinkEmail = ({ canChange, email, problem }: LinkEmailProps) => (
  <section class="panel">
    <h3>Add an e-mail address</h3>
    <p>With one, you can sign in without your wallet, and we tell you what changes here.</p>
    {canChange ? (
      <form method="post" action="/settings/account/email" class="inline-form">
        <EmailField label="Address to add" value={email} problem={problem} />
        <button class="button" type="submit">
          Send me a link
        </button>
      </form>
    ) : (
      <SignInAgain toDo="add an e-mail address" path="/settings/account" />
    )}
  </section>
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

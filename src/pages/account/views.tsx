import type { Account } from '../../auth/session.ts'
import { LinkButton, Submit } from '../components/button.tsx'
import { Confirm } from '../components/confirm.tsx'
import { EmailField } from '../components/field.tsx'
import { useRecentSignIn } from '../components/request.ts'
import { RecentSignIn } from '../settings.tsx'
import { Wallets } from '../wallet/views.tsx'

export const AccountSettings = ({ account }: { account: Account }) => {
  const { id, email, ethereumPublicAddr: wallet } = account
  const canUnlink = useRecentSignIn() && email !== '' && wallet !== ''
  return (
    <>
      <h2>Account</h2>
      <p class="lead">You can sign in with a linked wallet or a linked e-mail address.</p>
      <ul class="rows" aria-label="Your ways to sign in">
        {email && (
          <Linked title="E-mail address" value={email} method="email" canUnlink={canUnlink} />
        )}
        {wallet && <Linked title="Wallet" value={wallet} method="wallet" canUnlink={canUnlink} />}
      </ul>
      {email && wallet && <RecentSignIn toDo="unlink one of them" path="/settings/account" />}
      {!wallet && <LinkWallet />}
      {!email && <LinkEmail />}
      <p class="hint">Your user id is {id}.</p>
    </>
  )
}

const names = { wallet: 'wallet', email: 'e-mail address' }

type LinkedProps = { method: 'wallet' | 'email'; title: string; value: string; canUnlink: boolean }

const Linked = ({ method, title, value, canUnlink }: LinkedProps) => {
  const shown = <p class={method === 'wallet' ? 'code' : 'lead'}>{value}</p>
  return (
    <li class="row">
      <div class="row-head">
        <h3>{title}</h3>
      </div>
      {shown}
      {canUnlink && (
        <div class="actions">
          <Confirm
            id={`unlink-${method}`}
            label="Unlink"
            subject={`the ${names[method]}`}
            title={`Unlink this ${names[method]}?`}
            action={`/settings/account/${method}/unlink`}
            submit={`Unlink ${names[method]}`}
          >
            {shown}
            <p>
              You will no longer be able to sign in to this account with it.
              {method === 'wallet' &&
                ' What you bought and is not sent yet waits for your next wallet.'}
            </p>
          </Confirm>
        </div>
      )}
    </li>
  )
}

const LinkWallet = () => (
  <section class="panel">
    <h3>Link a wallet</h3>
    <p>No wallet is linked. NFTs that you bought are sent to you once you link one.</p>
    <RecentSignIn toDo="link a wallet" path="/settings/account" isInPanel>
      <Wallets purpose="link" redirect="/settings/account?notice=wallet-linked" />
    </RecentSignIn>
  </section>
)

const LinkEmail = () => (
  <section class="panel">
    <h3>Add an e-mail address</h3>
    <p>With one, you can sign in without your wallet, and we tell you what changes here.</p>
    <RecentSignIn toDo="add an e-mail address" path="/settings/account" isInPanel>
      <form method="post" action="/settings/account/email" class="inline-form">
        <EmailField label="Address to add" />
        <Submit>Send me a link</Submit>
      </form>
    </RecentSignIn>
  </section>
)

/** Opening the link changes nothing, because mail scanners open links too. */
export const ConfirmEmail = ({ email, secret }: { email: string; secret: string }) => (
  <>
    <h2>Confirm your e-mail address</h2>
    <p>
      After you confirm, you can sign in to this account with <strong>{email}</strong>.
    </p>
    <form method="post" action="/settings/account/email/confirm" class="actions">
      <input type="hidden" name="secret" value={secret} />
      <Submit kind="primary">Confirm</Submit>
      <LinkButton href="/settings/account">Not now</LinkButton>
    </form>
  </>
)

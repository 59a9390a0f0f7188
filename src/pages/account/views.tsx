import type { Account } from '../../auth/session.ts'
import { Confirm, EmailField, LinkButton, Submit } from '../components/forms.tsx'
import { usePage, useRecentSignIn } from '../components/request.ts'
import { RecentSignIn } from '../settings.tsx'
import { Wallets } from '../wallet/views.tsx'

export const AccountSettings = ({ account }: { account: Account }) => {
  const { id, email, ethereumPublicAddr: wallet } = account
  const texts = usePage().texts
  const canUnlink = useRecentSignIn() && email !== '' && wallet !== ''
  return (
    <>
      <h2>{texts.settings.account}</h2>
      <p class="lead">{texts.account.lead}</p>
      <ul class="rows" aria-label={texts.account.methods}>
        {email && <Linked value={email} method="email" canUnlink={canUnlink} />}
        {wallet && <Linked value={wallet} method="wallet" canUnlink={canUnlink} />}
      </ul>
      {email && wallet && <RecentSignIn toDo={texts.account.toUnlink} path="/settings/account" />}
      {!wallet && <LinkWallet />}
      {!email && <LinkEmail />}
      <p class="hint">{texts.account.userId(id)}</p>
    </>
  )
}

type LinkedProps = { method: 'wallet' | 'email'; value: string; canUnlink: boolean }

const Linked = ({ method, value, canUnlink }: LinkedProps) => {
  const { account } = usePage().texts
  const { title, subject, ask, unlink } = account[method]
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
            label={account.unlink}
            subject={subject}
            title={ask}
            action={`/settings/account/${method}/unlink`}
            submit={unlink}
          >
            {shown}
            <p>
              {account.cannotSignIn} {method === 'wallet' && account.waitsForNext}
            </p>
          </Confirm>
        </div>
      )}
    </li>
  )
}

const LinkWallet = () => {
  const { account } = usePage().texts
  return (
    <section class="panel">
      <h3>{account.linkWallet}</h3>
      <p>{account.noWallet}</p>
      <RecentSignIn toDo={account.toLinkWallet} path="/settings/account" isInPanel>
        <Wallets purpose="link" redirect="/settings/account?notice=wallet-linked" />
      </RecentSignIn>
    </section>
  )
}

const LinkEmail = () => {
  const { account, signIn } = usePage().texts
  return (
    <section class="panel">
      <h3>{account.addEmail}</h3>
      <p>{account.whyEmail}</p>
      <RecentSignIn toDo={account.toAddEmail} path="/settings/account" isInPanel>
        <form method="post" action="/settings/account/email" class="inline-form">
          <EmailField label={account.emailToAdd} />
          <Submit>{signIn.send}</Submit>
        </form>
      </RecentSignIn>
    </section>
  )
}

/** Opening the link changes nothing, because mail scanners open links too. */
export const ConfirmEmail = ({ email, secret }: { email: string; secret: string }) => {
  const { account } = usePage().texts
  return (
    <>
      <h2>{account.confirm}</h2>
      <p>{account.afterConfirm(<strong>{email}</strong>)}</p>
      <form method="post" action="/settings/account/email/confirm" class="actions">
        <input type="hidden" name="secret" value={secret} />
        <Submit kind="primary">{account.confirmNow}</Submit>
        <LinkButton href="/settings/account">{account.notNow}</LinkButton>
      </form>
    </>
  )
}

import type { Account } from '../../auth/session.ts'
import { EmailField, Hidden, LinkButton, Notice, Submit } from '../components/forms.tsx'
import { usePage } from '../components/request.ts'
import { displayName, pathWith } from '../components/text.ts'
import { Wallets } from '../wallet/views.tsx'
import { HOME } from './redirect.ts'

/** Why the sign-in page is shown. A redirect passes the name in its query. */
export const signInNotices = ['signed-out', 'required', 'not-saved'] as const
export type SignInNotice = (typeof signInNotices)[number]
const noticeKinds = { 'signed-out': 'done', required: 'info', 'not-saved': 'warn' } as const

type SignInProps = {
  /** The absolute URL to open after sign-in; null for `HOME`. */
  redirect: string | null
  notice?: SignInNotice | undefined
}

export const SignIn = ({ redirect, notice }: SignInProps) => {
  const { settings, texts } = usePage()
  const { signIn } = texts
  const { host } = new URL(settings.PUBLIC_URL)
  const target = redirect ? new URL(redirect).host : host
  return (
    <section class="card narrow">
      {notice && <Notice kind={noticeKinds[notice]}>{signIn.notices[notice]}</Notice>}
      <h1>{signIn.title}</h1>
      <p class="lead">{target === host ? signIn.toAccount(host) : signIn.toOther(target)}</p>
      <EmailForm redirect={redirect} submit={signIn.send} isOnItsOwnPage>
        <p class="hint">{signIn.hint}</p>
      </EmailForm>
      <p class="or">{signIn.orWallet}</p>
      <Wallets purpose="sign-in" redirect={redirect ?? HOME} />
    </section>
  )
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
  const { settings, texts } = usePage()
  const turnstileKey = isOnItsOwnPage && settings.TURNSTILE_SITE_KEY
  return (
    <form method="post" action="/sign-in/email" class="stack">
      <Hidden values={{ redirect }} />
      <EmailField label={texts.signIn.email} value={email} autofocus={isOnItsOwnPage} />
      {turnstileKey && <div class="cf-turnstile" data-sitekey={turnstileKey} />}
      <Submit kind="primary">{submit}</Submit>
      {children}
    </form>
  )
}

/** Asks for one of the account's own ways to sign in, and returns to the page that needs it. */
export const SignInAgain = ({ account, redirect }: { account: Account; redirect: string }) => {
  const { signIn } = usePage().texts
  const { email, ethereumPublicAddr: wallet } = account
  return (
    <section class="card narrow">
      <h1>{signIn.again.title}</h1>
      <p class="lead">{signIn.again.lead}</p>
      {email && (
        <form method="post" action="/sign-in/email" class="stack">
          <Hidden values={{ redirect, email }} />
          <p>{signIn.again.byEmail(<strong>{email}</strong>)}</p>
          <Submit kind="primary">{signIn.send}</Submit>
        </form>
      )}
      {email && wallet && <p class="or">{signIn.or}</p>}
      {wallet && (
        <>
          <p>{signIn.again.byWallet(<span class="code">{wallet}</span>)}</p>
          <Wallets purpose="sign-in" redirect={redirect} address={wallet} />
        </>
      )}
    </section>
  )
}

type LinkSentProps = {
  /** The address that this browser has asked a link for, if it is known. */
  email: string | undefined
  redirect: string | null
  /** `another`: it has asked for this address before. `scarce`: the mail may not come. */
  notice: 'another' | 'scarce' | undefined
}

/** What to do after a link was mailed, for a visitor or for somebody who signs in again. */
export const LinkSent = ({ email, redirect, notice }: LinkSentProps) => {
  const { account, texts } = usePage()
  const { sent } = texts.signIn
  return (
    <section class="card narrow">
      {notice === 'another' && <Notice kind="info">{sent.another}</Notice>}
      <h1>{sent.title}</h1>
      {notice === 'scarce' ? (
        <p class="notice warn">{sent.scarce}</p>
      ) : (
        <p>
          {sent.to(email ? <strong>{email}</strong> : sent.yourMailbox)}{' '}
          {account ? sent.here : sent.anywhere}
        </p>
      )}
      <div class="actions">
        {email && (
          <form method="post" action="/sign-in/email">
            <Hidden values={{ redirect, email }} />
            <Submit>{sent.sendAnother}</Submit>
          </form>
        )}
        <LinkButton href={pathWith(account ? '/sign-in/again' : '/sign-in', { redirect })}>
          {account ? sent.back : sent.otherAddress}
        </LinkButton>
      </div>
      <p class="hint">{sent.hint}</p>
    </section>
  )
}

type ConfirmSignInProps = { email: string; secret: string; redirect: string | null }

/** Opening the link does not sign in, because mail scanners open links too. */
export const ConfirmSignIn = ({ email, secret, redirect }: ConfirmSignInProps) => {
  const { account, texts } = usePage()
  const { title, confirm } = texts.signIn
  return (
    <section class="card narrow">
      <h1>{title}</h1>
      <p class="lead">{confirm.as(<strong>{email}</strong>)}</p>
      {account && account.email !== email && (
        <p class="notice warn">{confirm.endsOther(displayName(account))}</p>
      )}
      <form method="post" action="/sign-in/email/confirm" class="stack">
        <Hidden values={{ secret, redirect }} />
        <Submit kind="primary">{title}</Submit>
      </form>
      <p class="hint">{confirm.hint}</p>
    </section>
  )
}

/** Settings → Account: the sign-in methods of a user. */
import type { Context } from 'hono'
import * as z from 'zod'
import {
  type Account,
  isRecent,
  readAccount,
  type SignInLimit,
  walletSignIn,
} from '../../auth/session.ts'
import { wake } from '../../delivery/wake.ts'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { EmailAddress, inputText } from '../../http/inputs.ts'
import { rateLimitKey, signInRateLimit } from '../../http/rate-limit.ts'
import { LinkSecret } from '../../identity/email-link.ts'
import {
  createConfirmationLink,
  linkEmail,
  readConfirmationLink,
  unlinkEmail,
  unlinkWallet,
} from '../../identity/link.ts'
import { hashAddress, isOptedOut, mailboxOf, mailLink, optIn, optOut } from '../../mail/mail.ts'
import type { Texts } from '../../texts/en.ts'
import { Confirm, EmailField, Hidden, LinkButton, Submit } from '../components/forms.tsx'
import { Icon } from '../components/icon.tsx'
import { usePage, useRecentSignIn } from '../components/request.ts'
import { notifyOwner } from '../notify-owner.ts'
import { page, sent, shown } from '../page.tsx'
import { readerLocale } from '../reader.ts'
import { linksForFew, RecentSignIn } from '../settings.tsx'
import { explainBrokenLink } from '../sign-in/broken-link.tsx'
import { Wallets } from '../wallet/views.tsx'

const emailForm = {
  ...sent.session({ form: z.object({ email: inputText(1000) }) }),
  checks: [signInRateLimit],
}
const mailsForm = sent.session({ form: z.object({ wanted: z.enum(['yes', 'no']) }) })
const middleware = [explainBrokenLink('link')]
const linkPage = { ...shown.session({ query: LinkSecret }), middleware }
const confirm = { ...sent.session({ form: LinkSecret }), middleware }

/** What the page says after a redirect. */
const notices = ({ account }: Texts) => account.notices

export const accountRoutes = new Endpoints({ isTranslated: true })
  .get('/settings', shown.public({}), (c) => c.redirect('/settings/profile', 303))
  .get('/settings/account', shown.session({}), accountPage)
  .post('/settings/account/email', emailForm, async (c, { form }) => {
    const email = EmailAddress.safeParse(form.email)
    if (!email.success) {
      const problems = { email: ({ signIn }: Texts) => signIn.notAnAddress }
      c.set('rejection', { values: form, problems, status: 400 })
      return accountPage(c)
    }
    const request = { email: email.data, client: rateLimitKey(c.req.raw) }
    const secret = await createConfirmationLink(c.var, request)
    const mails = { email: c.env.EMAIL, ...c.var }
    const locale = readerLocale(c, null)
    if (secret) await mailLink(mails, { to: email.data, secret, purpose: 'link', locale })
    return c.redirect('/settings/account?notice=link-sent', 303)
  })
  .get('/settings/account/email', linkPage, async (c, { query: { secret } }) => {
    const { account, email } = await readConfirmationLink(c.var, secret)
    const view = <ConfirmEmail email={email} secret={secret} />
    const title = ({ account }: Texts) => account.confirm
    return page(c, { title, section: 'account', notices, account }, view)
  })
  .post('/settings/account/email/confirm', confirm, async (c, { form }) => {
    const { owner, chainIds } = await linkEmail(c.var, form.secret)
    notifyOwner(c, owner, { type: 'email-linked' })
    c.executionCtx.waitUntil(wake(c.env.DELIVERIES, chainIds))
    return c.redirect('/settings/account?notice=email-linked', 303)
  })
  .post('/settings/account/mails', mailsForm, async (c, { form: { wanted } }) => {
    const { email } = await readAccount(c.var)
    const hash = hashAddress(mailboxOf(email))
    if (email) await (wanted === 'yes' ? optIn(c.var, hash) : optOut(c.var, hash))
    return c.redirect('/settings/account', 303)
  })
  .post('/settings/account/email/unlink', sent.session({}), async (c) => {
    notifyOwner(c, await unlinkEmail(c.var), { type: 'email-unlinked' })
    return c.redirect('/settings/account?notice=email-unlinked', 303)
  })
  .post('/settings/account/wallet/unlink', sent.session({}), async (c) => {
    notifyOwner(c, await unlinkWallet(c.var), { type: 'wallet-unlinked' })
    return c.redirect('/settings/account?notice=wallet-unlinked', 303)
  })

async function accountPage(c: Context<AppWithCaller>) {
  const account = await readAccount(c.var)
  const getsMails = account.email !== '' && !(await isOptedOut(c.var, account.email))
  const canLink = isRecent(account, c.var.now, walletSignIn(account))
  const linkScripts = canLink ? ['wallet.js'] : []
  const scripts = account.ethereumPublicAddr ? ['dialog.js'] : linkScripts
  const view = <AccountSettings account={account} getsMails={getsMails} />
  const title = ({ settings }: Texts) => settings.account
  return page(c, { title, section: 'account', notices, account, scripts }, view)
}

const AccountSettings = ({ account, getsMails }: { account: Account; getsMails: boolean }) => {
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
      {!wallet && <LinkWallet limit={walletSignIn(account)} />}
      {email ? <OrderMails getsMails={getsMails} /> : <LinkEmail />}
      <section class="panel">
        <h3>{texts.forFew.title}</h3>
        <p>{texts.forFew.lead}</p>
        <p class="actions">
          {linksForFew(texts).map(([path, name, icon]) => (
            <LinkButton href={path} kind="small">
              {icon && <Icon name={icon} />}
              {name}
            </LinkButton>
          ))}
        </p>
      </section>
      <p class="hint">{texts.account.userId(id)}</p>
    </>
  )
}

const OrderMails = ({ getsMails }: { getsMails: boolean }) => {
  const { title, on, off, submit, undo } = usePage().texts.unsubscribe
  return (
    <section class="panel">
      <h3>{title}</h3>
      <p>{getsMails ? on : off}</p>
      <form method="post" action="/settings/account/mails" class="actions">
        <Hidden values={{ wanted: getsMails ? 'no' : 'yes' }} />
        <Submit>{getsMails ? submit : undo}</Submit>
      </form>
    </section>
  )
}

type LinkedProps = { method: 'wallet' | 'email'; value: string; canUnlink: boolean }

const Linked = ({ method, value, canUnlink }: LinkedProps) => {
  const { account, orders, signIn } = usePage().texts
  const { subject, ask, unlink } = account[method]
  const shown = <p class={method === 'wallet' ? 'code' : 'lead'}>{value}</p>
  return (
    <li class="row">
      <div class="row-head">
        <h3>{method === 'wallet' ? orders.wallet : signIn.email}</h3>
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

const LinkWallet = ({ limit }: { limit: SignInLimit }) => {
  const { account } = usePage().texts
  return (
    <section class="panel">
      <h3>{account.linkWallet}</h3>
      <p>{account.noWallet}</p>
      <RecentSignIn toDo={account.toLinkWallet} path="/settings/account" limit={limit} isInPanel>
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
const ConfirmEmail = ({ email, secret }: { email: string; secret: string }) => {
  const { account } = usePage().texts
  return (
    <>
      <h2>{account.confirm}</h2>
      <p>{account.afterConfirm(<strong>{email}</strong>)}</p>
      <form method="post" action="/settings/account/email/confirm" class="actions">
        <Hidden values={{ secret }} />
        <Submit kind="primary">{account.confirmNow}</Submit>
        <LinkButton href="/settings/account">{account.notNow}</LinkButton>
      </form>
    </>
  )
}

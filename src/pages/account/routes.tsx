/** Settings → Account: the sign-in methods of a user. */
import type { Context } from 'hono'
import * as z from 'zod'
import { isRecent, readAccount } from '../../auth/session.ts'
import { wake } from '../../delivery/wake.ts'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { EmailAddress, inputText } from '../../http/inputs.ts'
import { rateLimitKey, signInRateLimit } from '../../http/rate-limit.ts'
import { LinkSecret } from '../../identity/email-link.ts'
import {
  createConfirmationLink,
  linkEmail,
  readConfirmationLink,
  unlink,
} from '../../identity/link.ts'
import { mailLink } from '../../mail/mail.ts'
import type { Texts } from '../../texts/en.ts'
import { textsOf } from '../../texts/texts.ts'
import { rejectField } from '../components/forms.tsx'
import type { Rejection } from '../components/request.ts'
import { notifyOwner } from '../notify-owner.ts'
import { page, sent, shown } from '../page.tsx'
import { readerLocale } from '../reader.ts'
import { explainBrokenLink } from '../sign-in/broken-link.tsx'
import { AccountSettings, ConfirmEmail } from './views.tsx'

const EmailForm = z.object({ email: inputText(1000) })

const PATH = '/settings/account'
const checks = [signInRateLimit]
const middleware = [explainBrokenLink('link')]

export const accountRoutes = new Endpoints()
  .get('/settings', shown.public({}), (c) => c.redirect('/settings/profile', 303))
  .get(PATH, shown.session({}), (c) => accountPage(c))
  .post(`${PATH}/email`, { ...sent.session({ form: EmailForm }), checks }, async (c, { form }) => {
    const email = EmailAddress.safeParse(form.email)
    if (!email.success)
      return accountPage(c, ({ signIn }) => rejectField('email', form.email, signIn.notAnAddress))
    const request = { email: email.data, client: rateLimitKey(c.req.raw) }
    const secret = await createConfirmationLink(c.var, request)
    const mails = { email: c.env.EMAIL, ...c.var }
    const locale = readerLocale(c, null)
    if (secret) await mailLink(mails, { to: email.data, secret, purpose: 'link', locale })
    return c.redirect(`${PATH}?notice=link-sent`, 303)
  })
  .get(
    `${PATH}/email`,
    { ...shown.session({ query: LinkSecret }), middleware },
    async (c, { query: { secret } }) => {
      const { account, email } = await readConfirmationLink(c.var, secret)
      const children = <ConfirmEmail email={email} secret={secret} />
      const title = ({ account }: Texts) => account.confirm
      return page(c, { title, section: 'account', account, children })
    },
  )
  .post(
    `${PATH}/email/confirm`,
    { ...sent.session({ form: LinkSecret }), middleware },
    async (c, { form }) => {
      const { email, chainIds } = await linkEmail(c.var, form.secret)
      notifyOwner(c, email, { type: 'email-linked' })
      c.executionCtx.waitUntil(wake(c.env.DELIVERIES, chainIds))
      return c.redirect(`${PATH}?notice=email-linked`, 303)
    },
  )
  .post(`${PATH}/email/unlink`, sent.session({}), async (c) => {
    notifyOwner(c, await unlink(c.var, 'email'), { type: 'email-unlinked' })
    return c.redirect(`${PATH}?notice=email-unlinked`, 303)
  })
  .post(`${PATH}/wallet/unlink`, sent.session({}), async (c) => {
    notifyOwner(c, await unlink(c.var, 'ethereumPublicAddr'), { type: 'wallet-unlinked' })
    return c.redirect(`${PATH}?notice=wallet-unlinked`, 303)
  })

async function accountPage(
  c: Context<AppWithCaller>,
  reject: (texts: Texts) => Rejection | undefined = () => undefined,
) {
  const account = await readAccount(c.var)
  const canLink = isRecent(account, c.var.now)
  const linkScripts = canLink ? ['wallet.js'] : []
  const scripts = account.ethereumPublicAddr ? ['dialog.js'] : linkScripts
  const children = <AccountSettings account={account} />
  const title = ({ settings }: Texts) => settings.account
  const rejection = reject(textsOf(readerLocale(c, account)))
  return page(c, { title, section: 'account', account, scripts, rejection, children })
}

/**
 * From the claim of an order to a wallet on a phone: the signed-in browser shows a code, the phone that scans it
 * proves its wallet, and the browser confirms the address of that.
 */
import type { Context } from 'hono'
import * as z from 'zod'
import { requireSameOrigin } from '../../auth/authenticate.ts'
import { wake } from '../../delivery/wake.ts'
import type { App } from '../../http/context.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { idText } from '../../http/inputs.ts'
import { signInRateLimit } from '../../http/rate-limit.ts'
import { LinkSecret, linkExpired } from '../../identity/email-link.ts'
import { maskEmail } from '../../identity/mask.ts'
import {
  confirmPhoneWallet,
  createPhoneLink,
  findOwnPhoneLink,
  findPhoneLink,
  storePhoneWallet,
} from '../../identity/phone-link.ts'
import { createWalletMessage } from '../../identity/wallet.ts'
import { WalletAddress } from '../../identity/wallet-address.ts'
import type { Texts } from '../../texts/en.ts'
import { tellOfWallet } from '../claim/tell.ts'
import { pathWith } from '../components/text.ts'
import { page, sent, shown } from '../page.tsx'
import {
  deleteMessageSecret,
  proveWallet,
  SignedWalletMessage,
  storeMessageSecret,
} from '../wallet/signed-message.ts'
import { readPhoneSecret, storePhoneSecret } from './cookie.ts'
import { PhoneCode, PhoneStart, PhoneWallet, waitsForPhone } from './views.tsx'

/** Seconds between two loads of a browser without scripts that waits for the phone. */
const REFRESH = 5

const OrderId = z.object({ id: idText })
const Confirmation = LinkSecret.extend({ wallet: WalletAddress })
const MessageRequest = z.object({ address: WalletAddress, chainId: z.int().positive() })

const checks = [requireSameOrigin, signInRateLimit]
const newCode = { ...sent.session({ param: OrderId }), checks }
const codePage = shown.session({ param: OrderId, query: LinkSecret })
const confirm = { ...sent.session({ param: OrderId, form: Confirmation }), checks }
const start = { ...sent.public({ form: LinkSecret }), checks }
const message = { ...sent.public({ json: MessageRequest }), checks }
const signed = { ...sent.public({ json: SignedWalletMessage }), checks }

const codeTitle = ({ phone }: Texts) => phone.scan
const phoneTitle = ({ phone }: Texts) => phone.title

export const phoneRoutes = new Endpoints({ isTranslated: true })
  .post('/claim/:id/phone', newCode, async (c, { param: { id } }) => {
    const secret = await createPhoneLink(c.var)
    return c.redirect(pathWith(`/claim/${id}/phone`, { secret }), 303)
  })
  .get('/claim/:id/phone', codePage, async (c, { param: { id }, query: { secret } }) => {
    const { account, link } = await findOwnPhoneLink(c.var, secret)
    if (account.ethereumPublicAddr) return c.redirect(`/orders/${id}`, 303)
    const refresh = waitsForPhone(link) ? REFRESH : undefined
    const view = <PhoneCode orderId={id} secret={secret} link={link} />
    return page(c, { title: codeTitle, account, scripts: ['phone.js'], refresh }, view)
  })
  .post('/claim/:id/phone/confirm', confirm, async (c, { param: { id }, form }) => {
    const linked = await confirmPhoneWallet(c.var, form).catch((error) => {
      if (error instanceof ApiError && /^(wallet_taken|link_expired)$/.test(error.code)) return null
      throw error
    })
    // The page of the code says that the wallet has got an account meanwhile, or that the code has ended.
    if (!linked) return c.redirect(pathWith(`/claim/${id}/phone`, { secret: form.secret }), 303)
    const { chainIds, owner } = linked
    await tellOfWallet(c, owner)
    c.executionCtx.waitUntil(wake(c.env.DELIVERIES, chainIds))
    return c.redirect(`/orders/${id}`, 303)
  })
  // Opening the link changes nothing, because apps load links to preview them.
  .get('/phone', shown.public({ query: LinkSecret }), (c, { query: { secret } }) =>
    page(c, { title: phoneTitle, account: null }, <PhoneStart secret={secret} />),
  )
  .post('/phone', start, (c, { form: { secret } }) => {
    storePhoneSecret(c, secret)
    return c.redirect('/phone/wallet', 303)
  })
  .get('/phone/wallet', shown.public({}), async (c) => {
    const secret = readPhoneSecret(c)
    const link = await findPhoneLink(c.var, secret)
    const scripts = waitsForPhone(link) ? ['wallet.js'] : []
    const view = <PhoneWallet secret={secret} link={link} />
    return page(c, { title: phoneTitle, account: null, scripts }, view)
  })
  .post('/phone/message', message, async (c, { json }) => {
    const account = await readLinkedAccount(c)
    const request = { ...json, purpose: 'link', account } as const
    const { message, secret } = await createWalletMessage(c.var, request)
    storeMessageSecret(c, secret)
    return c.json({ message })
  })
  .post('/phone/wallet', signed, async (c, { json }) => {
    const account = await readLinkedAccount(c)
    const proof = await proveWallet(c, json, { purpose: 'link', account })
    await storePhoneWallet(c.var, { secret: readPhoneSecret(c), proof })
    deleteMessageSecret(c)
    return c.json({})
  })

/** Returns the account, as the message of the wallet names it. */
async function readLinkedAccount(c: Context<App>): Promise<string> {
  const link = await findPhoneLink(c.var, readPhoneSecret(c))
  if (!link) throw linkExpired()
  return maskEmail(link.email, '...')
}

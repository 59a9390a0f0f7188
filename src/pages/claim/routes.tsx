/**
 * Where the link of an order leads: its buyer proves the e-mail address, then links a wallet. Who has the link
 * sees what was bought; only the buyer gets it.
 */
import * as z from 'zod'
import { requireSameOrigin } from '../../auth/authenticate.ts'
import {
  isRecent,
  readAccount,
  requireRecent,
  startSession,
  walletSignIn,
} from '../../auth/session.ts'
import { wake } from '../../delivery/wake.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { idText } from '../../http/inputs.ts'
import { signInRateLimit } from '../../http/rate-limit.ts'
import { linkOrJoin } from '../../identity/join.ts'
import { orderNumber } from '../../orders/number.ts'
import type { Texts } from '../../texts/en.ts'
import { pathWith } from '../components/text.ts'
import { page, sent, shown } from '../page.tsx'
import { describeClient } from '../sign-in/client.ts'
import { sendSignInLink } from '../sign-in/send-link.ts'
import { signInPage } from '../sign-in/sign-in-page.tsx'
import { deleteMessageSecret, proveWallet, SignedWalletMessage } from '../wallet/signed-message.ts'
import { readClaim } from './claim.ts'
import { tellOfWallet } from './tell.ts'
import { ClaimPage, claimNotices } from './views.tsx'

const OrderId = z.object({ id: idText })
/** A secret that lacks a part counts as missing. */
const Secret = z.object({
  secret: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional()
    .catch(undefined),
})
const ClaimQuery = Secret.extend({ notice: z.enum(claimNotices).optional().catch(undefined) })

const claimPage = shown.public({ param: OrderId, query: ClaimQuery })
const emailForm = {
  ...sent.public({ param: OrderId, form: Secret }),
  checks: [requireSameOrigin, signInRateLimit],
}
const walletForm = {
  ...sent.session({ param: OrderId, json: SignedWalletMessage }),
  checks: [signInRateLimit],
}

export const claimRoutes = new Endpoints({ isTranslated: true })
  .get('/claim/:id', claimPage, async (c, { param: { id }, query: { secret, notice } }) => {
    const { account, claim } = await readClaim(c.var, { id, secret })
    const { PUBLIC_URL } = c.var.settings
    const redirect = `${PUBLIC_URL}/claim/${id}`
    if (!claim) return signInPage(c, { account, redirect, notice: 'required' })
    const isBuyer = claim.buyerId === account?.id
    if (isBuyer && !claim.waits) return c.redirect(`/orders/${id}`, 303)
    const isReady = isBuyer && isRecent(account, c.var.now, walletSignIn(account))
    const title = ({ claim: texts }: Texts) => texts.title(orderNumber(claim))
    const view = <ClaimPage claim={claim} secret={secret} isReady={isReady} notice={notice} />
    return page(c, { title, account, scripts: isReady ? ['wallet.js'] : [] }, view)
  })
  // The link in the mail leads back without the secret: the buyer needs none.
  .post('/claim/:id/email', emailForm, async (c, { param: { id }, form: { secret } }) => {
    const path = `/claim/${id}`
    const { claim } = await readClaim(c.var, { id, secret })
    if (!claim?.email) return c.redirect(path, 303)
    const redirect = c.var.settings.PUBLIC_URL + path
    const isScarce = await sendSignInLink(c, { email: claim.email, redirect })
    return c.redirect(pathWith(path, { secret, notice: isScarce ? 'scarce' : 'sent' }), 303)
  })
  .post('/claim/:id/wallet', walletForm, async (c, { json }) => {
    const { now } = c.var
    const account = await readAccount(c.var)
    const { email } = account
    requireRecent(account, now, walletSignIn(account))
    const proof = await proveWallet(c, json, { purpose: 'link' })
    const client = describeClient(c)
    const { chainIds, owner, session } = await linkOrJoin(c.var, { proof, email, client })
    await tellOfWallet(c, owner)
    c.executionCtx.waitUntil(wake(c.env.DELIVERIES, chainIds))
    deleteMessageSecret(c)
    if (session) await startSession(c, session)
    return c.json({})
  })

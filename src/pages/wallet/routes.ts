/** Sign-in with a wallet, and linking one to an account. The script `wallet.js` calls them. */
import * as z from 'zod'
import { requireSameOrigin } from '../../auth/authenticate.ts'
import { readAccount, requireRecent, startSession, walletSignIn } from '../../auth/session.ts'
import { wake } from '../../delivery/wake.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { count, id, model, positive, text } from '../../http/fields.ts'
import { signInRateLimit } from '../../http/rate-limit.ts'
import { linkWallet } from '../../identity/link.ts'
import { signIn } from '../../identity/sign-in.ts'
import { createWalletMessage } from '../../identity/wallet.ts'
import { WalletAddress } from '../../identity/wallet-address.ts'
import { describeLimit, mailLimits, peopleLimits } from '../../limits.ts'
import { notifyOwner } from '../notify-owner.ts'
import { describeClient } from '../sign-in/client.ts'
import {
  deleteMessageSecret,
  proveWallet,
  SignedWalletMessage,
  storeMessageSecret,
} from './signed-message.ts'

const MessageRequest = z
  .object({
    address: WalletAddress.describe('The address of the wallet.'),
    chainId: positive(
      'The chain that the wallet is on. A contract wallet is another account on each chain.',
    ),
    purpose: z
      .enum(['sign-in', 'link'])
      .describe('`sign-in`, or `link` to add the wallet to the account of the signed-in user.'),
  })
  .meta({ id: 'WalletMessageRequest', description: 'The wallet, and what the message is for.' })

const WalletMessage = model('WalletMessage', 'The message for the wallet.', () => ({
  message: text('The message to sign.'),
}))
const SignedIn = model('SignedIn', 'The user who signed in.', () => ({
  userId: id('The id of the signed-in user.'),
}))
const LinkedWallet = model('LinkedWallet', 'The wallet is linked.', () => ({
  userId: id('The id of the signed-in user.'),
  transfers: count('How many order items waited for the wallet and are transferred now.'),
}))

export const walletRoutes = new Endpoints({ tag: 'Identity', isTranslated: true })
  .post(
    '/sign-in/wallet/message',
    {
      id: 'requestWalletMessage',
      summary: 'Request a message for a wallet to sign (EIP-4361)',
      description: `It works for ${describeLimit(mailLimits.message)}, in the same browser: the response sets the cookie \`wallet\`, which the next call must send.`,
      access: 'public',
      reads: 'primary',
      checks: [requireSameOrigin, signInRateLimit],
      input: { json: MessageRequest },
      answer: WalletMessage,
    },
    async (c, { json }) => {
      const { message, secret } = await createWalletMessage(c.var, json)
      storeMessageSecret(c, secret)
      return { message }
    },
  )
  .post(
    '/sign-in/wallet',
    {
      id: 'signInWithWallet',
      summary: 'Sign in with a wallet',
      description: 'A new wallet creates a user. The session is the cookie `token`.',
      access: 'public',
      reads: 'primary',
      checks: [requireSameOrigin, signInRateLimit],
      input: { json: SignedWalletMessage },
      answer: SignedIn,
      errors: ['unauthenticated', 'account_closed', 'chain_unavailable'],
    },
    async (c, { json }) => {
      const proof = await proveWallet(c, json, { purpose: 'sign-in' })
      const session = await signIn(c.var, { proof, client: describeClient(c) })
      deleteMessageSecret(c)
      await startSession(c, session)
      return { userId: session.userId }
    },
  )
  .post(
    '/settings/account/wallet',
    {
      id: 'linkWallet',
      summary: 'Link a wallet to the account',
      description: `Starts the transfers that waited for a wallet. The sign-in must not be older than ${describeLimit(peopleLimits.recentSignIn)}; for the first wallet of an account, ${describeLimit(peopleLimits.firstWallet)}.`,
      access: 'session',
      reads: 'nearest',
      checks: [signInRateLimit],
      input: { json: SignedWalletMessage },
      answer: LinkedWallet,
      errors: ['reauthentication_required', 'wallet_taken', 'already_linked', 'chain_unavailable'],
    },
    async (c, { json }) => {
      const { caller, now } = c.var
      // Rejects an API token or an old session before the chain is asked about the signature.
      const account = await readAccount(c.var)
      requireRecent(account, now, walletSignIn(account))
      const proof = await proveWallet(c, json, { purpose: 'link' })
      const { chainIds, owner } = await linkWallet(c.var, proof)
      notifyOwner(c, owner, { type: 'wallet-linked' })
      c.executionCtx.waitUntil(wake(c.env.DELIVERIES, chainIds))
      deleteMessageSecret(c)
      return { userId: caller.userId, transfers: chainIds.length }
    },
  )

/** Sign-in with a wallet, and linking one to an account. The script `wallet.js` calls them. */
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { Hex } from 'viem'
import * as z from 'zod'
import { requireSameOrigin } from '../../auth/authenticate.ts'
import { readAccount, requireRecent, startSession } from '../../auth/session.ts'
import { wake } from '../../delivery/wake.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { count, id, model, positive, text } from '../../http/fields.ts'
import { inputText } from '../../http/inputs.ts'
import { signInRateLimit } from '../../http/rate-limit.ts'
import { linkWallet } from '../../identity/link.ts'
import { signIn } from '../../identity/sign-in.ts'
import { createWalletMessage, verifyWalletMessage } from '../../identity/wallet.ts'
import { WalletAddress } from '../../identity/wallet-address.ts'
import { describeLimit, mailLimits } from '../../limits.ts'
import { SECOND } from '../../time.ts'
import { notifyOwner } from '../notify-owner.ts'
import { describeClient } from '../sign-in/client.ts'

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

/** Characters. Contract wallets have long signatures: several owners, or code (EIP-6492). */
const MAX_SIGNATURE_LENGTH = 32_768

const Signature = inputText(MAX_SIGNATURE_LENGTH)
  .regex(/^0x[\da-fA-F]*$/, 'must be hexadecimal')
  .transform((text): Hex => `0x${text.slice(2)}`)

const SignedMessage = z
  .object({
    message: inputText(2048).describe('The message, exactly as it was received.'),
    signature: Signature.describe('The signature of the wallet, hexadecimal with `0x`.'),
  })
  .meta({ id: 'SignedWalletMessage', description: 'The message and its signature.' })

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

/** Holds the secret whose hash is the nonce of the message. */
const SECRET_COOKIE = 'wallet'
const cookie = { httpOnly: true, secure: true, sameSite: 'Strict', path: '/' } as const

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
      setCookie(c, SECRET_COOKIE, secret, { ...cookie, maxAge: mailLimits.message.max / SECOND })
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
      input: { json: SignedMessage },
      answer: SignedIn,
      errors: ['unauthenticated', 'forbidden', 'chain_unavailable'],
    },
    async (c, { json }) => {
      const secret = getCookie(c, SECRET_COOKIE)
      const signed = { ...json, purpose: 'sign-in', secret } as const
      const proof = await verifyWalletMessage(c.var, signed)
      const session = await signIn(c.var, { proof, client: describeClient(c) })
      deleteCookie(c, SECRET_COOKIE, cookie)
      await startSession(c, session)
      return { userId: session.userId }
    },
  )
  .post(
    '/settings/account/wallet',
    {
      id: 'linkWallet',
      summary: 'Link a wallet to the account',
      description:
        'Starts the transfers that waited for a wallet. The sign-in must not be older than 10 minutes.',
      access: 'session',
      reads: 'nearest',
      checks: [signInRateLimit],
      input: { json: SignedMessage },
      answer: LinkedWallet,
      errors: ['reauthentication_required', 'conflict', 'chain_unavailable'],
    },
    async (c, { json }) => {
      const { caller, now } = c.var
      const secret = getCookie(c, SECRET_COOKIE)
      const signed = { ...json, purpose: 'link', secret } as const
      // Rejects an API token or an old session before the chain is asked about the signature.
      requireRecent(await readAccount(c.var), now)
      const proof = await verifyWalletMessage(c.var, signed)
      const { chainIds, owner } = await linkWallet(c.var, proof)
      notifyOwner(c, owner, { type: 'wallet-linked' })
      c.executionCtx.waitUntil(wake(c.env.DELIVERIES, chainIds))
      deleteCookie(c, SECRET_COOKIE, cookie)
      return { userId: caller.userId, transfers: chainIds.length }
    },
  )

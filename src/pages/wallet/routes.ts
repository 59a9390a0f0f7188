/** Sign-in with a wallet, and linking one to an account. The script `wallet.js` calls them. */
import { type Context, Hono } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { Hex } from 'viem'
import { getAddress } from 'viem/utils'
import * as z from 'zod/mini'
import { requireSameOrigin } from '../../auth/authenticate.ts'
import { readAccount, requireRecent, startSession } from '../../auth/session.ts'
import { issuerOf } from '../../auth/tokens.ts'
import { wake } from '../../delivery/wake.ts'
import type { App } from '../../http/context.ts'
import { publicEndpoint, requireSession, validate } from '../../http/endpoint.ts'
import { signInRateLimit } from '../../http/rate-limit.ts'
import { linkWallet } from '../../identity/link.ts'
import { signIn } from '../../identity/sign-in.ts'
import {
  createWalletMessage,
  MESSAGE_LIFETIME,
  verifyWalletMessage,
} from '../../identity/wallet.ts'
import { clientOf } from '../sign-in/client.ts'
import { tellOwner } from '../tell-owner.ts'

const Address = z.pipe(
  z.string().check(z.regex(/^0x[\da-fA-F]{40}$/, 'must be an address')),
  z.transform((text) => getAddress(text)),
)

const MessageRequest = z
  .object({
    address: Address.check(z.describe('The address of the wallet.')),
    chainId: z
      .int()
      .check(
        z.positive(),
        z.describe(
          'The chain that the wallet is on. A contract wallet is another account on each chain.',
        ),
      ),
    purpose: z
      .enum(['sign-in', 'link'])
      .check(
        z.describe('`sign-in`, or `link` to add the wallet to the account of the signed-in user.'),
      ),
  })
  .check(
    z.meta({
      id: 'WalletMessageRequest',
      description: 'The wallet, and what the message is for.',
    }),
  )

/** Characters. Contract wallets have long signatures: several owners, or code (EIP-6492). */
const MAX_SIGNATURE_LENGTH = 32_768

const Signature = z.pipe(
  z
    .string()
    .check(z.maxLength(MAX_SIGNATURE_LENGTH), z.regex(/^0x[\da-fA-F]*$/, 'must be hexadecimal')),
  z.transform((text): Hex => `0x${text.slice(2)}`),
)

const SignedMessage = z
  .object({
    message: z
      .string()
      .check(z.maxLength(2048), z.describe('The message, exactly as it was received.')),
    signature: Signature.check(z.describe('The signature of the wallet, hexadecimal with `0x`.')),
  })
  .check(z.meta({ id: 'SignedWalletMessage', description: 'The message and its signature.' }))

/** Holds the secret whose hash is the nonce of the message. */
const SECRET_COOKIE = 'wallet'
const cookie = { httpOnly: true, secure: true, sameSite: 'Strict', path: '/' } as const

const messageSecretOf = (c: Context) => getCookie(c, SECRET_COOKIE)

const deleteMessageSecret = (c: Context) => deleteCookie(c, SECRET_COOKIE, cookie)

export const walletRoutes = new Hono<App>()
  .post(
    '/sign-in/wallet/message',
    publicEndpoint(),
    requireSameOrigin,
    signInRateLimit,
    validate('json', MessageRequest),
    async (c) => {
      const { db, settings, now } = c.var
      const request = c.req.valid('json')
      const { message, secret } = await createWalletMessage(db, settings, request, now)
      setCookie(c, SECRET_COOKIE, secret, { ...cookie, maxAge: MESSAGE_LIFETIME / 1000 })
      return c.json({ message })
    },
  )
  .post(
    '/sign-in/wallet',
    publicEndpoint(),
    requireSameOrigin,
    signInRateLimit,
    validate('json', SignedMessage),
    async (c) => {
      const { db, settings, now } = c.var
      const secret = messageSecretOf(c)
      const signed = { ...c.req.valid('json'), purpose: 'sign-in', secret } as const
      const proof = await verifyWalletMessage(db, settings, signed, now)
      const session = await signIn(db, issuerOf(settings), proof, clientOf(c), now)
      deleteMessageSecret(c)
      await startSession(c, session)
      return c.json({ userId: session.userId })
    },
  )
  .post(
    '/settings/account/wallet',
    requireSession(),
    signInRateLimit,
    validate('json', SignedMessage),
    async (c) => {
      const { db, settings, caller, now } = c.var
      const secret = messageSecretOf(c)
      const signed = { ...c.req.valid('json'), purpose: 'link', secret } as const
      // Rejects an API token or an old session before the chain is asked about the signature.
      requireRecent(await readAccount(c.var), now)
      const proof = await verifyWalletMessage(db, settings, signed, now)
      const { chainIds, email } = await linkWallet(db, caller, proof, now)
      tellOwner(c, email, { type: 'wallet-linked' })
      c.executionCtx.waitUntil(wake(c.env.DELIVERIES, chainIds))
      deleteMessageSecret(c)
      return c.json({ userId: caller.userId, transfers: chainIds.length })
    },
  )

/** Sign-in with a wallet, and what linking a wallet shares with it. */
import { type Context, Hono } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { getAddress, isAddress, isHex } from 'viem/utils'
import * as z from 'zod'
import { requireSameOrigin } from '../../auth/authenticate.ts'
import { startSession } from '../../auth/session.ts'
import { issuerOf } from '../../auth/tokens.ts'
import { clientIp } from '../../http/client-ip.ts'
import type { App } from '../../http/context.ts'
import { publicEndpoint, validate } from '../../http/endpoint.ts'
import { signInRateLimit } from '../../http/rate-limit.ts'
import { signIn } from '../../identity/sign-in.ts'
import {
  createWalletMessage,
  MESSAGE_LIFETIME,
  verifyWalletMessage,
} from '../../identity/wallet.ts'

const MessageRequest = z.object({
  address: z
    .string()
    .refine((text) => isAddress(text, { strict: false }), 'must be an address')
    .transform((text) => getAddress(text))
    .describe('The address of the wallet.'),
  chainId: z.int().positive().describe('The chain that the wallet is on.'),
  purpose: z
    .enum(['sign-in', 'link'])
    .describe('`link` adds the wallet to the account of the signed-in user.'),
})

/** Characters. Contract wallets have long signatures: several owners, or code (EIP-6492). */
const MAX_SIGNATURE_LENGTH = 32_768

export const SignedMessage = z.object({
  message: z.string().max(2048).describe('The message, exactly as it was received.'),
  signature: z
    .string()
    .max(MAX_SIGNATURE_LENGTH)
    .refine((text) => isHex(text), 'must be hexadecimal')
    .describe('The signature of the wallet, hexadecimal with `0x`.'),
})

/** Holds the secret whose hash is the nonce of the message. */
const SECRET_COOKIE = 'wallet'
const cookie = { httpOnly: true, secure: true, sameSite: 'Strict', path: '/' } as const

export const messageSecretOf = (c: Context) => getCookie(c, SECRET_COOKIE)

export const deleteMessageSecret = (c: Context) => deleteCookie(c, SECRET_COOKIE, cookie)

export const walletSignInRoutes = new Hono<App>()
  .post(
    '/sign-in/wallet/message',
    publicEndpoint({
      tag: 'Identity',
      summary: 'Request a message for a wallet to sign (EIP-4361)',
      description: 'The message expires in ten minutes and works only in the same browser.',
      answer: () => z.object({ message: z.string().describe('The message to sign.') }),
      errors: ['invalid_input', 'cross_site', 'rate_limited'],
    }),
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
    publicEndpoint({
      tag: 'Identity',
      summary: 'Sign in with a wallet',
      description: 'A new wallet creates a user. The session is the cookie `token`.',
      answer: () => z.object({ userId: z.int().describe('The id of the signed-in user.') }),
      errors: [
        'invalid_input',
        'unauthenticated',
        'forbidden',
        'cross_site',
        'rate_limited',
        'chain_unavailable',
      ],
    }),
    requireSameOrigin,
    signInRateLimit,
    validate('json', SignedMessage),
    async (c) => {
      const { db, settings, now } = c.var
      const secret = messageSecretOf(c)
      const signed = { ...c.req.valid('json'), purpose: 'sign-in', secret } as const
      const proof = await verifyWalletMessage(db, settings, signed, now)
      const session = await signIn(db, issuerOf(settings), proof, clientIp(c.req.raw), now)
      deleteMessageSecret(c)
      await startSession(c, session)
      return c.json({ userId: session.userId })
    },
  )

import { Hono } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { isAddress, isHex } from 'viem/utils'
import * as z from 'zod'
import { addressOf } from '../http/address.ts'
import type { App } from '../http/context.ts'
import { anyone, callers, valid } from '../http/door.ts'
import { announce } from '../transfers/message.ts'
import { readAccount } from './api-tokens.ts'
import { sameOrigin } from './caller.ts'
import { signInLimit } from './limit.ts'
import { linkWallet } from './link.ts'
import { startSession } from './session.ts'
import { signIn } from './sign-in.ts'
import { issuerOf, publicKeys } from './tokens.ts'
import { MESSAGE_LIFE, offerMessage, walletProof } from './wallet.ts'

const JwkSet = () =>
  z.object({
    keys: z.array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        kid: z.string(),
        x: z.string(),
        alg: z.literal('EdDSA'),
        use: z.literal('sig'),
      }),
    ),
  })

const Wallet = z.object({
  address: z
    .string()
    .refine((text) => isAddress(text, { strict: false }), 'must be an address')
    .transform((text) => text as `0x${string}`),
  chainId: z.int().positive(),
  purpose: z.enum(['sign-in', 'link']),
})

/** A contract's signature may be long: several owners', or the contract's own code (EIP-6492). */
const LONGEST_SIGNATURE = 32_768

const SignedMessage = z.object({
  message: z.string().max(2048),
  signature: z
    .string()
    .max(LONGEST_SIGNATURE)
    .refine((text) => isHex(text), 'must be hexadecimal')
    .transform((text) => text as `0x${string}`),
})

/** Holds the secret whose hash is the message's nonce: only this browser can use the message. */
const NONCE_COOKIE = 'wallet'
const nonceCookie = { httpOnly: true, secure: true, sameSite: 'Strict', path: '/' } as const

export const identity = new Hono<App>()
  .get(
    '/.well-known/jwks.json',
    anyone({
      tag: 'Identity',
      summary: 'The keys that verify tokens (RFC 7517)',
      answer: JwkSet,
    }),
    (c) => c.json(publicKeys(issuerOf(c.var.settings))),
  )
  .post(
    '/sign-in/wallet/message',
    anyone({
      tag: 'Identity',
      summary: 'A message for a wallet to sign (EIP-4361), good for ten minutes in this browser',
      answer: () => z.object({ message: z.string() }),
      errors: ['invalid_input', 'cross_site', 'rate_limited'],
    }),
    sameOrigin,
    signInLimit,
    valid('json', Wallet),
    async (c) => {
      const { db, settings, now } = c.var
      const { message, secret } = await offerMessage(db, settings, c.req.valid('json'), now)
      setCookie(c, NONCE_COOKIE, secret, { ...nonceCookie, maxAge: MESSAGE_LIFE / 1000 })
      return c.json({ message })
    },
  )
  .post(
    '/sign-in/wallet',
    anyone({
      tag: 'Identity',
      summary: 'Sign in with the message that the wallet signed',
      description: 'A wallet that is new makes a new user. The session is the cookie `token`.',
      answer: () => z.object({ userId: z.int() }),
      errors: [
        'invalid_input',
        'unauthenticated',
        'forbidden',
        'cross_site',
        'rate_limited',
        'chain_unavailable',
      ],
    }),
    sameOrigin,
    signInLimit,
    valid('json', SignedMessage),
    async (c) => {
      const { db, settings, now } = c.var
      const secret = getCookie(c, NONCE_COOKIE)
      const signed = { ...c.req.valid('json'), purpose: 'sign-in', secret } as const
      const proof = await walletProof(db, settings, signed, now)
      const session = await signIn(db, issuerOf(settings), proof, addressOf(c.req.raw), now)
      deleteCookie(c, NONCE_COOKIE, nonceCookie)
      await startSession(c, session)
      return c.json({ userId: session.userId })
    },
  )
  .post(
    '/settings/account/wallet',
    callers({
      tag: 'Identity',
      summary: 'Link the wallet that signed the message to the signed-in user',
      description: 'Transfers that waited for a wallet start.',
      answer: () => z.object({ userId: z.int() }),
      errors: ['invalid_input', 'forbidden', 'cross_site', 'conflict', 'chain_unavailable'],
    }),
    signInLimit,
    valid('json', SignedMessage),
    async (c) => {
      const { db, settings, caller, now } = c.var
      const secret = getCookie(c, NONCE_COOKIE)
      const signed = { ...c.req.valid('json'), purpose: 'link', secret } as const
      // Before the chain is asked for somebody who may not do this anyway.
      await readAccount(db, caller)
      const proof = await walletProof(db, settings, signed, now)
      const transferIds = await linkWallet(db, caller, proof, now)
      // A message that is lost costs time only: the sweep finds what is due.
      c.executionCtx.waitUntil(
        announce(c.env.TRANSFERS, transferIds).catch((error) =>
          console.error({ event: 'announce_failed', transferIds, error: String(error) }),
        ),
      )
      deleteCookie(c, NONCE_COOKIE, nonceCookie)
      return c.json({ userId: caller.userId })
    },
  )

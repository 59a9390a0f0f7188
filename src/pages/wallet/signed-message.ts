/** A message that a wallet has signed, and the cookie of the browser that has requested it. */
import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { Hex } from 'viem'
import * as z from 'zod'
import type { App } from '../../http/context.ts'
import { inputText } from '../../http/inputs.ts'
import { type Goal, verifyWalletMessage } from '../../identity/wallet.ts'
import { mailLimits } from '../../limits.ts'
import { SECOND } from '../../time.ts'

/** Characters. Contract wallets have long signatures: several owners, or code (EIP-6492). */
const MAX_SIGNATURE_LENGTH = 32_768

const Signature = inputText(MAX_SIGNATURE_LENGTH)
  .regex(/^0x[\da-fA-F]*$/, 'must be hexadecimal')
  .transform((text): Hex => `0x${text.slice(2)}`)

export const SignedWalletMessage = z
  .object({
    message: inputText(2048).describe('The message, exactly as it was received.'),
    signature: Signature.describe('The signature of the wallet, hexadecimal with `0x`.'),
  })
  .meta({ id: 'SignedWalletMessage', description: 'The message and its signature.' })
type SignedWalletMessage = z.output<typeof SignedWalletMessage>

/** Holds the secret whose hash is the nonce of the message. */
const SECRET_COOKIE = 'wallet'
const cookie = { httpOnly: true, secure: true, sameSite: 'Strict', path: '/' } as const

export const storeMessageSecret = (c: Context, secret: string): void =>
  setCookie(c, SECRET_COOKIE, secret, { ...cookie, maxAge: mailLimits.message.max / SECOND })

export const deleteMessageSecret = (c: Context) => deleteCookie(c, SECRET_COOKIE, cookie)

/** Returns the proof of the wallet that has signed a message of this browser. */
export const proveWallet = <E extends App>(
  c: Context<E>,
  signed: SignedWalletMessage,
  goal: Goal,
) => verifyWalletMessage(c.var, { ...signed, ...goal, secret: getCookie(c, SECRET_COOKIE) })

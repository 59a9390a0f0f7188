/** New values of the secrets. */
import { randomBytes } from 'node:crypto'
import { generateX25519Identity } from 'age-encryption'
import { exportJWK, generateKeyPair } from 'jose'
import { generatePrivateKey } from 'viem/accounts'
import type { SigningKey } from '../../../src/env.ts'

/** Returns a new private key for the variable `JWT_KEYS`. */
export async function generateSigningKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const { x, d } = await exportJWK(privateKey)
  if (!x || !d) throw new Error('the key has no private part')
  return { kty: 'OKP', crv: 'Ed25519', kid: crypto.randomUUID(), x, d }
}

const generateKeySet = async () => JSON.stringify({ keys: [await generateSigningKey()] })

/** A new key for the variable `CODE_KEYS`. Its id stands in front of each code, so it is short. */
const generateCodeKeys = async () => {
  const key = { kty: 'oct', kid: randomBytes(4).toString('hex') }
  return JSON.stringify({ keys: [{ ...key, k: randomBytes(32).toString('base64url') }] })
}

export const generators = {
  JWT_KEYS: generateKeySet,
  DELIVERY_KEY_SECRET: async () => randomBytes(32).toString('hex'),
  CODE_KEYS: generateCodeKeys,
  /** One relayer, a new account. */
  TRANSFER_SIGNER_KEYS: async (): Promise<string> => generatePrivateKey(),
  /** A secret key of age. */
  BACKUP_KEY: generateX25519Identity,
}

import { exportJWK, generateKeyPair } from 'jose'
import type { SigningKey } from '../../../src/env.ts'

/** Returns a new private key for the variable `JWT_KEYS`. */
export async function generateSigningKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const { x, d } = await exportJWK(privateKey)
  if (!x || !d) throw new Error('the key has no private part')
  return { kty: 'OKP', crv: 'Ed25519', kid: crypto.randomUUID(), x, d }
}

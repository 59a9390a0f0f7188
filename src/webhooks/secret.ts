/**
 * Secrets of endpoints. A secret is computed from the random id that is stored, so it can be shown
 * again, and a copy of the database signs nothing.
 */
import { bytesToHex, hexToBytes } from 'viem/utils'
import type { Settings } from '../env.ts'
import { hmacSha256 } from './signature.ts'

/** Returns a new `secretId`: 32 random hexadecimal digits. */
export const newSecretId = (): string =>
  bytesToHex(crypto.getRandomValues(new Uint8Array(16))).slice(2)

/** Returns the secret as Standard Webhooks writes it: `whsec_` and 32 bytes in base64. */
export async function secretOf(
  { DELIVERY_KEY_SECRET }: Pick<Settings, 'DELIVERY_KEY_SECRET'>,
  secretId: string,
): Promise<string> {
  const key = hexToBytes(`0x${DELIVERY_KEY_SECRET}`)
  return `whsec_${await hmacSha256(key, `webhook secret:${secretId}`)}`
}

/**
 * Secrets of endpoints. A secret is computed from the random id that is stored, so it can be shown again,
 * and a copy of the database signs nothing.
 */
import { bytesToHex, hexToBytes } from 'viem/utils'
import type { Settings } from '../env.ts'

/** Returns 32 random hexadecimal digits: a new `secretId`, or a challenge. */
export const randomHex = (): string =>
  bytesToHex(crypto.getRandomValues(new Uint8Array(16))).slice(2)

/** Returns the secret as Standard Webhooks writes it: `whsec_` and 32 bytes in base64. */
export async function webhookSecret(
  { DELIVERY_KEY_SECRET }: Pick<Settings, 'DELIVERY_KEY_SECRET'>,
  secretId: string,
): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const bytes = hexToBytes(`0x${DELIVERY_KEY_SECRET}`)
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
  const text = new TextEncoder().encode(`webhook secret:${secretId}`)
  const mac = await crypto.subtle.sign('HMAC', key, text)
  return `whsec_${btoa(String.fromCharCode(...new Uint8Array(mac)))}`
}

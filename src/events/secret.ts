/**
 * Secrets of endpoints, and what they sign. A secret is computed from the random id that is stored, so it can
 * be shown again, and a copy of the database signs nothing.
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
  const key = hexToBytes(`0x${DELIVERY_KEY_SECRET}`)
  return `whsec_${await macOf(key, `webhook secret:${secretId}`)}`
}

/** Returns the signature of a message under a secret (https://www.standardwebhooks.com/). */
export async function webhookSignature(
  secret: string,
  { id, timestamp, body }: { id: string; timestamp: string; body: string },
): Promise<string> {
  const key = Uint8Array.from(atob(secret.slice('whsec_'.length)), (byte) => byte.charCodeAt(0))
  return `v1,${await macOf(key, `${id}.${timestamp}.${body}`)}`
}

/** Returns the HMAC-SHA-256 of a text in base64. */
async function macOf(bytes: Uint8Array, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
  const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(mac)))
}

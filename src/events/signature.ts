/**
 * Secrets of endpoints, and the signatures of Standard Webhooks. A secret is computed from the random
 * id that is stored, so it can be shown again, and a copy of the database signs nothing.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
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
  return `whsec_${await hmacSha256(key, `webhook secret:${secretId}`)}`
}

type Signed = {
  id: string
  /** Of the attempt, in seconds since 1970. */
  timestamp: number
  body: string
}

/** Returns the value of `webhook-signature`: a signature for each secret (`whsec_…`). */
export async function signMessage(secrets: readonly string[], { id, timestamp, body }: Signed) {
  const signatures = await Promise.all(
    secrets.map((secret) => {
      const bytes = atob(secret.replace(/^whsec_/, ''))
      const key = Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))
      return hmacSha256(key, `${id}.${timestamp}.${body}`)
    }),
  )
  return signatures.map((signature) => `v1,${signature}`).join(' ')
}

const algorithm = { name: 'HMAC', hash: 'SHA-256' }

async function hmacSha256(key: Uint8Array, text: string): Promise<string> {
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  const mac = await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(mac)))
}

/**
 * Signatures of Standard Webhooks.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */

const algorithm = { name: 'HMAC', hash: 'SHA-256' }

/** Returns an HMAC-SHA-256 in base64. */
export async function hmacSha256(key: Uint8Array, text: string): Promise<string> {
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  const mac = await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(mac)))
}

type Signed = {
  id: string
  /** Of the attempt, in seconds since 1970. */
  timestamp: number
  body: string
}

/** Returns the value of `webhook-signature`: a signature for each secret (`whsec_…`). */
export async function signatureOf(
  secrets: readonly string[],
  { id, timestamp, body }: Signed,
): Promise<string> {
  const signatures = await Promise.all(
    secrets.map((secret) => {
      const bytes = atob(secret.replace(/^whsec_/, ''))
      const key = Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))
      return hmacSha256(key, `${id}.${timestamp}.${body}`)
    }),
  )
  return signatures.map((signature) => `v1,${signature}`).join(' ')
}

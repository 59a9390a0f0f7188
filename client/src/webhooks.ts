/** Checks messages to a receiver (https://www.standardwebhooks.com/), with Web Crypto only. */
import type { MarketplaceEvent } from './types.ts'

/** Seconds by which the clocks of sender and receiver may differ. */
const TOLERANCE = 300

const reasons = {
  invalid_secret: 'the secret is not `whsec_` and base64, as the marketplace shows it',
  invalid_headers: 'webhook-id, webhook-timestamp or webhook-signature is missing or malformed',
  invalid_body: 'the body is not the text or the bytes of an event, exactly as they arrived',
  wrong_signature: 'no signature fits: the message is forged, or the secret is of another endpoint',
  too_old: 'the message was signed more than 5 minutes ago, or the clock of this machine is fast',
  too_new: 'the message was signed in the future, or the clock of this machine is slow',
} as const

/** A message is not authentic. Answer 400, and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly code: keyof typeof reasons

  constructor(code: keyof typeof reasons) {
    super(reasons[code])
    this.code = code
  }
}

/** `Headers`, or an object as `request.headers` in Node. */
export type WebhookHeaders =
  | { get: (name: string) => string | null }
  | { readonly [name: string]: string | readonly string[] | undefined }

/**
 * Returns the event of a message. Throws `WebhookVerificationError` unless it was signed with the
 * secret, at most 5 minutes ago. Later versions of the API may send further types of events.
 */
export async function verifyWebhook(
  /** The body exactly as it arrived, before anything parses it. */
  body: string | ArrayBuffer | Uint8Array,
  headers: WebhookHeaders,
  /** The secret of the endpoint: `whsec_…`. */
  secret: string,
): Promise<MarketplaceEvent> {
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const signatures = readHeader(headers, 'webhook-signature')
  if (!id || !signatures || !/^\d+$/.test(timestamp))
    throw new WebhookVerificationError('invalid_headers')
  const bytes = toBytes(body)
  const signed = concatenate(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  if (!(await hasSignature(signed, signatures, secret)))
    throw new WebhookVerificationError('wrong_signature')
  const age = Date.now() / 1000 - Number(timestamp)
  if (age > TOLERANCE) throw new WebhookVerificationError('too_old')
  if (age < -TOLERANCE) throw new WebhookVerificationError('too_new')
  return parseEvent(id, bytes)
}

function readHeader(headers: WebhookHeaders, name: string): string {
  if (typeof headers.get === 'function') return headers.get(name) ?? ''
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? []
  // A header that comes several times. Of signatures, one has to fit.
  return [value].flat().join(' ')
}

/** Bytes may be of another JavaScript context, as in tests with Jest: `instanceof` does not see them. */
function toBytes(body: string | ArrayBuffer | Uint8Array): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body)
  throw new WebhookVerificationError('invalid_body')
}

function concatenate(start: Uint8Array, end: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(start.length + end.length)
  whole.set(start)
  whole.set(end, start.length)
  return whole
}

/** While a secret is rotated, a message has two signatures. */
async function hasSignature(signed: Uint8Array<ArrayBuffer>, signatures: string, secret: string) {
  // Without types, it may be a variable that is not set.
  const secretBytes = secret?.startsWith('whsec_') && decodeBase64(secret.slice('whsec_'.length))
  if (!secretBytes) throw new WebhookVerificationError('invalid_secret')
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', secretBytes, algorithm, false, ['verify'])
  const checks = signatures.split(' ').map((signature) => {
    const mac = signature.startsWith('v1,') && decodeBase64(signature.slice('v1,'.length))
    return mac ? crypto.subtle.verify('HMAC', key, mac, signed) : false
  })
  return (await Promise.all(checks)).includes(true)
}

/** Returns undefined for a text that is not base64, or empty. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return text ? Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0)) : undefined
  } catch {
    return undefined
  }
}

function parseEvent(id: string, bytes: Uint8Array): MarketplaceEvent {
  try {
    const event = JSON.parse(new TextDecoder().decode(bytes))
    if (typeof event.type === 'string') return { id, ...event }
  } catch {}
  throw new WebhookVerificationError('invalid_body')
}

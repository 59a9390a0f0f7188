/** Sends a batch of messages, and says what the receiver has answered to each. */
import type { WebhookEndpoint } from '../../db/schema/webhooks.ts'
import type { Settings } from '../../env.ts'
import { parseDestination } from '../../http/destination.ts'
import { ApiError } from '../../http/errors.ts'
import { webhookLimits } from '../../limits.ts'
import { eventName } from '../event.ts'
import { webhookSecret, webhookSignature } from '../secret.ts'
import { type OutgoingMessage, PAUSING_PENALTY } from './batch.ts'

/** A Worker may wait for the headers of six responses, which the endpoints of a call share. */
const CONNECTIONS = 6
/** Milliseconds in which a batch starts messages, so that a change by the owner counts soon. */
const MAX_BATCH_TIME = 2000
/** 410 Gone: the receiver wants no more messages. */
export const GONE = 410

export type Sender = {
  settings: Pick<Settings, 'LOOPBACK_HOSTS' | 'DELIVERY_KEY_SECRET'>
  clock: () => Date
  /** Endpoints that share the connections of a call. */
  endpoints: number
}

type Answer = {
  /** Null if there was no response. */
  status: number | null
  /** Why the attempt failed; null for a success. */
  error: string | null
  /** The header `Retry-After`. */
  retryAfter: string | null
  /** Whether the response to a test is its challenge. */
  isChallenge: boolean
}

/** `duration` in milliseconds. */
export type Attempt = Answer & { message: OutgoingMessage; at: Date; duration: number }

/**
 * Sends messages in their order: the first one alone, and one more at a time for each that is
 * accepted. Stops at a receiver that does not answer, wants no more, or rejects several in a row.
 */
export async function sendBatch(
  sender: Sender,
  endpoint: WebhookEndpoint,
  messages: readonly OutgoingMessage[],
): Promise<Attempt[]> {
  const { clock, endpoints } = sender
  const secrets = await secretsOf(sender, endpoint)
  const lastStart = clock().getTime() + MAX_BATCH_TIME
  const connections = Math.max(1, Math.floor(CONNECTIONS / endpoints))
  const attempts: Attempt[] = []
  const waiting = messages.values()
  let open = 0
  let rejections = endpoint.penalty < PAUSING_PENALTY ? endpoint.penalty : 0
  let hasEnded = false

  async function sendNext(): Promise<void> {
    if (hasEnded || open >= connections || clock().getTime() > lastStart) return
    const { value: message } = waiting.next()
    if (!message) return
    open++
    const attempt = await sendMessage(sender, { endpoint, secrets, message })
    open--
    attempts.push(attempt)
    const { status, error } = attempt
    rejections = error === null ? 0 : rejections + 1
    hasEnded ||= status === null || status === GONE || rejections >= PAUSING_PENALTY
    await Promise.all(error === null ? [sendNext(), sendNext()] : [sendNext()])
  }
  await sendNext()
  return attempts
}

/** The secrets that sign, as `whsec_…`: for some time after a rotation, the one before as well. */
function secretsOf(
  { settings, clock }: Sender,
  { secretId, previousSecretId, previousSecretUntil }: WebhookEndpoint,
): Promise<string[]> {
  const isRotating = (previousSecretUntil ?? '') > clock().toISOString()
  const ids = previousSecretId && isRotating ? [secretId, previousSecretId] : [secretId]
  return Promise.all(ids.map((id) => webhookSecret(settings, id)))
}

type Sending = { endpoint: WebhookEndpoint; secrets: readonly string[]; message: OutgoingMessage }

/** Sends a message, signed with the time of this attempt. Never throws. */
async function sendMessage(
  { settings, clock }: Sender,
  { endpoint, secrets, message }: Sending,
): Promise<Attempt> {
  const at = clock()
  // Of the clock of the machine, as a receiver has one: `npm run dev` can move `Date`.
  const sentAt = new Date(performance.timeOrigin + performance.now())
  const timestamp = String(Math.floor(sentAt.getTime() / 1000))
  const id = eventName(message.id)
  const signed = { id, timestamp, body: message.body }
  const signatures = await Promise.all(secrets.map((secret) => webhookSignature(secret, signed)))
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'marketplace-api (webhooks)',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
  const answer = await post(settings, endpoint.url, { headers, message })
  const isUnverified = endpoint.verifiedAt === null && !answer.isChallenge
  const error = answer.error ?? (isUnverified ? 'it did not answer the challenge' : null)
  return { ...answer, error, message, at, duration: clock().getTime() - at.getTime() }
}

/** Returns the URL of an endpoint, if messages may be sent to it. Throws `invalid_input`. */
export const parseWebhookUrl = (settings: Pick<Settings, 'LOOPBACK_HOSTS'>, url: string): URL =>
  parseDestination(url, {
    field: 'url',
    loopbackHosts: settings.LOOPBACK_HOSTS,
    isHttpsOnly: true,
  })

async function post(
  settings: Sender['settings'],
  url: string,
  {
    headers,
    message: { type, body },
  }: { headers: Record<string, string>; message: OutgoingMessage },
): Promise<Answer> {
  const signal = AbortSignal.timeout(webhookLimits.answer.max)
  try {
    const destination = parseWebhookUrl(settings, url)
    const init = { method: 'POST', redirect: 'manual', signal, headers, body } as const
    const response = await fetch(destination, init)
    const { status } = response
    const error = describeStatus(status)
    const isTest = type === 'webhook.test' && error === null
    const isChallenge = isTest && (await isAnswered(response, JSON.parse(body).data.challenge))
    response.body?.cancel().catch(() => {})
    return { status, error, retryAfter: response.headers.get('retry-after'), isChallenge }
  } catch (error) {
    const reason = describeError(error, signal)
    return { status: null, error: reason, retryAfter: null, isChallenge: false }
  }
}

/** Characters of an answer that are read: a challenge, also as JSON, and little more. */
const MAX_ANSWER = 200

/** Whether a body is the challenge, without the blanks around it, or the same as JSON. */
async function isAnswered({ body }: Response, challenge: string): Promise<boolean> {
  if (!body) return false
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let read = ''
  while (read.length <= MAX_ANSWER) {
    const { value, done } = await reader.read()
    if (done) break
    read += decoder.decode(value, { stream: true })
  }
  reader.releaseLock()
  if (read.trim() === challenge) return true
  const answer = parseJson(read)
  return answer === challenge || Object(answer).challenge === challenge
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Cloudflare answers these instead of a receiver. The local runtime does not tell why it has no connection. */
const tlsFailures: Record<number, string> = {
  525: 'the TLS handshake with it failed',
  526: 'its certificate is not trusted',
}

/** Returns why a status is a failure; null for a success. */
function describeStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null
  const tlsFailure = tlsFailures[status]
  if (tlsFailure) return `${tlsFailure}, so Cloudflare answered ${status}`
  return status >= 300 && status < 400
    ? `it answered ${status}; redirects are not followed`
    : `it answered ${status}`
}

function describeError(error: unknown, { aborted }: AbortSignal): string {
  if (error instanceof ApiError) return error.message
  return aborted
    ? `it did not answer within ${webhookLimits.answer.max / 1000} s`
    : 'the connection failed'
}

/** One attempt to send a message. */
import type { WebhookEvent } from '../../db/schema/webhooks.ts'
import type { Settings } from '../../env.ts'
import { parseDestination } from '../../http/destination.ts'
import { ApiError } from '../../http/errors.ts'
import { eventName } from '../id.ts'
import { signMessage } from '../signature.ts'

/** Milliseconds until the response has to be there. Only the one to a test is read. */
const TIMEOUT = 15_000

/** An event on its way to an endpoint. `body` is JSON. */
type Sent = { id: number; type: WebhookEvent; body: string }

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
export type Outcome = Answer & { at: Date; duration: number }

type SendCtx = { settings: Pick<Settings, 'LOOPBACK_HOSTS'>; clock: () => Date }
/** `secrets` are `whsec_…`: each of them signs. */
type Delivery = { url: string; secrets: readonly string[]; message: Sent }

/** Sends a message, signed with the time of this attempt. Never throws. */
export async function sendMessage(
  { settings, clock }: SendCtx,
  { url, secrets, message }: Delivery,
): Promise<Outcome> {
  const at = clock()
  // Of the clock of the machine, as a receiver has one: `npm run dev` can move `Date`.
  const timestamp = Math.floor((performance.timeOrigin + performance.now()) / 1000)
  const id = eventName(message.id)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'marketplace-api (webhooks)',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': await signMessage(secrets, { id, timestamp, body: message.body }),
  }
  const answer = await post(url, { headers, message, loopbackHosts: settings.LOOPBACK_HOSTS })
  return { ...answer, at, duration: clock().getTime() - at.getTime() }
}

type Content = {
  headers: Record<string, string>
  message: Sent
  loopbackHosts: readonly string[]
}

async function post(
  url: string,
  { headers, message: { type, body }, loopbackHosts }: Content,
): Promise<Answer> {
  const signal = AbortSignal.timeout(TIMEOUT)
  try {
    const destination = parseDestination(url, { field: 'url', loopbackHosts, isHttpsOnly: true })
    const init = { method: 'POST', redirect: 'manual', signal, headers, body } as const
    const response = await fetch(destination, init)
    const { status } = response
    const error = describeStatus(status)
    const isTest = type === 'webhook.test' && error === null
    const isChallenge = isTest && (await isText(response, JSON.parse(body).data.challenge))
    response.body?.cancel().catch(() => {})
    return { status, error, retryAfter: response.headers.get('retry-after'), isChallenge }
  } catch (error) {
    const reason = describeError(error, signal)
    return { status: null, error: reason, retryAfter: null, isChallenge: false }
  }
}

/** Whether a body is this text, without the blanks around it. Reads little more than the text. */
async function isText({ body }: Response, text: string): Promise<boolean> {
  if (!body) return false
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let read = ''
  while (read.length <= text.length + 10) {
    const { value, done } = await reader.read()
    if (done) break
    read += decoder.decode(value, { stream: true })
  }
  reader.releaseLock()
  return read.trim() === text
}

/** Returns why a status is a failure; null for a success. */
function describeStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400
    ? `it answered ${status}; redirects are not followed`
    : `it answered ${status}`
}

function describeError(error: unknown, { aborted }: AbortSignal): string {
  if (error instanceof ApiError) return error.message
  return aborted ? `it did not answer within ${TIMEOUT / 1000} s` : 'the connection failed'
}

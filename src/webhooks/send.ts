/** One attempt to send a message. */
import type { Settings } from '../env.ts'
import { parseDestination } from '../http/destination.ts'
import { ApiError } from '../http/errors.ts'
import { signMessage } from './signature.ts'

/** Milliseconds until the headers of the response have to be there. Its body is never read. */
const TIMEOUT = 15_000

export type Outcome = {
  at: Date
  /** Milliseconds. */
  duration: number
  /** Null if there was no response. */
  status: number | null
  /** Why the attempt failed; null for a success. */
  error: string | null
  /** The header `Retry-After`. */
  retryAfter: string | null
}

type SendCtx = { settings: Pick<Settings, 'LOOPBACK_HOSTS'>; clock: () => Date }
type Delivery = {
  url: string
  /** `whsec_…`: each of them signs. */
  secrets: readonly string[]
  /** `payload` is the body, as JSON. */
  message: { id: string; payload: string }
}

/** Sends a message, signed with the time of this attempt. Never throws. */
export async function sendMessage(
  { settings, clock }: SendCtx,
  { url, secrets, message: { id, payload } }: Delivery,
): Promise<Outcome> {
  const at = clock()
  const timestamp = Math.floor(at.getTime() / 1000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'marketplace-api (webhooks)',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': await signMessage(secrets, { id, timestamp, body: payload }),
  }
  const answer = await post(url, { headers, body: payload, loopbackHosts: settings.LOOPBACK_HOSTS })
  return { ...answer, at, duration: clock().getTime() - at.getTime() }
}

type Content = {
  headers: Record<string, string>
  body: string
  loopbackHosts: readonly string[]
}

async function post(
  url: string,
  { headers, body, loopbackHosts }: Content,
): Promise<Pick<Outcome, 'status' | 'error' | 'retryAfter'>> {
  const signal = AbortSignal.timeout(TIMEOUT)
  try {
    const destination = parseDestination(url, { field: 'url', loopbackHosts, isHttpsOnly: true })
    const init = { method: 'POST', redirect: 'manual', signal, headers, body } as const
    const response = await fetch(destination, init)
    response.body?.cancel().catch(() => {})
    const { status } = response
    return {
      status,
      error: describeStatus(status),
      retryAfter: response.headers.get('retry-after'),
    }
  } catch (error) {
    return { status: null, error: describeError(error, signal), retryAfter: null }
  }
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

/** One attempt to send a message. */
import { parseDestination } from '../http/destination.ts'
import { ApiError } from '../http/errors.ts'
import type { Message } from './claim.ts'
import { signatureOf } from './signature.ts'

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

/** Sends a message, signed with the time of this attempt. Never throws. */
export async function send(
  url: string,
  secrets: readonly string[],
  { id, payload }: Message,
  loopbackHosts: readonly string[],
  clock: () => Date,
): Promise<Outcome> {
  const at = clock()
  const timestamp = Math.floor(at.getTime() / 1000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'marketplace-api (webhooks)',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': await signatureOf(secrets, { id, timestamp, body: payload }),
  }
  const answer = await post(url, headers, payload, loopbackHosts)
  return { ...answer, at, duration: clock().getTime() - at.getTime() }
}

async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  loopbackHosts: readonly string[],
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
      error: explainInvalidToken(status),
      retryAfter: response.headers.get('retry-after'),
    }
  } catch (error) {
    return { status: null, error: reasonOf(error, signal), retryAfter: null }
  }
}

function explainInvalidToken(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400
    ? `it answered ${status}; redirects are not followed`
    : `it answered ${status}`
}

function reasonOf(error: unknown, { aborted }: AbortSignal): string {
  if (error instanceof ApiError) return error.message
  return aborted ? `it did not answer within ${TIMEOUT / 1000} s` : 'the connection failed'
}

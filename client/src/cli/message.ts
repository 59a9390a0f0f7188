/** Messages to receivers of webhooks, as an instance sends them. */
import { createHmac, randomBytes } from 'node:crypto'
import { causeOf } from '../errors.ts'
import type { Answer } from '../types.ts'
import { UsageError } from './command.ts'

/** Milliseconds until the answer of a receiver has to be there. */
const TIMEOUT = 15_000

export type LoggedEvent = Answer<'listEvents'>['events'][number]

/** `body` is JSON; `id` is the `webhook-id`. */
export type Message = { id: string; body: string }

/** Returns the message of an event of the log. The bytes of its body are those that an instance sends. */
export function toMessage({ id, type, timestamp, data }: LoggedEvent): Message {
  return { id, body: JSON.stringify({ type, timestamp, data }) }
}

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** Parses the value of `--secret`. Throws a `UsageError`. */
export function parseSecret(secret: string | undefined): string | undefined {
  if (secret === undefined || /^whsec_[\w+/]{4,}=*$/.test(secret)) return secret
  throw new UsageError('--secret must be as in whsec_….')
}

/** Returns the headers of a message that is sent at a time, signed as Standard Webhooks says. */
export function signedHeaders(
  { id, body }: Message,
  secret: string,
  at: Date = new Date(),
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'user-agent': 'marketplace-api (webhooks)',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}

export type Reply = {
  /** Null if there was no answer. */
  status: number | null
  /** Why the message is not accepted; null if it is. */
  error: string | null
  text: string
}

/** Posts a message to a receiver. Throws only if `signal` has ended it. */
export async function post(
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string },
  signal?: AbortSignal,
): Promise<Reply> {
  const timeout = AbortSignal.timeout(TIMEOUT)
  try {
    const response = await fetch(url, {
      ...{ method: 'POST', redirect: 'manual', headers, body },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    const text = await response.text()
    return { status: response.status, error: response.ok ? null : `${response.status}`, text }
  } catch (error) {
    signal?.throwIfAborted()
    const reason = timeout.aborted ? `no answer within ${TIMEOUT / 1000} s` : causeOf(error)
    return { status: null, error: reason, text: '' }
  }
}

/** Sends the messages of a batch in their order. */
import type { Settings } from '../../env.ts'
import { webhookSecret } from '../signature.ts'
import { type Attempt, GONE, MAX_FAILURES } from './judge.ts'
import type { Leased } from './lease.ts'
import type { Message } from './message.ts'
import { sendMessage } from './send.ts'

/** A Worker may wait for the headers of six responses, which the endpoints of a call share. */
const CONNECTIONS = 6

/** Milliseconds in which a batch starts messages, so that a change by the owner counts soon. */
const MAX_BATCH = 2000

export type SendCtx = {
  settings: Pick<Settings, 'LOOPBACK_HOSTS' | 'DELIVERY_KEY_SECRET'>
  clock: () => Date
  /** Endpoints that share the connections of a call. */
  endpoints: number
  /** Whether only the first message is sent. */
  isSingle?: boolean
}

/**
 * Sends messages: the first one alone, and one more at a time for each that is accepted. Stops at a
 * receiver that does not answer or rejects several in a row.
 */
export async function sendBatch(
  ctx: SendCtx,
  endpoint: Leased,
  messages: readonly Message[],
): Promise<Attempt[]> {
  const { clock, endpoints, isSingle } = ctx
  const { url, verifiedAt } = endpoint
  const secrets = await secretsOf(ctx, endpoint)
  const lastStart = clock().getTime() + MAX_BATCH
  const connections = Math.max(1, Math.floor(CONNECTIONS / endpoints))
  const attempts: Attempt[] = []
  const waiting = (isSingle ? messages.slice(0, 1) : messages).values()
  let open = 0
  let failures = 0

  async function sendNext(): Promise<void> {
    if (open >= connections || failures >= MAX_FAILURES || clock().getTime() > lastStart) return
    const { value: message } = waiting.next()
    if (!message) return
    open++
    const outcome = await sendMessage(ctx, { url, secrets, message })
    open--
    const error =
      outcome.error ??
      (verifiedAt || outcome.isChallenge ? null : 'it did not answer the challenge')
    attempts.push({ ...outcome, error, message })
    const isEnd = outcome.status === null || outcome.status === GONE
    failures = error === null ? 0 : failures + (isEnd ? MAX_FAILURES : 1)
    await Promise.all(error === null ? [sendNext(), sendNext()] : [sendNext()])
  }
  await sendNext()
  return attempts
}

/** The secrets that sign: for some time after a rotation, the one before as well. */
function secretsOf(
  { settings, clock }: SendCtx,
  { secretId, previousSecretId, previousSecretUntil }: Leased,
): Promise<string[]> {
  const isRotating = (previousSecretUntil ?? '') > clock().toISOString()
  const ids = previousSecretId && isRotating ? [secretId, previousSecretId] : [secretId]
  return Promise.all(ids.map((id) => webhookSecret(settings, id)))
}

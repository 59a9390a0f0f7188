/**
 * JSON-RPC 2.0 in batches, within the limits of a node. Answers are matched by id. What the node
 * said (a result or an error of its own) is kept apart from having received nothing (a fault).
 */
import * as z from 'zod'
import type { Replies, Reply, RpcRequest } from '../ethereum/requests.ts'
import { isRevert, loggedMessage } from '../ethereum/revert.ts'
import { MINUTE, SECOND } from '../time.ts'

/** Sends requests to one node, equal ones once. Never throws, and answers within `MAX_DURATION`. */
export type Rpc = (requests: readonly RpcRequest[]) => Promise<Replies>

/** `timeout`: milliseconds that a node has to answer. */
export type Limits = { callsPerBatch: number; callsPerSecond: number; timeout?: number | undefined }

const TIMEOUT = 10 * SECOND
/** HTTP requests that one call sends at a time. */
const MAX_REQUESTS = 5
/** Milliseconds to wait after a refusal without `Retry-After`. Doubles with each. */
const FIRST_DELAY = 250
const MAX_DELAY = 10 * SECOND
/**
 * Milliseconds for all batches, waits and repetitions of a question: half of a lease, which its caller renews
 * before the next one.
 */
const MAX_DURATION = MINUTE / 2
/** The most milliseconds that a node may ask to wait. */
const MAX_RETRY_AFTER = MINUTE
/** Bytes of an answer that is read alone. A receipt that a token has filled with events has 20 MB. */
const MAX_BYTES = 32 * 1024 * 1024
/** Commas in an answer. Each value that it holds takes memory, however short it is. */
const MAX_COMMAS = 600_000
const COMMA = 44

/** What is known of a node, for the life of the isolate. Times in milliseconds since 1970. */
type Pace = {
  /** Requests of the last second. */
  sent: { time: number; calls: number }[]
  /** Refusals since the last answer. */
  refusals: number
  refusedAt: number
  /** No request starts before this. */
  blockedUntil: number
}

const paces = new Map<string, Pace>()
let sent = 0

export const callsSent = (): number => sent

export function nodeAt(url: string, limits: Limits): Rpc {
  const pace = paces.get(url) ?? { sent: [], refusals: 0, refusedAt: 0, blockedUntil: 0 }
  paces.set(url, pace)
  const batchSize = Math.max(1, Math.floor(Math.min(limits.callsPerBatch, limits.callsPerSecond)))
  return async (requests) => {
    const queue = [...new Set(requests.map((request) => JSON.stringify(request)))]
    const replies = new Map<string, Reply>()
    const tooLarge: string[] = []
    const endsAt = Date.now() + MAX_DURATION
    const work = async (batchSize: number, maxBytes: number) => {
      while (queue.length > 0) {
        const calls = queue.splice(0, batchSize)
        const startedAt = await waitForRoom(pace, calls.length, limits, endsAt)
        if (startedAt === null) {
          for (const key of calls) replies.set(key, { fault: 'the node limits calls' })
          continue
        }
        sent += calls.length
        const timeout = Math.min(limits.timeout ?? TIMEOUT, endsAt - startedAt)
        const { answers, retryAfter, cut } = await post(url, calls, timeout, maxBytes)
        if (cut === 'too_large') tooLarge.push(...calls)
        // Each further batch could take as long, and the caller has to renew its lease.
        else if (cut === 'late')
          for (const key of queue.splice(0)) replies.set(key, answers[0] ?? { fault: 'not asked' })
        for (const [i, key] of calls.entries()) {
          const reply = answers[i]
          if (reply) replies.set(key, reply)
        }
        const refused = calls.filter((key) => !replies.has(key))
        queue.unshift(...refused)
        if (refused.length === 0) pace.refusals = 0
        // Of requests that were under way together, the first refusal counts.
        else if (startedAt > pace.refusedAt) {
          const delay = Math.min(MAX_DELAY, FIRST_DELAY * 2 ** pace.refusals)
          pace.refusals++
          pace.refusedAt = Date.now()
          pace.blockedUntil = pace.refusedAt + (retryAfter || delay)
        }
      }
    }
    const share = MAX_BYTES / MAX_REQUESTS
    await Promise.all(Array.from({ length: MAX_REQUESTS }, () => work(batchSize, share)))
    // One call at a time may have a larger answer. A node that sends too much again is not asked on.
    for (const key of tooLarge.splice(0)) {
      if (tooLarge.length > 0) break
      queue.push(key)
      await work(1, MAX_BYTES)
    }
    return (request) => replies.get(JSON.stringify(request)) ?? { fault: 'not asked' }
  }
}

/**
 * Waits until the node may be asked that many calls. Returns the time; null, at once, if that is not before
 * `endsAt`.
 */
async function waitForRoom(
  pace: Pace,
  calls: number,
  limits: Limits,
  endsAt: number,
): Promise<number | null> {
  for (;;) {
    const now = Date.now()
    const startAt = Math.max(pace.blockedUntil, findRoom(pace, calls, limits))
    if (Math.max(startAt, now) >= endsAt) return null
    if (startAt <= now) {
      pace.sent = [...pace.sent.filter(({ time }) => time > now - SECOND), { time: now, calls }]
      return now
    }
    await new Promise((resolve) => setTimeout(resolve, startAt - now))
  }
}

/** Returns when that many more calls can start, so that no second has more than `callsPerSecond`. */
function findRoom({ sent }: Pace, calls: number, { callsPerSecond }: Limits): number {
  let room = Math.max(callsPerSecond, 1) - calls
  for (const earlier of sent.toReversed()) {
    room -= earlier.calls
    if (room < 0) return earlier.time + SECOND
  }
  return 0
}

type Posted = {
  /** By the position of the call, without those that the node refused for its limits. */
  answers: (Reply | undefined)[]
  retryAfter: number
  /** Why the answer was not read to its end. */
  cut?: 'late' | 'too_large'
}

class TooLarge extends Error {}

async function post(
  url: string,
  calls: readonly string[],
  timeout: number,
  maxBytes: number,
): Promise<Posted> {
  const body = calls.map((text, id) => `{"jsonrpc":"2.0","id":${id},${text.slice(1)}`).join(',')
  const all = (fault: string): Posted => ({ answers: calls.map(() => ({ fault })), retryAfter: 0 })
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      // Not every node takes batches.
      body: calls.length === 1 ? body : `[${body}]`,
      signal: AbortSignal.timeout(timeout),
    })
    const { status, headers } = response
    if (!response.ok) {
      await response.body?.cancel()
      if (status === 429) return { answers: [], retryAfter: parseRetryAfter(headers) }
      return all(`the node answered with HTTP ${status}`)
    }
    const json: unknown = JSON.parse(await readText(response, maxBytes))
    return { answers: match([json].flat(), calls.length), retryAfter: 0 }
  } catch (error) {
    if (error instanceof TooLarge)
      return { ...all('the answer of the node is too large'), cut: 'too_large' }
    // Not the error's own text: it may hold the URL, and the URL a key.
    if (error instanceof Error && error.name === 'TimeoutError')
      return { ...all('the node did not answer in time'), cut: 'late' }
    return all('the node cannot be reached')
  }
}

/** Returns the body as text. Throws `TooLarge`. */
async function readText({ body }: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  let commas = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    for (const byte of chunk) if (byte === COMMA) commas++
    if (size > maxBytes || commas > MAX_COMMAS) throw new TooLarge()
    chunks.push(chunk)
  }
  return new Blob(chunks).text()
}

/** Returns the time to wait, in milliseconds, from seconds or a date (RFC 9110, 10.2.3). */
function parseRetryAfter(headers: Headers): number {
  const text = headers.get('retry-after') ?? ''
  const wait = Number(text) * 1000 || Date.parse(text) - Date.now() || 0
  return Math.min(MAX_RETRY_AFTER, Math.max(0, wait))
}

const answerSchema = z.object({
  id: z.number().nullable(),
  result: z.unknown().optional(),
  error: z
    .object({ code: z.number(), message: z.string(), data: z.unknown().optional() })
    .nullish(),
})

function match(list: readonly unknown[], calls: number): (Reply | undefined)[] {
  const replies = new Map<number | null, Reply>()
  for (const item of list.slice(0, calls)) {
    const { data } = answerSchema.safeParse(item)
    if (data?.error) replies.set(data.id, { error: data.error })
    else if (data && 'result' in data) replies.set(data.id, { result: data.result })
  }
  // A node that refuses a batch may answer one of its calls, or none by its id.
  const isLimited = [...replies.values()].some(isLimit)
  const whole = replies.get(null)
  const fault =
    whole && 'error' in whole
      ? `the node answered to a batch: ${loggedMessage(whole.error.message)}`
      : 'the node gave no answer'
  return Array.from({ length: calls }, (_, i) => {
    const reply = replies.get(i)
    if (reply) return isLimit(reply) ? undefined : reply
    return isLimited ? undefined : { fault }
  })
}

/**
 * Whether the node refused a call for its limits: EIP-1474 "limit exceeded", and how providers say
 * it in words. What a contract says when it reverts is not about the node.
 */
const isLimit = (reply: Reply): boolean =>
  'error' in reply &&
  (reply.error.code === -32005 ||
    reply.error.code === 429 ||
    (!isRevert(reply.error) && isLimitText.test(reply.error.message)))

const isLimitText = /rate limit|too many requests|compute units|response too large/i

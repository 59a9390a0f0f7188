/**
 * JSON-RPC 2.0 in batches, within the limits of a node. Answers are matched by id. What the node
 * said (a result or an error of its own) is kept apart from having received nothing (a fault).
 */
import * as z from 'zod'
import { getPace, type Limits, maxBatchSize, slowDown, speedUp, takeTurn } from './pace.ts'
import { isRevert } from './revert.ts'

export type RpcRequest = { method: string; params: readonly unknown[] }
type NodeError = { code: number; message: string; data?: unknown }
export type Reply = { result: unknown } | { error: NodeError } | { fault: string }
/** Returns the reply to a request that was sent. */
export type Replies = (request: RpcRequest) => Reply
/** Sends requests to one node, equal ones once. Never throws. */
export type Rpc = (requests: readonly RpcRequest[]) => Promise<Replies>

/** Milliseconds that a node has to answer. */
const TIMEOUT = 10_000
/** HTTP requests that one call sends at a time. */
const MAX_REQUESTS = 5
/** Milliseconds without an answer after which calls that the node refuses are given up. */
const PATIENCE = 20_000
/** The most milliseconds that a node may ask to wait. */
const MAX_RETRY_AFTER = 60_000

/** Returns the client of the node at a URL. */
export function nodeAt(url: string, limits: Limits): Rpc {
  const pace = getPace(url)
  return async (requests) => {
    const queue = [...new Set(requests.map((request) => JSON.stringify(request)))]
    const replies = new Map<string, Reply>()
    let receivedAt = Date.now()
    const work = async () => {
      while (queue.length > 0) {
        const calls = queue.splice(0, maxBatchSize(pace, limits))
        if (pace.blockedUntil - receivedAt > PATIENCE) {
          for (const key of calls) replies.set(key, { fault: 'the node limits calls' })
          continue
        }
        const startedAt = await takeTurn(pace, calls.length, limits)
        const { answers, retryAfter } = await post(url, calls, limits)
        for (const [i, key] of calls.entries()) {
          const reply = answers[i]
          if (reply) replies.set(key, reply)
        }
        const refused = calls.filter((key) => !replies.has(key))
        queue.unshift(...refused)
        if (refused.length < calls.length) receivedAt = Date.now()
        if (refused.length > 0) slowDown(pace, calls.length, startedAt, retryAfter)
        else speedUp(pace, limits)
      }
    }
    await Promise.all(Array.from({ length: MAX_REQUESTS }, work))
    return (request) => replies.get(JSON.stringify(request)) ?? { fault: 'not asked' }
  }
}

/** `answers`: by the position of the call, without those that the node refused for its limits. */
type Posted = { answers: (Reply | undefined)[]; retryAfter: number }

async function post(
  url: string,
  calls: readonly string[],
  { timeout = TIMEOUT }: Limits,
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
    if (status === 413 || status === 429 || (status === 400 && calls.length > 1)) {
      await response.body?.cancel()
      return { answers: [], retryAfter: parseRetryAfter(headers) }
    }
    if (!response.ok) {
      await response.body?.cancel()
      return all(`the node answered with HTTP ${status}`)
    }
    const json: unknown = await response.json()
    // An object instead of a list is an error about the whole batch.
    const isRefused = calls.length > 1 && !Array.isArray(json)
    return { answers: isRefused ? [] : match([json].flat(), calls.length), retryAfter: 0 }
  } catch (error) {
    // Not the error's own text: it may hold the URL, and the URL a key.
    const timedOut = error instanceof Error && error.name === 'TimeoutError'
    return all(timedOut ? 'the node did not answer in time' : 'the node cannot be reached')
  }
}

/** Returns the time to wait, in milliseconds, from seconds or a date (RFC 9110, 10.2.3). */
function parseRetryAfter(headers: Headers): number {
  const text = headers.get('retry-after') ?? ''
  const wait = Number(text) * 1000 || Date.parse(text) - Date.now() || 0
  return Math.min(MAX_RETRY_AFTER, Math.max(0, wait))
}

const errorSchema = z.object({
  code: z.number(),
  message: z.string(),
  data: z.unknown().optional(),
})
const answerSchema = z.object({
  id: z.number().nullable(),
  result: z.unknown().optional(),
  error: errorSchema.nullish(),
})

function match(list: readonly unknown[], calls: number): (Reply | undefined)[] {
  const replies = new Map<number | null, Reply>()
  for (const item of list) {
    const { data } = answerSchema.safeParse(item)
    if (data?.error) replies.set(data.id, { error: data.error })
    else if (data && 'result' in data) replies.set(data.id, { result: data.result })
  }
  // A node that refuses a batch may answer one of its calls, or none by its id.
  const isLimited = [...replies.values()].some((reply) => isLimit(reply, calls))
  return Array.from({ length: calls }, (_, i) => {
    const reply = replies.get(i)
    if (reply) return isLimit(reply, calls) ? undefined : reply
    return isLimited ? undefined : { fault: 'the node gave no answer' }
  })
}

/**
 * Whether the node refused a call for its limits: EIP-1474 "limit exceeded", and how providers say
 * it in words. -32600 for one of several calls is about the batch, because the call is valid.
 */
function isLimit(reply: Reply, calls: number): boolean {
  if (!('error' in reply)) return false
  const { code, message } = reply.error
  if (code === -32005 || code === 429 || (code === -32600 && calls > 1)) return true
  // What a contract says when it reverts is not about the node.
  return !isRevert(reply.error) && isLimitText.test(message)
}

const isLimitText = /rate limit|too many requests|\bbatch\b|compute units|response too large/i

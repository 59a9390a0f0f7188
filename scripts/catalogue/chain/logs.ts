/**
 * Reads events in ranges of blocks. Providers limit a range by blocks, results, size or time, and
 * each says so in its own words. So any error that is not about the number of calls makes the next
 * range smaller, and ranges grow again while they succeed.
 */
import { type Address, type Hex, numberToHex } from 'viem'
import * as z from 'zod'
import { blockAt, hex, integer } from '../../../src/ethereum/questions.ts'
import { loggedMessage } from '../../../src/ethereum/revert.ts'
import { nodeAt, retryAfterOf } from '../../../src/ethereum/rpc.ts'
import type { Network } from '../../contract/networks.ts'
import { delayAfter, MAX_FAILURES, readBlock, unreachable, type Wait } from './nodes.ts'
import { RangeSize } from './range-size.ts'

/** Milliseconds that a node has to answer. */
const TIMEOUT = 30_000

const logs = z.array(
  z.object({
    topics: z.tuple([hex]).rest(hex),
    data: hex,
    blockNumber: integer,
    logIndex: integer,
  }),
)
export type Log = z.infer<typeof logs>[number]

export type Range = { from: number; to: number }

type Query = Range & {
  address: Address
  /** Any of these events. */
  events: readonly Hex[]
  /** The hash of block `to`. */
  hash: Hex
}

/**
 * Yields the events of consecutive ranges, from the oldest block to the newest. Throws a
 * `CommandError` if no node answers for about a minute.
 */
export async function* readLogs(
  network: Network,
  query: Query,
  wait: Wait,
): AsyncGenerator<Range & { logs: Log[] }> {
  const size = new RangeSize()
  let from = query.from
  let failures = 0
  let node = 0
  while (from <= query.to) {
    const to = Math.min(query.to, from + size.blocks - 1)
    const answer = await fetchLogs(network.rpcUrls[node] ?? '', { ...query, from, to })
    if ('logs' in answer) {
      yield { from, to, logs: answer.logs }
      size.succeeded(to - from + 1, answer.logs.length)
      from = to + 1
      failures = 0
      continue
    }
    const isSmallest = from === to
    if (answer.isAboutRange && !isSmallest) {
      size.failed(to - from + 1)
      continue
    }
    if (++failures > MAX_FAILURES)
      throw unreachable(network, `${answer.reason} (events of blocks ${from} to ${to})`)
    // What sounds like a limit of calls may be about the range after all.
    if ((answer.mayBeRange || failures > 3) && !isSmallest) size.failed(to - from + 1)
    node = await nextNode(network, node, query)
    await wait(answer.retryAfter || delayAfter(failures))
  }
}

/** Another node may be behind: it would answer without the events of blocks that it lacks. */
async function nextNode({ rpcUrls, ...network }: Network, node: number, query: Query) {
  const next = (node + 1) % rpcUrls.length
  const url = rpcUrls[next]
  if (next === node || !url) return node
  const ask = nodeAt(url, { ...network, callsPerBatch: 1 })
  const found = await readBlock(ask, blockAt(query.to))
  return found?.hash === query.hash ? next : node
}

type Failure = {
  reason: string
  /** A smaller range helps, without waiting. */
  isAboutRange?: boolean
  /** A smaller range may help, after waiting. */
  mayBeRange?: boolean
  /** Milliseconds; 0 if the node does not say. */
  retryAfter?: number
}

const answerSchema = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).nullish(),
})

/** Refused for the number of calls, not for this one. -32007 is QuickNode's. */
const isBusyCode = (code: number) => code === 429 || code === -32007
const isBusyText =
  /rate.?(limit|exceeded)|too many requests?|request (rate|count)|(per|\/) ?second|\brps\b|compute units|throughput|capacity|quota|throttl/i

async function fetchLogs(
  url: string,
  { address, events, from, to }: Omit<Query, 'hash'>,
): Promise<{ logs: Log[] } | Failure> {
  const filter = {
    address,
    topics: [events],
    fromBlock: numberToHex(from),
    toBlock: numberToHex(to),
  }
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] }
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call),
      signal: AbortSignal.timeout(TIMEOUT),
    })
    const retryAfter = retryAfterOf(response.headers)
    const text = await response.text()
    // Some providers send the errors of calls with an HTTP status.
    const { data: answer } = answerSchema.safeParse(parseJson(text))
    if (response.status === 429) return { reason: 'HTTP 429', retryAfter }
    if (answer?.error) return judge(answer.error, retryAfter)
    if (!response.ok)
      return {
        reason: `the node answered with HTTP ${response.status}`,
        mayBeRange: true,
        retryAfter,
      }
    const found = logs.safeParse(answer?.result)
    if (found.success) return { logs: found.data }
    return { reason: 'the node answered with something else than events', mayBeRange: true }
  } catch (error) {
    // Not the error's own text: it may hold the URL, and the URL a key.
    const timedOut = error instanceof Error && error.name === 'TimeoutError'
    if (timedOut) return { reason: 'the node did not answer in time', mayBeRange: true }
    return { reason: 'the node cannot be reached' }
  }
}

function judge(error: { code: number; message: string }, retryAfter: number): Failure {
  const reason = `the node answered: ${loggedMessage(error.message)}`
  if (isBusyCode(error.code) || isBusyText.test(error.message)) return { reason, retryAfter }
  return { reason, isAboutRange: true }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

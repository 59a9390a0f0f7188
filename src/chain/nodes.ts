/** Chooses a node of a network. One that fails, lags or has another chain is left out for a while. */
import type { Network } from '../env.ts'
import {
  type Block,
  block,
  blockAt,
  chainId,
  integer,
  type Replies,
  type Reply,
  type RpcRequest,
  read,
} from '../ethereum/requests.ts'
import { log } from '../log.ts'
import { MINUTE, until } from '../time.ts'
import { type Limits, nodeAt, type Rpc } from './rpc.ts'

export { callsSent, type Rpc } from './rpc.ts'

/** Milliseconds for which a node is left out, and for which one is not asked that did not answer. */
const LEFT_OUT = MINUTE
const SILENT = MINUTE / 2
/** Milliseconds from which a question took so long that a run may lose its lease by it. */
const SLOW = MINUTE / 4
/** Seconds by which the newest block of a node may be ahead of the clock. */
const EARLY_BLOCK = 15 * 60

/** URL → when it may lead again, and when it is asked again, in milliseconds since 1970. */
const leftOut = new Map<string, number>()
const silent = new Map<string, number>()
/** URL → when a question ended that took long. */
const slow = new Map<string, number>()

/** What asking nodes needs of a network. */
export type Urls = Pick<Network, 'rpcUrls' | 'callsPerBatch' | 'callsPerSecond'> &
  Pick<Limits, 'timeout'>

export type Node = {
  /** Position in `rpcUrls`. URLs are never logged, because they may hold keys. */
  index: number
  url: string
  limits: Limits
}

/** Returns all nodes, those that are left out, too. */
export const nodes = (network: Urls): Node[] =>
  network.rpcUrls.map((url, index) => ({ index, url, limits: network }))

/** Asks one node. What it says alone is a claim: `claims.ts` says what it suffices for. */
export async function askOne(
  { url, limits }: Node,
  requests: readonly RpcRequest[],
): Promise<Replies> {
  const startedAt = Date.now()
  const replies = await nodeAt(url, limits)(requests)
  if (Date.now() - startedAt >= SLOW) slow.set(url, Date.now())
  return replies
}

/** Asks nodes at the same time. */
export const askEach = (asked: readonly Node[], requests: readonly RpcRequest[]) =>
  Promise.all(asked.map((node) => askOne(node, requests)))

/**
 * Asks each configured node, and returns what all of them reply to a request. Those that are left out
 * are asked, too: a node that lies must not be able to silence the others.
 */
export async function askAll(
  network: Urls,
  requests: readonly RpcRequest[],
): Promise<(request: RpcRequest) => Reply[]> {
  const all = await askEach(nodes(network), requests)
  return (request) => all.map((replies) => replies(request))
}

const isPast = (times: ReadonlyMap<string, number>, { url }: Node) =>
  (times.get(url) ?? 0) <= Date.now()

/**
 * Returns the nodes that a step asks: those that may lead first. Those that did not answer just now are
 * not asked, unless there would be none.
 */
export function stepNodes(network: Urls): Node[] {
  const all = nodes(network)
  const answering = all.filter((node) => isPast(silent, node))
  const asked = answering.length > 0 ? answering : all
  return asked.toSorted((a, b) => Number(isPast(leftOut, b)) - Number(isPast(leftOut, a)))
}

/** The node does not lead for a minute. It is asked all the same, because it is still a witness. */
export function leaveOut(network: Network, { url, index }: Node, reason: string): void {
  log.error('node_left_out', { chainId: network.chainId, node: index, reason })
  leftOut.set(url, Date.now() + LEFT_OUT)
}

/** The node is not asked for half a minute, because it did not answer in time. */
export function silence(network: Network, node: Node, reason: string): void {
  leaveOut(network, node, reason)
  silent.set(node.url, Date.now() + SILENT)
}

/** Returns the nodes that have answered slowly since a time, in milliseconds since 1970. */
export const slowNodes = (network: Urls, since: number): Node[] =>
  nodes(network).filter(({ url }) => (slow.get(url) ?? 0) >= since)

const unanswered: Replies = () => ({ fault: 'the node did not answer in time' })

/**
 * Returns a client of each configured node that sends together what is asked at the same time. At the signal
 * it gives up, also if the limit of the node delays its calls.
 */
export const joinedNodes = (network: Urls, signal?: AbortSignal): Rpc[] =>
  nodes(network).map((node) => {
    const waiting: RpcRequest[] = []
    let answer: Promise<Replies> | undefined
    const send = async () => {
      await null
      const requests = waiting.splice(0)
      answer = undefined
      if (!signal) return askOne(node, requests)
      if (signal.aborted) return unanswered
      return until(signal, askOne(node, requests)).catch(() => unanswered)
    }
    return (requests) => {
      waiting.push(...requests)
      answer ??= send()
      return answer
    }
  })

const newest = blockAt('latest')

/** What `headIn` needs to be asked. */
export const headRequests = [chainId, newest]

export const readHead = async (
  network: Pick<Network, 'chainId'>,
  node: Node,
): Promise<Block | string> => headIn(network, await askOne(node, headRequests))

/** Returns the newest block in the replies of a node, or why it cannot be used. */
export function headIn(network: Pick<Network, 'chainId'>, replies: Replies): Block | string {
  const id = read(integer, replies(chainId))
  if (id === null) return faultOf(replies(chainId)) ?? 'the node does not tell its chain id'
  if (id !== network.chainId) return `the node has chain id ${id} instead of ${network.chainId}`
  const head = read(block, replies(newest))
  return head ?? faultOf(replies(newest)) ?? 'the node does not tell the newest block'
}

const faultOf = (reply: Reply) => ('fault' in reply ? reply.fault : undefined)

/**
 * Returns why a node is left out for the time of its newest block; null if it is not. The time is compared with
 * the clock of the Worker only. An old block is no reason, because chains make blocks on demand. An only node
 * has the time of its chain.
 */
export function findClockProblem(
  { rpcUrls }: Pick<Network, 'rpcUrls'>,
  { timestamp }: Block,
): string | null {
  const isEarly = timestamp - Date.now() / 1000 > EARLY_BLOCK
  return isEarly && rpcUrls.length > 1 ? 'the newest block is ahead of the clock' : null
}

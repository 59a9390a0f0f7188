/** How many pieces a network delivers in the next 24 hours, for the plan of a drop. */
import { getAddress, isAddress } from 'viem'
import { mailLimits } from '../../../src/limits.ts'
import { DAY, SECOND } from '../../../src/time.ts'
import { readConfig } from '../cloudflare/environment.ts'
import type { Contract } from './delivery.ts'
import type { Network } from './networks.ts'
import { attempt, type Node } from './node.ts'

/** Blocks back to measure the time between two. */
const SAMPLE = 100n

/** Returns lines, also about how long ahead something is to be raised. */
export async function describeCapacity(
  node: Node,
  { read }: Contract,
  network: Network,
  { tokens, env }: { tokens: Iterable<string>; env: string | undefined },
): Promise<string[]> {
  const addresses = [...tokens].filter((token) => isAddress(token, { strict: false }))
  const relayers = await attempt('Reading the relayers', read.relayerList())
  const relayerLimits = relayers.map(async (relayer) => {
    const limit = await read.relayerLimit([relayer])
    return limit.capacity > 0n ? [`  relayer ${relayer}  ${describePieces(limit)}`] : []
  })
  const tokenLimits = addresses.map(async (token) => {
    const limit = await read.tokenLimit([getAddress(token)])
    return limit.isSet ? [`  token ${token}  ${describePieces(limit)}`] : []
  })
  const limits = Promise.all([...relayerLimits, ...tokenLimits])
  const delay = await attempt('Reading the delay', read.delay())
  return [
    'in 24 hours  at most, the smallest number counts',
    ...(await attempt('Reading the limits', limits)).flat(),
    `  blocks  ${await describeBlocks(node, network)}`,
    `  mails about orders  ${readMailLimit(env)}`,
    `to raise     limits: ${Number(delay) / 3600} hours before (set-relayer, set-token-limit), or use the keys of standby relayers; mails: days before, with the plan of Cloudflare; fees: the next deployment`,
  ]
}

const describePieces = ({ available, perDay }: { available: bigint; perDay: bigint }) =>
  `${available + perDay} pieces: ${available} now, ${perDay} flow back`

/** One signer has as many items in a block as fit into it, and into what it has under way. */
async function describeBlocks(node: Node, network: Network): Promise<string> {
  const { gasPerItem, itemsPerTransaction, transactionsInFlight } = network
  const head = await attempt('Reading the newest block', node.getBlock())
  const blockNumber = head.number > SAMPLE ? head.number - SAMPLE : 0n
  const earlier = await attempt('Reading an earlier block', node.getBlock({ blockNumber }))
  const blocks = Number(head.number - earlier.number)
  const seconds = Number(head.timestamp - earlier.timestamp)
  if (blocks === 0 || seconds === 0) return 'not known: the chain has too few'
  const items = Math.min(
    Math.floor(Number(head.gasLimit) / gasPerItem),
    itemsPerTransaction * transactionsInFlight,
  )
  const perDay = Math.floor((blocks * DAY) / (seconds * SECOND))
  return `${perDay * items} items of a signer: ${perDay} blocks with ${items}, of ${gasPerItem} gas each, if others left the chain to it`
}

const readMailLimit = (env: string | undefined): string =>
  String(readConfig(env).vars.MAX_ORDER_MAILS_PER_DAY ?? mailLimits.orders.max)

/** Asks each network, once a minute, what else only a delivery would find out. */
import type { Address } from 'viem'
import type { Database } from '../db/client.ts'
import type { Network, Settings } from '../env.ts'
import {
  contractRequests,
  decodeRelayers,
  encodeGetter,
  type Limit,
  readContract,
} from '../ethereum/contract.ts'
import {
  findClockProblem,
  headIn,
  headRequests,
  type Node,
  otherNodes,
  usableNodes,
} from '../ethereum/node.ts'
import {
  accountBalance,
  hex,
  integer,
  read,
  tip,
  transactionCount,
  view,
  wei,
} from '../ethereum/requests.ts'
import { getSigner } from '../ethereum/signer.ts'
import { type NetworkCheck, storeChecks } from './network-checks.ts'

/** Milliseconds that a node has to answer. */
const TIMEOUT = 5_000

/** Asks all configured networks, and stores what they answer. Returns the chains to wake. */
export async function checkNetworks(
  db: Database,
  settings: Settings,
  now: Date,
): Promise<number[]> {
  const signers = settings.TRANSFER_SIGNER_KEYS.map((key) => getSigner(key).address)
  const checks = await Promise.all(
    Object.values(settings.NETWORKS).map(async (network) => ({
      chainId: network.chainId,
      seen: await check(network, signers),
    })),
  )
  return storeChecks(db, checks, now)
}

/** Returns what the first node tells that can be used; or why none can. */
async function check(network: Network, signers: readonly Address[]): Promise<NetworkCheck['seen']> {
  let problem = ''
  for (const node of usableNodes({ ...network, timeout: TIMEOUT })) {
    const seen = await checkAt(node, network, signers)
    if (typeof seen !== 'string') return seen
    problem = seen
  }
  return problem
}

async function checkAt(
  node: Node,
  network: Network,
  signers: readonly Address[],
): Promise<NetworkCheck['seen']> {
  const { delivery, gasPerItem } = network
  const relayerList = view(delivery, encodeGetter('relayerList'))
  const replies = await node.rpc([
    ...headRequests,
    tip,
    ...signers.flatMap((signer) => [accountBalance(signer), transactionCount(signer)]),
    ...contractRequests(delivery, signers),
    relayerList,
  ])
  const head = headIn(network, replies)
  if (typeof head === 'string') return head
  const clockProblem = await findClockProblem(network, node, head)
  if (clockProblem) return clockProblem
  const [second] = otherNodes(network, node)
  const theirs = await second?.rpc(contractRequests(delivery, []))
  const contract = readContract(delivery, signers, replies)
  if (!contract) return `the Delivery contract ${delivery} does not answer`
  const gasPrice = (head.baseFeePerGas ?? 0n) + (read(wei, replies(tip)) ?? 0n)
  const { isPaused, isRetired, limits } = contract
  const listed = read(hex, replies(relayerList))
  const standby = ((listed && decodeRelayers(listed)) ?? []).filter(
    (address) => !signers.includes(address),
  )
  return {
    contract: delivery,
    standby: await readStandby(node, network, standby),
    hasSecondNode: theirs !== undefined && readContract(delivery, [], theirs) !== null,
    headNumber: head.number,
    headAt: new Date(head.timestamp * 1000).toISOString(),
    gasPrice: String(gasPrice),
    isPaused,
    isRetired,
    signers: signers.map((address) => {
      const balance = read(wei, replies(accountBalance(address))) ?? 0n
      return {
        address,
        balance: String(balance),
        deliveries: Number(balance / (gasPrice * BigInt(gasPerItem) || 1n)),
        nonce: read(integer, replies(transactionCount(address))),
        limit: toStoredLimit(limits.get(address)),
      }
    }),
  }
}

/** Returns what relayers have used that this instance does not use: their keys may be stolen, too. */
async function readStandby({ rpc }: Node, { delivery }: Network, relayers: readonly Address[]) {
  const replies = await rpc([
    ...relayers.map(transactionCount),
    ...contractRequests(delivery, relayers),
  ])
  const limits = readContract(delivery, relayers, replies)?.limits
  return relayers.flatMap((address) => {
    const limit = limits?.get(address)
    const nonce = read(integer, replies(transactionCount(address)))
    return limit && nonce !== null ? { address, nonce, limit } : []
  })
}

/** What is stored of a limit; null for an account that is no relayer. */
const toStoredLimit = (limit: Limit | undefined): Limit | null =>
  limit ? { capacity: limit.capacity, perDay: limit.perDay, available: limit.available } : null

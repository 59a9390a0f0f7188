/**
 * Asks each network, once a minute, what else only a delivery would find out, and whether somebody
 * else uses its keys. All nodes are asked: one that hides a theft must not hide it from the others.
 */
import type { Address } from 'viem'
import type { Database } from '../db/client.ts'
import { readReceipts } from '../delivery/engine/records.ts'
import { LATE } from '../delivery/findings.ts'
import type { Network, Settings } from '../env.ts'
import { type Node, nodes } from '../ethereum/node.ts'
import { transactionReceipt } from '../ethereum/requests.ts'
import { getSigner } from '../ethereum/signer.ts'
import { log } from '../log.ts'
import { compareViews, type OwnTransaction } from './compare-views.ts'
import { type NodeRow, readNodes, readOwn, storeCheck } from './network-checks.ts'
import { askNode, type View } from './node-views.ts'

/** Milliseconds that a node has to answer. */
const TIMEOUT = 5_000

/** Seconds after which a node may lag, if another one has newer blocks. */
const OLD_BLOCK = 60

/** Transactions whose receipts are asked for. */
const MAX_PROOFS = 100

/** Checks all configured networks. One that fails does not stop the others. */
export async function checkNetworks(db: Database, settings: Settings, now: Date): Promise<void> {
  const signers = settings.TRANSFER_SIGNER_KEYS.map((key) => getSigner(key).address)
  const checks = Object.values(settings.NETWORKS).map(async (network) => {
    try {
      await checkNetwork(db, network, signers, now)
    } catch (error) {
      const { chainId } = network
      log.error('network_check_failed', { chainId, error })
      await storeCheck(db, { check: { chainId, problem: 'the check has failed' } }, now)
    }
  })
  for (const check of await Promise.allSettled(checks))
    if (check.status === 'rejected') throw check.reason
}

async function checkNetwork(
  db: Database,
  network: Network,
  signers: readonly Address[],
  now: Date,
): Promise<void> {
  const { chainId } = network
  const rows = await readNodes(db, chainId)
  const states = rows.flatMap(({ state }) => state ?? [])
  const [newest = null] = states.toSorted((a, b) => b.block - a.block)
  const late = new Date(now.getTime() - LATE).toISOString()
  const all = nodes({ ...network, timeout: TIMEOUT }).map((node) => {
    // A node that is new, or has not answered for long, is compared with another one.
    const last = rows[node.index]?.state
    return { node, before: last && last.seenAt >= late ? last : newest }
  })
  const answers = await Promise.all(
    all.map(({ node, before }) => askNode(node, network, signers, before)),
  )
  const views = answers.filter((answer) => typeof answer !== 'string')
  const own = await readOwn(db, chainId, states, views)
  const compared = await Promise.all(
    all.map(async ({ node, before }, i) => {
      const view = answers[i]
      if (!view || typeof view === 'string') return null
      const isProven = await findProofs(node, view, own)
      return compareViews({ view, before, own, isProven }, network, signers, now)
    }),
  )
  const usable = views.find((view) => !isBehind(view, views))
  const found = compared.flatMap((node, i) =>
    (node?.findings ?? []).map((finding) => ({ ...finding, node: i })),
  )
  const check = {
    chainId,
    problem: usable ? null : (answers.find((answer) => typeof answer === 'string') ?? null),
    nodes: answers.map((answer, i) => ({
      ...findProblem(answer, rows[i], now),
      state: compared[i]?.state ?? rows[i]?.state ?? null,
    })),
    ...(usable && { checkedAt: now.toISOString(), ...describe(usable, network, signers) }),
  }
  await storeCheck(db, { check, found, hasSecondNode: views.length > 1 }, now)
}

/** Asks the node for the receipts of transactions whose nonces are used. */
async function findProofs({ rpc }: Node, { relayers }: View, own: readonly OwnTransaction[]) {
  const hashes = own
    .filter(({ isUnproven, signer, nonce }) => {
      const count = relayers.find(({ address }) => address === signer)?.nonce ?? 0
      return isUnproven && nonce < count
    })
    .slice(0, MAX_PROOFS)
    .flatMap((transaction) => transaction.hashes)
  const receipts = readReceipts(hashes, await rpc(hashes.map(transactionReceipt)))
  return (transaction: OwnTransaction): boolean | undefined => {
    const found = transaction.hashes.map((hash) => receipts.get(hash))
    return found.some(Boolean) || (found.includes(undefined) ? undefined : false)
  }
}

/** Whether another node has newer blocks. An old block is normal where blocks are made on demand. */
const isBehind = ({ head }: View, views: readonly View[]): boolean =>
  Date.now() / 1000 - head.timestamp >= OLD_BLOCK &&
  views.some((other) => other.head.number > head.number + 1)

/** Returns what is wrong with a node, and since when. One that does not answer keeps what it had. */
function findProblem(answer: View | string, row: NodeRow | undefined, now: Date) {
  const { problem: last = null, problemSince = null } = row ?? {}
  if (typeof answer === 'string') return { problem: last, problemSince }
  const { problem } = answer
  return { problem, problemSince: problem && (problemSince ?? now.toISOString()) }
}

/** Returns what pages and alarms show of a network. */
const describe = (view: View, { gasPerItem }: Network, signers: readonly Address[]) => ({
  headNumber: view.head.number,
  headAt: view.headAt,
  gasPrice: String(view.gasPrice),
  isPaused: view.isPaused,
  isRetired: view.isRetired,
  signers: signers.map((address, i) => {
    const balance = view.balances[i] ?? 0n
    const {
      capacity = 0,
      perDay = 0,
      available = 0,
    } = view.relayers.find((relayer) => relayer.address === address)?.limit ?? {}
    return {
      address,
      balance: String(balance),
      deliveries: Number(balance / (view.gasPrice * BigInt(gasPerItem) || 1n)),
      limit: capacity > 0 ? { capacity, perDay, available } : null,
    }
  }),
})

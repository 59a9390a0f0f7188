/**
 * Asks each network, once a minute, what else only a delivery would find out, and whether somebody
 * else uses its keys. All nodes are asked: one that hides a theft must not hide it from the others.
 */
import { eq } from 'drizzle-orm'
import type { Address } from 'viem'
import type { Database } from '../db/client.ts'
import { type NodeRow, networkChecks } from '../db/schema/operations.ts'
import { readReceipts } from '../delivery/chain/records.ts'
import { LATE } from '../delivery/store/findings.ts'
import type { Network, Settings } from '../env.ts'
import { findClockProblem, type Node, nodes } from '../ethereum/node.ts'
import { transactionReceipt } from '../ethereum/requests.ts'
import { getSigner } from '../ethereum/signer.ts'
import { compareViews, type OwnTransaction } from './compare-views.ts'
import { readOwn, storeCheck } from './network-checks.ts'
import { askNode, type View } from './node-views.ts'

/** Milliseconds that a node has to answer. */
const TIMEOUT = 5_000

/** Milliseconds for all answers of a node, because alarms are raised after the checks of all. */
const MAX_DURATION = 20_000

/** Checks all configured networks. One that fails does not stop the others. */
export async function checkNetworks(db: Database, settings: Settings, now: Date): Promise<void> {
  const signers = settings.TRANSFER_SIGNER_KEYS.map((key) => getSigner(key).address)
  const checks = await Promise.allSettled(
    Object.values(settings.NETWORKS).map((network) => checkNetwork(db, network, signers, now)),
  )
  for (const check of checks) if (check.status === 'rejected') throw check.reason
}

/** Ends a check that a node draws out with many slow answers. Not by a timer, whose time tests move. */
const tooLate = () =>
  new Promise<string>((resolve) => {
    const signal = AbortSignal.timeout(MAX_DURATION)
    signal.addEventListener('abort', () => resolve('the node did not answer in time'))
  })

async function checkNetwork(
  db: Database,
  network: Network,
  signers: readonly Address[],
  now: Date,
): Promise<void> {
  const { chainId } = network
  const [[stored]] = await db.batch([
    db.select().from(networkChecks).where(eq(networkChecks.chainId, chainId)),
  ])
  const rows = stored?.nodes ?? []
  const states = rows.flatMap(({ state }) => state ?? [])
  const [newest = null] = states.toSorted((a, b) => b.block - a.block)
  const late = new Date(now.getTime() - LATE).toISOString()
  const asked = await Promise.all(
    nodes({ ...network, timeout: TIMEOUT }).map(async (node) => {
      const last = rows[node.index]?.state
      // A node that is new, or has not answered for long, is compared with another one.
      const before = last && last.seenAt >= late ? last : newest
      const answer = await Promise.race([askNode(node, network, signers, before), tooLate()])
      if (typeof answer === 'string') return { node, before, view: null, problem: answer }
      const problem = await findClockProblem({ ...network, timeout: TIMEOUT }, node, answer.head)
      return { node, before, view: answer, problem }
    }),
  )
  const views = asked.flatMap(({ view }) => view ?? [])
  const own = await readOwn(db, chainId, states, views)
  const compared = await Promise.all(
    asked.map(async ({ node, before, view }) => {
      if (!view) return { node, view, state: rows[node.index]?.state ?? null, findings: [] }
      const isProven = await findProofs(node, view, own)
      return { node, view, ...compareViews({ view, before, own, isProven }, network, signers, now) }
    }),
  )
  const usable = asked.find(({ problem }) => problem === null)?.view
  const check = {
    chainId,
    problem: usable ? null : (asked.at(-1)?.problem ?? null),
    nodes: compared.map(({ node, view, state }) => ({
      ...findProblem(view, rows[node.index], now),
      state,
    })),
    ...(usable && { checkedAt: now.toISOString(), ...usable.shown }),
  }
  const found = compared.flatMap(({ node: { index }, findings }) =>
    findings.map((finding) => ({ ...finding, node: index })),
  )
  await storeCheck(db, { check, found, views }, now)
}

/** Asks the node for the receipts of transactions whose nonces are used. */
async function findProofs({ rpc }: Node, { relayers }: View, own: readonly OwnTransaction[]) {
  const hashes = own
    .filter(({ isUnproven, signer, nonce }) => {
      const count = relayers.find(({ address }) => address === signer)?.nonce ?? 0
      return isUnproven && nonce < count
    })
    .flatMap((transaction) => transaction.hashes)
  const receipts = readReceipts(hashes, await rpc(hashes.map(transactionReceipt)))
  return (transaction: OwnTransaction): boolean | undefined => {
    const found = transaction.hashes.map((hash) => receipts.get(hash))
    return found.some(Boolean) || (found.includes(undefined) ? undefined : false)
  }
}

/** Returns what is wrong with a node, and since when. One that does not answer keeps what it had. */
function findProblem(view: View | null, row: NodeRow | undefined, now: Date) {
  const { problem, problemSince } = row ?? { problem: null, problemSince: null }
  if (!view) return { problem, problemSince }
  return {
    problem: view.problem,
    problemSince: view.problem && (problemSince ?? now.toISOString()),
  }
}

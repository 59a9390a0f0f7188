/** Asks each network, once a minute, what else only a delivery would find out. */
import { sql } from 'drizzle-orm'
import type { Address } from 'viem'
import { type Database, raw } from '../db/client.ts'
import type { networkChecks } from '../db/schema/operations.ts'
import { contractRequests, readContract, USUAL_TIP } from '../delivery/engine/observe.ts'
import type { Network, Settings } from '../env.ts'
import { headIn, headRequests, isBehind, type Node, usableNodes } from '../ethereum/node.ts'
import { accountBalance, read, tip, wei } from '../ethereum/requests.ts'
import { getSigner } from '../ethereum/signer.ts'

/** Milliseconds that a node has to answer. */
const TIMEOUT = 5_000

type Seen = Omit<typeof networkChecks.$inferSelect, 'chainId' | 'checkedAt' | 'problem'>

/** Asks all configured networks, and stores what they answer. */
export async function checkNetworks(db: Database, settings: Settings, now: Date): Promise<void> {
  const signers = settings.TRANSFER_SIGNER_KEYS.map((key) => getSigner(key).address)
  const checks = await Promise.all(
    Object.values(settings.NETWORKS).map(async (network) => {
      const seen = await check(network, signers)
      const { chainId } = network
      return typeof seen === 'string' ? { chainId, problem: seen } : { chainId, ...seen }
    }),
  )
  await db.batch([storeChecks(db, checks, now)])
}

/** A failed check changes only the problem. */
const storeChecks = (db: Database, checks: readonly object[], now: Date) =>
  raw<never>(
    db,
    sql`INSERT INTO networkChecks (chainId, checkedAt, problem, headNumber, headAt, gasPrice, isPaused,
        isRetired, signers)
      SELECT value ->> 'chainId', ${now.toISOString()}, value ->> 'problem', value ->> 'headNumber',
        value ->> 'headAt', value ->> 'gasPrice', value ->> 'isPaused', value ->> 'isRetired',
        value -> 'signers'
      FROM json_each(${JSON.stringify(checks)}) WHERE true
      ON CONFLICT (chainId) DO UPDATE SET problem = excluded.problem,
        checkedAt = iif(excluded.problem IS NULL, excluded.checkedAt, checkedAt),
        headNumber = coalesce(excluded.headNumber, headNumber),
        headAt = coalesce(excluded.headAt, headAt), gasPrice = coalesce(excluded.gasPrice, gasPrice),
        isPaused = coalesce(excluded.isPaused, isPaused),
        isRetired = coalesce(excluded.isRetired, isRetired), signers = coalesce(excluded.signers, signers)`,
  )

/** Returns what the first node tells that can be used; or why none can. */
async function check(network: Network, signers: readonly Address[]): Promise<Seen | string> {
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
): Promise<Seen | string> {
  const { delivery, gasPerItem } = network
  const replies = await node.rpc([
    ...headRequests,
    tip,
    ...signers.map(accountBalance),
    ...contractRequests(delivery, signers),
  ])
  const head = headIn(network, replies)
  if (typeof head === 'string') return head
  if (await isBehind(network, node, head)) return 'the node lags behind another one'
  const contract = readContract(delivery, signers, head, replies)
  if (!contract) return `the Delivery contract ${delivery} does not answer`
  const gasPrice = (head.baseFeePerGas ?? 0n) + (read(wei, replies(tip)) ?? USUAL_TIP)
  const { isPaused, isRetired, allowances } = contract
  return {
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
        allowance: allowances.get(address) ?? null,
      }
    }),
  }
}

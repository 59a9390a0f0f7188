/** The delivery engine without its queue: a test takes one step after another. */

import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeEach } from 'vitest'
import { batch } from '../../../src/db/batch.ts'
import { connect } from '../../../src/db/client.ts'
import type { ReasonCode } from '../../../src/db/schema/delivery.ts'
import { actionStatements } from '../../../src/delivery/actions/actions.ts'
import { describeReason } from '../../../src/delivery/reasons.ts'
import { step } from '../../../src/delivery/run.ts'
import { releaseChainLease } from '../../../src/delivery/store/lease.ts'
import { type Network, readSettings } from '../../../src/env.ts'
import type { Chain } from '../chain/chain.ts'

export type NetworkSettings = Partial<Network>

/** The configuration of chains, reached through their proxies. */
export const networksOf = (
  chains: readonly Pick<Chain, 'name' | 'chainId' | 'proxyUrl' | 'delivery'>[],
  settings: NetworkSettings = {},
) =>
  Object.fromEntries(
    chains.map(({ name, chainId, proxyUrl, delivery }) => [
      name,
      {
        chainId,
        rpcUrls: [proxyUrl],
        delivery,
        finality: 1,
        callsPerSecond: 10_000,
        maxFeePerGasGwei: 500,
        maxPriorityFeePerGasGwei: 50,
        ...settings,
      },
    ]),
  )

type Options = NetworkSettings & {
  /** TRANSFER_SIGNER_KEYS, if not that of the tests. */
  keys?: string
}

/** Works on one chain. Each engine has a lease of its own. */
export function anEngine(chain: Chain, { keys, ...network }: Options = {}) {
  const NETWORKS = networksOf([chain], network)
  const own = { ...env, NETWORKS, ...(keys && { TRANSFER_SIGNER_KEYS: keys }) }
  const settings = readSettings(own as never)
  const parsed = settings.NETWORKS[chain.name]
  if (!parsed) throw new Error('the network is not configured')
  const lease = crypto.randomUUID()
  const start = Date.now()
  const at = (seconds: number) => new Date(start + seconds * 1000)
  const db = connect(env.DB)
  const act = (action: 'retry' | 'cancel', { id }: { id: number }, now: Date) =>
    batch(db, actionStatements({ db, now, settings }, { action }, sql`(${id})`))
  const takeStep = async (seconds: number) => {
    await mineLeftBehind(chain)
    return step(db, settings, parsed, lease, () => at(seconds))
  }
  return {
    network: parsed,
    /** What an operator does to an item. */
    retry: (item: { id: number }, now = new Date()) => act('retry', item, now),
    cancel: (item: { id: number }, now = new Date()) => act('cancel', item, now),
    /** Takes a step, so many seconds after the engine was made. */
    step: (seconds = 0) => takeStep(seconds),
    /** Takes steps until nothing is left to do at that time. Throws if that does not happen. */
    async run(seconds = 0) {
      for (let i = 0; i < 20; i++) {
        const done = await takeStep(seconds)
        if (!done) return
        const isBlocked = !done.takesDeliveries && done.lookAt !== null
        const isDue = done.loaded.due.length > 0 || done.loaded.transactions.length > 0
        if (isBlocked || !isDue) break
      }
      await this.release(seconds)
    },
    /** Ends the run. */
    release: (seconds = 0) =>
      releaseChainLease(
        db,
        { chainId: chain.chainId, wakeAt: null },
        lease,
        { lookAt: null, takesDeliveries: false, problem: null },
        at(seconds),
      ),
  }
}

export type Engine = ReturnType<typeof anEngine>

/** Returns a function that takes a step later than the last one: another engine may take over. */
export function aStepper() {
  let time = 0
  beforeEach(() => {
    time = 0
  })
  return (engine: Engine, seconds = 61) => {
    time += seconds
    return engine.step(time)
  }
}

/** Automatic mining sometimes leaves a transaction behind. */
async function mineLeftBehind(chain: Chain): Promise<void> {
  if (!(await chain.rpc('anvil_getAutomine'))) return
  const { pending } = Object(await chain.rpc('txpool_status'))
  if (BigInt(pending) > 0n) await chain.mine()
}

export type Row = {
  id: number
  key: `0x${string}`
  state: string
  requestedAction: string
  reasonCode: ReasonCode | null
  reasonDetail: string | null
  /** The sentence of both. */
  reason: string | null
  dueAt: string | null
  queuedAt: string | null
  waitingSince: string | null
  tries: number
  withoutEffect: number
  contract: string | null
  version: number
  txId: string | null
}

/** The rows of these items' deliveries, by id. */
export async function rowsOf(items: readonly { id: number }[]): Promise<Map<number, Row>> {
  const { results } = await env.DB.prepare(
    `SELECT d.*, t.hash AS txId FROM deliveries d LEFT JOIN transactions t ON t.id = d.transactionId
     WHERE d.id IN (SELECT value FROM json_each(?))`,
  )
    .bind(JSON.stringify(items.map(({ id }) => id)))
    .all<Row>()
  return new Map(results.map((row) => [row.id, { ...row, reason: describeReason(row) }]))
}

export async function rowOf(item: { id: number }): Promise<Row> {
  const row = (await rowsOf([item])).get(item.id)
  if (!row) throw new Error(`there is no delivery ${item.id}`)
  return row
}

export type TransactionRow = {
  id: number
  signer: string
  nonce: number
  items: string
  hash: `0x${string}`
  replaced: string
  raw: `0x${string}` | null
  gas: string
  maxFeePerGas: string
  deadline: number
  block: number | null
  isOpen: 0 | 1
}

/** All transactions of a chain, oldest first. */
export async function transactionsOf({ chainId }: Chain): Promise<TransactionRow[]> {
  const { results } = await env.DB.prepare(
    'SELECT * FROM transactions WHERE chainId = ? ORDER BY id',
  )
    .bind(chainId)
    .all<TransactionRow>()
  return results
}

/** The engine without its queue: a test says when it looks at which transfers. */
import { env } from 'cloudflare:workers'
import { eq, sql } from 'drizzle-orm'
import { connect } from '../../../src/db/client.ts'
import { transfers } from '../../../src/db/schema.ts'
import { settingsOf } from '../../../src/env.ts'
import { advance } from '../../../src/transfers/advance.ts'
import { shownOfTransfer } from '../../../src/transfers/shown.ts'
import type { Chain } from '../chain/chain.ts'

type NetworkSettings = Record<string, unknown>

/** Networks of chains, reached through their proxies. */
export const networksOf = (chains: readonly Chain[], settings: NetworkSettings = {}) =>
  Object.fromEntries(
    chains.map(({ name, chainId, proxyUrl }) => [
      name,
      { chainId, rpcUrl: proxyUrl, confirmations: 1, ...settings },
    ]),
  )

/**
 * Looks at transfers, `after` so many seconds counted from now. Says what to look at again.
 * `between` is done before the second trip to D1, which stores what was signed.
 */
export function anEngine(
  chains: Chain | readonly Chain[],
  settings: NetworkSettings = {},
  between: () => Promise<unknown> = async () => undefined,
) {
  const NETWORKS = networksOf([chains].flat(), settings)
  const trips = { count: 0 }
  const d1: Pick<D1Database, 'prepare' | 'batch'> = {
    prepare: (query) => env.DB.prepare(query),
    async batch(statements) {
      if (trips.count === 2) await between()
      return env.DB.batch(statements)
    },
  }
  const deps = { db: connect(d1, trips), settings: settingsOf({ ...env, NETWORKS } as never) }
  const start = Date.now()
  const look = (transfers: readonly { id: number }[], after = 0) =>
    advance(
      deps,
      transfers.map(({ id }) => id),
      new Date(start + after * 1000),
    )
  return { look, trips }
}

/** A transfer's row, with its item and order beside it. */
export type Row = {
  status: string
  reason: string | null
  generation: number
  dueAt: string | null
  deadLetteredAt: string | null
  item: string | null
  txId: string | null
  failReason: string | null
}

export async function rowOf({ id }: { id: number }): Promise<Row> {
  const { status: item, ...shown } = shownOfTransfer
  const { status, generation, dueAt, deadLetteredAt } = transfers
  const row = await connect(env.DB)
    .select({
      status,
      generation,
      dueAt,
      deadLetteredAt,
      reason: transfers.reason,
      ...shown,
      item: sql`${item.sql}`.as('item'),
    })
    .from(transfers)
    .where(eq(transfers.id, id))
    .get()
  if (!row) throw new Error(`there is no transfer ${id}`)
  return row as Row
}

type Signed = { hash: `0x${string}`; nonce: number; attempt: number; kind: string; fee: number }

/** Its transactions, oldest first. */
export async function signedFor({ id }: { id: number }): Promise<Signed[]> {
  const { results } = await env.DB.prepare(
    `SELECT hash, nonce, attempt, kind, CAST(maxFeePerGas AS INTEGER) AS fee
     FROM transactions WHERE transferId = ? ORDER BY generation, attempt`,
  )
    .bind(id)
    .all<Signed>()
  return results
}

/** The bytes of its transactions, oldest first. */
export async function rawsOf({ id }: { id: number }): Promise<string[]> {
  const { results } = await env.DB.prepare(
    'SELECT raw FROM transactions WHERE transferId = ? ORDER BY generation, attempt',
  )
    .bind(id)
    .all<{ raw: string }>()
  return results.map(({ raw }) => raw)
}

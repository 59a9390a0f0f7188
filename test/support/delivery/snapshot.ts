/** Copies of the database, to set it back to an earlier time, as an operator may. */
import { env } from 'cloudflare:workers'
import type { Chain } from '../chain/chain.ts'

type Table = { name: string; columns: string[]; rows: string }
export type Snapshot = Table[]

/** Filled by triggers on other tables, so they are put back last. */
const COUNTED = ['nftCounts', 'creators']

/** Copies all tables. */
export async function takeSnapshot(): Promise<Snapshot> {
  const { results: columns } = await env.DB.prepare(
    `SELECT t.name AS "table", c.name AS "column" FROM sqlite_master t, pragma_table_info(t.name) c
     WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND t.name NOT LIKE '\\_cf%' ESCAPE '\\'
       AND t.name <> 'd1_migrations'`,
  ).all<{ table: string; column: string }>()
  const tables = [...Map.groupBy(columns, ({ table }) => table)].map(([name, ofTable]) => ({
    name,
    columns: ofTable.map(({ column }) => column),
  }))
  tables.sort((a, b) => COUNTED.indexOf(a.name) - COUNTED.indexOf(b.name))
  const copies = await env.DB.batch<Record<string, unknown>>(
    tables.map(({ name }) => env.DB.prepare(`SELECT * FROM "${name}"`)),
  )
  return tables.map((table, i) => ({ ...table, rows: JSON.stringify(copies[i]?.results ?? []) }))
}

/** Sets the database back. What was written since the snapshot is gone. */
export async function restore(snapshot: Snapshot): Promise<void> {
  const remove = ({ name }: Table) => env.DB.prepare(`DELETE FROM "${name}"`)
  const insert = ({ name, columns, rows }: Table) =>
    env.DB.prepare(
      `INSERT INTO "${name}" (${columns.map((column) => `"${column}"`).join(', ')})
       SELECT ${columns.map((column) => `value ->> '${column}'`).join(', ')} FROM json_each(?)`,
    ).bind(rows)
  await env.DB.batch([
    env.DB.prepare('PRAGMA defer_foreign_keys = ON'),
    ...snapshot.map(remove),
    ...snapshot.flatMap((table) =>
      COUNTED.includes(table.name) ? [remove(table), insert(table)] : insert(table),
    ),
  ])
}

/** Sets deliveries back to the time before they were signed: they are queued, or had failed. */
export async function forgetDeliveries(
  { chainId }: Pick<Chain, 'chainId'>,
  items: readonly { id: number }[],
  state: 'queued' | 'failed' = 'queued',
): Promise<void> {
  const at = new Date().toISOString()
  await env.DB.batch([
    env.DB.prepare(
      `UPDATE deliveries SET state = ?2, dueAt = iif(?2 = 'queued', ?3, NULL), queuedAt = ?3,
         reasonCode = iif(?2 = 'failed', 'holder_not_approved', NULL), transactionId = NULL,
         contract = NULL, deliveredAmount = NULL
       WHERE id IN (SELECT value FROM json_each(?1))`,
    ).bind(JSON.stringify(items.map(({ id }) => id)), state, at),
    ...['transactions', 'networks', 'signers'].map((table) =>
      env.DB.prepare(`DELETE FROM ${table} WHERE chainId = ?`).bind(chainId),
    ),
  ])
}

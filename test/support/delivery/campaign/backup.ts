/** Copies of the database, as an operator puts one back. */
import { env } from 'cloudflare:workers'
import type { Backup, World } from './world.ts'

/** Everything that changes in a campaign. Tables that refer to others come after them. */
const TABLES = [
  'users',
  'addresses',
  'nfts',
  'listings',
  'orders',
  'orderItems',
  'transactions',
  'deliveries',
  'networks',
  'signers',
  'burns',
  'idempotencyKeys',
] as const

/** A bound value has at most 2 MB. */
const ROWS_PER_STATEMENT = 500

export async function takeBackup(world: World): Promise<void> {
  const tables = await Promise.all(
    TABLES.map(async (name) => {
      // Without generated columns.
      const { results } = await env.DB.prepare('SELECT name FROM pragma_table_info(?)')
        .bind(name)
        .all<{ name: string }>()
      const columns = results.map((column) => `"${column.name}"`)
      const rows = await env.DB.prepare(`SELECT ${columns.join(', ')} FROM "${name}"`).raw()
      return { name, columns, rows }
    }),
  )
  const placed = world.orders.filter(({ isPlaced }) => isPlaced)
  world.backup = { tables, placed: new Set(placed.map(({ providerId }) => providerId)) }
}

/** Puts the newest copy back. What the Worker was doing goes on. The shop repeats later orders. */
export async function restoreBackup(world: World): Promise<void> {
  const { backup } = world
  if (!backup) return
  world.restores++
  await env.DB.batch([
    env.DB.prepare('PRAGMA defer_foreign_keys = on'),
    ...backup.tables.toReversed().map(({ name }) => env.DB.prepare(`DELETE FROM "${name}"`)),
    ...backup.tables.flatMap(insertRows),
  ])
  for (const order of world.orders) {
    order.isPlaced = backup.placed.has(order.providerId)
    if (order.isLate) order.isLinked = await hasWallet(order.buyerId)
  }
}

function insertRows({ name, columns, rows }: Backup['tables'][number]): D1PreparedStatement[] {
  const values = columns.map((_, i) => `value ->> ${i}`)
  return Array.from({ length: Math.ceil(rows.length / ROWS_PER_STATEMENT) }, (_, i) => {
    const part = rows.slice(i * ROWS_PER_STATEMENT, (i + 1) * ROWS_PER_STATEMENT)
    return env.DB.prepare(
      `INSERT INTO "${name}" (${columns.join(', ')}) SELECT ${values.join(', ')} FROM json_each(?)`,
    ).bind(JSON.stringify(part))
  })
}

async function hasWallet(userId: number): Promise<boolean> {
  const user = await env.DB.prepare('SELECT ethereumPublicAddr AS wallet FROM users WHERE id = ?')
    .bind(userId)
    .first<{ wallet: string }>()
  return user !== null && user.wallet !== ''
}

/** How far attackers may fill the database, as it follows from `docs/limits.md`. */
import { env } from 'cloudflare:workers'

/** `MAX_OPEN_ORDERS` of the campaign. */
export const MAX_OPEN = 1000

/** Orders and reservations of a user in a day: `OPEN_A_DAY` times as many. */
const ORDERS_A_DAY = 10 * MAX_OPEN

/** Bytes that a row takes at most on average, with its indexes. The others take `OTHER_BYTES`. */
const ROW_BYTES: Record<string, number> = {
  // With `custom`, which each event repeats.
  orders: 6_000,
  events: 6_000,
  // With the last 20 attempts.
  webhookMessages: 4_000,
  // Up to 100 orders or reservations.
  idempotencyKeys: 40_000,
}
const OTHER_BYTES = 1_000

/** Pages that are not full, and those of indexes. */
const PAGE_OVERHEAD = 1.5

/**
 * For how long the attack lasts and what it comes from. `sellers` are users with listings, `days`
 * those of UTC that it has touched.
 */
export type Extent = {
  since: string
  days: number
  minutes: number
  clients: number
  sellers: number
  /** Orders and sign-ins of victims since then. */
  victims: number
}

/** `n` of each owner is at most `most`. */
type Rule = { what: string; owners: string; most: (extent: Extent) => number }

const NEW_EVENT = 'id >= unixepoch(:since) * 1000000'

/** What no single request refuses. The other limits of an owner have tests of their own. */
const rules: Rule[] = [
  {
    what: 'idempotency keys of a user',
    // The namespace without the name of the token.
    owners: `SELECT substr(namespace, 1, 69) AS owner, count(*) AS n FROM idempotencyKeys
      WHERE namespace LIKE 'user:%' AND createdAt >= :since GROUP BY 1`,
    // A call for a reservation, and one for the order that takes its place.
    most: ({ days }) => 2 * ORDERS_A_DAY * days,
  },
  {
    what: 'events of an order, without those of its wallet',
    owners: `SELECT orderId AS owner, count(*) AS n FROM events
      WHERE ${NEW_EVENT} AND orderId IS NOT NULL AND type <> 'order.awaiting_wallet' GROUP BY 1`,
    most: () => 4,
  },
  {
    what: 'events of an order whose buyer unlinks a wallet',
    owners: `SELECT orderId AS owner, count(*) AS n FROM events
      WHERE ${NEW_EVENT} AND type = 'order.awaiting_wallet' GROUP BY 1`,
    most: ({ days }) => 1 + 10 * days,
  },
  {
    what: 'messages of an endpoint that wait for another attempt',
    owners: `SELECT endpointId AS owner, count(*) AS n FROM webhookMessages
      WHERE dueAt IS NOT NULL GROUP BY 1`,
    // What was in the log of a batch is added.
    most: () => 1_000 + 100,
  },
  {
    what: 'live rows of pieces that are held of an NFT',
    owners: `SELECT nftId AS owner, count(*) AS n FROM heldPieces
      WHERE expiresAt > :now GROUP BY 1`,
    most: () => 181,
  },
]

/** How many rows all attackers together may add to each table. Other tables do not grow. */
const totals: Record<string, (extent: Extent, rows: Record<string, number>) => number> = {
  users: (extent) => signIns(extent) + orders(extent),
  tokens: (extent) => signIns(extent) + extent.minutes * 10 * extent.clients + extent.victims,
  addresses: (extent, rows) => orders(extent) + 200 * extent.days * (rows.users ?? 0),
  orders: (extent) => orders(extent),
  orderItems: (extent) => orders(extent),
  deliveries: (extent) => orders(extent),
  transactions: (extent) => orders(extent),
  burns: (extent) => orders(extent),
  networks: () => 1,
  signers: () => 2,
  idempotencyKeys: (extent) => 2 * orders(extent),
  reservations: (extent) => orders(extent),
  heldPieces: ({ minutes, sellers }) => (181 + 6 * minutes) * 10 * (sellers + 1),
  events: (extent, rows) =>
    (4 + 10 * extent.days) * orders(extent) + 101 * extent.days * (rows.webhookEndpoints ?? 0),
  webhookEndpoints: (extent, rows) => 30 * extent.days * (rows.users ?? 0),
  webhookMessages: (extent, rows) => 10 * (rows.events ?? 0) + extent.victims,
  emailLinks: ({ clients }) => 20 * 16 * clients,
  walletNonces: ({ clients }) => 20 * 11 * clients,
  // Seven of a user, and those of each minute in which an endpoint was tested.
  quotas: ({ days }, rows) =>
    days * (7 * (rows.users ?? 0) + 102 * (rows.webhookEndpoints ?? 0)) + 200,
  networkChecks: () => 2,
  cronRuns: () => 1,
  alarms: () => 50,
  findings: () => 50,
  disagreements: () => 50,
  hourlyOrders: (extent) => 24 * extent.days + orders(extent) / 1000,
}

/** 20 attempts in a minute, of which a sign-in needs one. */
const signIns = ({ minutes, clients }: Extent) => 20 * minutes * clients
const orders = ({ days, sellers, victims }: Extent) => ORDERS_A_DAY * days * sellers + victims

export type Size = { rows: Record<string, number>; bytes: number }

/** The rows of each table, and the bytes of the database. */
export async function sizeOf(): Promise<Size> {
  const { results: tables } = await env.DB.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'
       AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name <> 'd1_migrations'`,
  ).all<{ name: string }>()
  const counts = await env.DB.batch<{ n: number }>(
    tables.map(({ name }) => env.DB.prepare(`SELECT count(*) AS n FROM "${name}"`)),
  )
  const rows = tables.map(({ name }, i) => [name, counts[i]?.results[0]?.n ?? 0])
  return { rows: Object.fromEntries(rows), bytes: counts[0]?.meta.size_after ?? 0 }
}

/** Returns what has grown more than the limits allow. */
export async function objectionsToGrowth(before: Size, extent: Extent): Promise<string[]> {
  const times: Record<string, string> = { since: extent.since, now: new Date().toISOString() }
  const bound = (sql: string) => sql.replace(/:(since|now)\b/g, (_, name) => `'${times[name]}'`)
  const owners = await env.DB.batch<{ owner: unknown; n: number }>(
    rules.map((rule) => env.DB.prepare(`${bound(rule.owners)} ORDER BY n DESC LIMIT 1`)),
  )
  const objections = rules.flatMap(({ what, most }, i) => {
    const [worst] = owners[i]?.results ?? []
    return worst && worst.n > most(extent)
      ? [`${what}: ${worst.n} of ${worst.owner}, at most ${most(extent)}`]
      : []
  })
  const after = await sizeOf()
  let bytes = 0
  for (const [table, count] of Object.entries(after.rows)) {
    const added = Math.max(0, count - (before.rows[table] ?? 0))
    const most = totals[table]?.(extent, after.rows) ?? 0
    if (added > most) objections.push(`${table}: ${added} new rows, at most ${most}`)
    bytes += added * (ROW_BYTES[table] ?? OTHER_BYTES)
  }
  const grown = after.bytes - before.bytes
  const most = Math.ceil(bytes * PAGE_OVERHEAD) + 1_000_000
  if (grown > most) objections.push(`the database: ${grown} new bytes, at most ${most}`)
  return objections
}

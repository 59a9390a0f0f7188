/** What a user has bought and sold, for the page that shows it. */
import { eq, type SQL, sql } from 'drizzle-orm'
import { readAsUser } from '../auth/session.ts'
import type { Database } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { type deliveryStates, orderItems } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'

/** Orders on one page. */
const PAGE_SIZE = 20

/** An order with its only item. */
export type HistoryEntry = {
  /** Id of the order. */
  id: number
  /** Order number of the shop. */
  providerId: string | null
  paidAt: string
  totalPriceCents: number
  /** ISO 4217. */
  currency: string
  quantity: number
  /** Wallet of the recipient; null while the buyer has none. */
  recipient: string | null
  nftId: number
  title: string
  coverKey: string | null
  /** A name in the NETWORKS configuration. */
  network: string
  state: (typeof deliveryStates)[number]
  reason: string | null
  /** When the delivery changed last. */
  changedAt: string
  /** The newest transaction that carries the item; null before the first. */
  hash: string | null
  sentAt: string | null
  buyerId: number
  buyerName: string | null
  buyerUsername: string | null
}

export type Side = 'bought' | 'sold'

type Range = Placeholders<{ userId: number; before: number }>

// Aliases, because D1 merges selected columns of the same name. CROSS JOIN keeps the order of the
// tables, so that SQLite begins with the index of the condition and stops at the limit.
const selectEntries = (db: Database, from: SQL, where: SQL, cursor: SQL) =>
  db.all<HistoryEntry>(sql`SELECT o.id, o.providerId, o.createdAt AS paidAt,
      o.totalPriceCents, o.totalPriceCurrency AS currency, i.quantity,
      i.ethRecipient AS recipient, i.nftId, n.title, n.coverKey, n.contractNetwork AS network,
      d.state, d.reason, d.updatedAt AS changedAt, t.hash, t.createdAt AS sentAt,
      o.buyerId, b.name AS buyerName, b.username AS buyerUsername
    FROM ${from} CROSS JOIN nfts n ON n.id = i.nftId CROSS JOIN deliveries d ON d.id = i.id
      CROSS JOIN users b ON b.id = o.buyerId LEFT JOIN transactions t ON t.id = d.transactionId
    WHERE ${where} ORDER BY ${cursor} DESC LIMIT ${sql.raw(String(PAGE_SIZE + 1))}`)

const entriesOf = {
  bought: prepared((db, { userId, before }: Range) =>
    selectEntries(
      db,
      sql`orders o CROSS JOIN orderItems i ON i.orderId = o.id`,
      sql`o.buyerId = ${userId} AND o.id < ${before}`,
      sql`o.id`,
    ),
  ),
  sold: prepared((db, { userId, before }: Range) =>
    selectEntries(
      db,
      sql`orderItems i CROSS JOIN orders o ON o.id = i.orderId`,
      sql`i.sellerId = ${userId} AND i.orderId < ${before}`,
      sql`i.orderId`,
    ),
  ),
}

const anySold = prepared((db, { userId }: Placeholders<{ userId: number }>) =>
  db.select({ id: orderItems.id }).from(orderItems).where(eq(orderItems.sellerId, userId)).limit(1),
)

/**
 * Returns the signed-in user and a page of what the user has bought or sold, newest first. `before`
 * is the `next` of the page before; null begins with the newest. Throws `unauthenticated`,
 * `forbidden`.
 */
export async function readHistory(db: Database, caller: Caller, side: Side, before: number | null) {
  const { userId } = caller
  const range = { userId, before: before ?? Number.MAX_SAFE_INTEGER }
  const [account, rows, sold] = await readAsUser(db, caller, [
    entriesOf[side](db, range),
    anySold(db, { userId }),
  ])
  const entries: HistoryEntry[] = rows.slice(0, PAGE_SIZE)
  const next = rows.length > PAGE_SIZE ? (rows[PAGE_SIZE - 1]?.id ?? null) : null
  return { account, entries, next, isSeller: sold.length > 0 }
}

/** What a user has bought and sold, for the page that shows it. */
import { type SQL, sql } from 'drizzle-orm'
import { readAsUser } from '../auth/session.ts'
import type { Database } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import type { deliveryStates } from '../db/schema/delivery.ts'
import type { Ctx } from '../http/context.ts'
import { soldOrders } from './list.ts'

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

type Range = Placeholders<{ userId: number; before: number; count: number }>

// Aliases, because D1 merges selected columns of the same name. CROSS JOIN keeps the order of the
// tables, so that SQLite begins with the index of the condition and stops at the limit.
const selectEntries = (db: Database, from: SQL, where: SQL) =>
  db.all<HistoryEntry>(sql`SELECT o.id, o.providerId, o.createdAt AS paidAt,
      o.totalPriceCents, o.totalPriceCurrency AS currency, i.quantity,
      i.ethRecipient AS recipient, n.id AS nftId, n.title, n.coverKey,
      n.contractNetwork AS network, d.state, d.reason,
      d.updatedAt AS changedAt, t.hash, t.createdAt AS sentAt, o.buyerId, b.name AS buyerName,
      b.username AS buyerUsername
    FROM ${from} CROSS JOIN users b ON b.id = o.buyerId
      CROSS JOIN orderItems i ON i.orderId = o.id CROSS JOIN deliveries d ON d.id = i.id
      CROSS JOIN nfts n ON n.id = i.nftId LEFT JOIN transactions t ON t.id = d.transactionId
    WHERE ${where} ORDER BY o.id DESC LIMIT ${sql.raw(String(PAGE_SIZE + 1))}`)

const entriesOf = {
  bought: prepared((db, { userId, before }: Range) =>
    selectEntries(db, sql`orders o`, sql`o.buyerId = ${userId} AND o.id < ${before}`),
  ),
  sold: prepared((db, { userId, before, count }: Range) =>
    selectEntries(
      db,
      sql`${soldOrders(userId, before, count)} s CROSS JOIN orders o ON o.id = s.orderId`,
      sql`1`,
    ),
  ),
}

const anySold = prepared((db, { userId }: Placeholders<{ userId: number }>) =>
  db.all<unknown>(sql`SELECT 1 FROM orderItems WHERE sellerId = ${userId} LIMIT 1`),
)

/**
 * Returns the signed-in user and a page of what the user has bought or sold, newest first. `before`
 * is the `next` of the page before; null begins with the newest. Throws `unauthenticated`,
 * `forbidden`.
 */
export async function readHistory(
  { db, caller }: Pick<Ctx, 'db' | 'caller'>,
  side: Side,
  before: number | null,
) {
  const { userId } = caller
  const range = { userId, before: before ?? Number.MAX_SAFE_INTEGER, count: PAGE_SIZE + 1 }
  const [account, rows, sold] = await readAsUser({ db, caller }, [
    entriesOf[side](db, range),
    anySold(db, { userId }),
  ])
  const entries = rows.slice(0, PAGE_SIZE)
  const next = rows.length > PAGE_SIZE ? (rows[PAGE_SIZE - 1]?.id ?? null) : null
  return { account, entries, next, isSeller: sold.length > 0 }
}

/** What a user has bought and sold, for the page that shows it. */
import { sql } from 'drizzle-orm'
import { readAsUser } from '../auth/session.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import type { DeliveryRow } from '../delivery/shown.ts'
import type { Ctx } from '../http/context.ts'
import { buildOrders, prepareOrders, viewerValues } from './read.ts'
import type { Order } from './schema.ts'

/** Orders on one page. */
const PAGE_SIZE = 20

export type Side = 'bought' | 'sold'

/** An order with its only item, and what the order does not show of its delivery. */
export type HistoryEntry = {
  order: Order
  item: Order['orderItems'][number]
  delivery: Pick<DeliveryRow, 'state' | 'sentAt'>
}

type Values = { userId: number; isMaster: number; before: number; count: number }

/** Select the newest orders before one. */
const ordersBySide = {
  bought: prepareOrders<Values>((_, { userId, before, count }) => ({
    ids: sql`SELECT id FROM orders
      WHERE buyerId = ${userId} AND id < ${before} ORDER BY id DESC LIMIT ${count}`,
  })),
  sold: prepareOrders<Values>((_, { userId, before, count }) => ({
    ids: sql`SELECT orderId FROM orderItems
      WHERE sellerId = ${userId} AND orderId < ${before} ORDER BY orderId DESC LIMIT ${count}`,
  })),
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
  { side, before }: { side: Side; before: number | null },
) {
  const viewer = { role: 'user', userId: caller.userId } as const
  const range = { before: before ?? Number.MAX_SAFE_INTEGER, count: PAGE_SIZE + 1 }
  const [account, sold, tables] = await readAsUser({ db, caller }, [
    anySold(db, viewer),
    ordersBySide[side](db, { ...viewerValues(viewer), ...range }),
  ])
  const deliveries = new Map(tables.items.map(({ id, delivery }) => [id, delivery]))
  const orders = [...buildOrders(viewer, tables).values()].sort((a, b) => b.id - a.id)
  const page = orders.slice(0, PAGE_SIZE)
  const entries = page.flatMap((order): HistoryEntry[] =>
    order.orderItems.flatMap((item) => {
      const delivery = deliveries.get(item.id)
      return delivery ? [{ order, item, delivery }] : []
    }),
  )
  const next = orders.length > PAGE_SIZE ? (page.at(-1)?.id ?? null) : null
  return { account, entries, next, isSeller: sold.length > 0 }
}

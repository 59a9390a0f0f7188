/** What a user has bought and sold, for the pages that show it. */

import { sql } from 'drizzle-orm'
import { readAsUser } from '../auth/session.ts'
import { prepared } from '../db/batch.ts'
import type { DeliveryDetails } from '../delivery/shown.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { buildOrders, ordersByIds, prepareOrders, type Tables, viewerValues } from './read.ts'
import type { Order } from './schema.ts'

/** Orders on one page. */
const PAGE_SIZE = 20

/** Items of a buyer that are counted as waiting for a wallet. */
const MAX_AWAITING = 1000

export type Side = 'bought' | 'sold'

/** An order with its only item, and what the order does not show of its delivery. */
export type HistoryEntry = {
  order: Order
  item: Order['orderItems'][number]
  delivery: DeliveryDetails
}

type Values = { userId: number; isMaster: number; before: number; count: number }

/** Orders that are looked at for what was delivered. */
const MAX_COLLECTED = 1000

/** Select the newest orders before one. `collected`: those that a buyer has got. */
const ordersBySide = {
  bought: prepareOrders<Values>((_, { userId, before, count }) => ({
    ids: sql`SELECT id FROM orders
      WHERE buyerId = ${userId} AND id < ${before} ORDER BY id DESC LIMIT ${count}`,
  })),
  sold: prepareOrders<Values>((_, { userId, before, count }) => ({
    ids: sql`SELECT orderId FROM orderItems
      WHERE sellerId = ${userId} AND orderId < ${before} ORDER BY orderId DESC LIMIT ${count}`,
  })),
  collected: prepareOrders<Values>((_, { userId, before, count }) => ({
    ids: sql`SELECT own.id FROM (SELECT id FROM orders WHERE buyerId = ${userId} AND id < ${before}
        ORDER BY id DESC LIMIT ${MAX_COLLECTED}) own CROSS JOIN orderItems i ON i.orderId = own.id
      CROSS JOIN deliveries d ON d.id = i.id AND d.state = 'transferred' LIMIT ${count}`,
  })),
}

type UserId = { userId: number }

const facts = prepared((db, { userId }: UserId) =>
  db.all<{ isSeller: 0 | 1; awaiting: number }>(sql`SELECT
    EXISTS (SELECT 1 FROM orderItems WHERE sellerId = ${userId}) AS isSeller,
    (SELECT count(*) FROM (SELECT 1 FROM deliveries
      WHERE awaits = ${userId} LIMIT ${MAX_AWAITING})) AS awaiting`),
)

type UserCtx = Pick<Ctx, 'db' | 'caller'>

const viewerOf = ({ caller: { userId } }: UserCtx) => ({ role: 'user', userId }) as const

type DetailedItem = Tables['items'][number] & { delivery: DeliveryDetails }

/** Returns what the statement of `prepareOrders` has read, newest first. */
function toEntries(ctx: UserCtx, tables: Tables & { items: DetailedItem[] }): HistoryEntry[] {
  const deliveries = new Map(tables.items.map((item: DetailedItem) => [item.id, item.delivery]))
  const orders = [...buildOrders(viewerOf(ctx), tables).values()].sort((a, b) => b.id - a.id)
  return orders.flatMap((order) =>
    order.orderItems.flatMap((item) => {
      const delivery = deliveries.get(item.id)
      return delivery ? [{ order, item, delivery }] : []
    }),
  )
}

/**
 * Returns the signed-in user and a page of what the user has bought, sold or got, newest first. `before`
 * is the `next` of the page before; null begins with the newest. `awaiting`: how many NFTs wait for
 * the user's wallet, on all pages. Throws `unauthenticated`, `forbidden`.
 */
export async function readHistory(
  ctx: UserCtx,
  { side, before }: { side: Side | 'collected'; before: number | null },
) {
  const viewer = viewerOf(ctx)
  const range = { before: before ?? Number.MAX_SAFE_INTEGER, count: PAGE_SIZE + 1 }
  const [account, [found], tables] = await readAsUser(ctx, [
    facts(ctx.db, viewer),
    ordersBySide[side](ctx.db, { ...viewerValues(viewer), ...range }),
  ])
  const all = toEntries(ctx, tables)
  const entries = all.slice(0, PAGE_SIZE)
  const next = all.length > PAGE_SIZE ? (entries.at(-1)?.order.id ?? null) : null
  return { account, entries, next, isSeller: found?.isSeller === 1, awaiting: found?.awaiting ?? 0 }
}

/** Selects the billing address of an order for its buyer, also if it is in no list any more. */
const billingLine = prepared((db, { id, userId }: UserId & { id: number }) =>
  db.all<{ line: string }>(sql`SELECT
      concat_ws(', ', companyName, street, postal, city, country, taxId) AS line
    FROM addresses
    WHERE id = (SELECT billingAddressId FROM orders WHERE id = ${id} AND buyerId = ${userId})`),
)

/**
 * Returns the signed-in user and an order that the user has bought or sold, with its billing address
 * if bought. Throws `unauthenticated`, `forbidden`, and `not_found` for any other order.
 */
export async function readHistoryEntry(ctx: UserCtx, id: number) {
  const viewer = viewerOf(ctx)
  const [account, [billing], tables] = await readAsUser(ctx, [
    billingLine(ctx.db, { id, ...viewer }),
    ordersByIds(ctx.db, { ids: JSON.stringify([id]), ...viewerValues(viewer) }),
  ])
  const [entry] = toEntries(ctx, tables)
  if (!entry) throw new ApiError('not_found', 'there is no order with this number')
  return { account, entry, billing: billing?.line }
}

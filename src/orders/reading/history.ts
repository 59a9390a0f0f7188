/** What a user has bought and sold, for the pages that show it. */
import { eq, sql } from 'drizzle-orm'
import { readAsUser } from '../../auth/session.ts'
import { deliveries } from '../../db/schema/delivery.ts'
import { orderItems, orders, type Paid } from '../../db/schema/orders.ts'
import { prepared } from '../../db/statements.ts'
import type { DeliveryDetails } from '../../delivery/shown.ts'
import type { Ctx } from '../../http/context.ts'
import { ApiError } from '../../http/errors.ts'
import { codesSql, type StoredFile } from './files.ts'
import { selectPage, toPage } from './list.ts'
import type { ReadNftRow } from './nft.ts'
import { byId, requireRow } from './order.ts'
import { buildOrders, isReleasedTo, type OrderRows, selectByIds } from './read.ts'
import type { Order } from './schema.ts'
import { selectShop } from './shop.ts'
import { type Viewer, viewOf } from './viewer.ts'

const PAGE_SIZE = 20

/** Deliveries to a buyer that are counted as waiting for a wallet: this number means that or more. */
export const MAX_AWAITING = 1000

export type Side = 'bought' | 'sold'

/** An order with its only order item, and what the order does not show of its delivery. */
export type HistoryEntry = {
  order: Order
  orderItem: Order['orderItems'][number]
  delivery: DeliveryDetails
  paid: Paid | null
  /** As the NFT has it. */
  heldBySeller: boolean
  /** What the delivery has released to the viewer. */
  content: Content
}

/** `hasCodes`: whether the order has codes. `isForHolder`: whether it is for who holds the token. */
type Content = {
  phrase: string | null
  files: readonly StoredFile[]
  hasCodes: boolean
  isForHolder: boolean
}

/** The filters of the orders that a user has bought, sold, or got. */
const filters = {
  bought: (userId: number) => ({ buyerUserId: userId }),
  sold: (userId: number) => ({ sellerId: userId }),
  collected: (userId: number) => ({ buyerUserId: userId, deliveryStatus: 'transferred' as const }),
}

type UserId = { userId: number }

const selectFacts = prepared((db, { userId }: UserId) =>
  db.all<{ isSeller: 0 | 1; awaiting: number }>(sql`SELECT
    EXISTS (SELECT 1 FROM orderItems WHERE sellerId = ${userId}) AS isSeller,
    (SELECT count(*) FROM (SELECT 1 FROM deliveries
      WHERE awaits = ${userId} LIMIT ${MAX_AWAITING})) AS awaiting`),
)

type UserCtx = Pick<Ctx, 'db' | 'caller'>

function toEntries(
  viewer: Viewer,
  orders: readonly Order[],
  { orders: rows, nfts }: { orders: OrderRows; nfts: readonly ReadNftRow[] },
): HistoryEntry[] {
  const byOrderItem = new Map(rows.map((row) => [row.orderItem.id, row]))
  const nftsById = byId(nfts)
  return orders.flatMap((order) =>
    order.orderItems.map((orderItem) => {
      const row = requireRow(byOrderItem, orderItem.id)
      const nft = requireRow(nftsById, orderItem.nftId)
      const { delivery, shop } = row
      return {
        ...{ order, orderItem, delivery, paid: shop.paid, heldBySeller: nft.heldBySeller },
        content: contentOf(viewer, row, nft),
      }
    }),
  )
}

/** What the content is. What else the creation data have is in the order. */
function contentOf(
  viewer: Viewer,
  row: OrderRows[number],
  { contentRelease, secretPhrase: phrase, files, hasCodes, ...nft }: ReadNftRow,
): Content {
  const isForHolder = contentRelease === 'holder' && row.delivery.state === 'transferred'
  if (!isReleasedTo(viewer, row, { ...nft, contentRelease }))
    return { phrase: null, files: [], hasCodes: false, isForHolder }
  const isBuyer = viewer.userId === row.order.buyerId
  return { phrase, files, hasCodes: hasCodes && isBuyer, isForHolder }
}

/** Selects the encrypted codes of an order for its buyer. */
const selectCodes = prepared((db, { id, userId }: UserId & { id: number }) =>
  db
    .select({ codes: codesSql(sql`${orderItems.id}`) })
    .from(orderItems)
    .innerJoin(orders, eq(orders.id, orderItems.orderId))
    .innerJoin(deliveries, eq(deliveries.id, orderItems.id))
    .where(
      sql`${orders.id} = ${id} AND ${orders.buyerId} = ${userId} AND ${deliveries.state} = 'transferred'`,
    ),
)

/**
 * Returns the signed-in user and a page of what the user has bought, sold or got, newest first. `before`
 * is the `next` of the page before; null begins with the newest. `awaiting`: how many NFTs wait for
 * the user's wallet, on all pages.
 */
export async function readHistory(
  ctx: UserCtx,
  { side, before }: { side: Side | 'collected'; before: number | null },
) {
  const { db, caller } = ctx
  const viewer = viewOf(caller.userId)
  const cursor = before === null ? undefined : { id: before }
  const request = { ...filters[side](viewer.userId), limit: PAGE_SIZE, cursor }
  const { account, facts, ...rows } = await readAsUser(ctx, {
    facts: selectFacts(db, viewer),
    ...selectPage(db, viewer, request),
  })
  const { orders, nextCursor } = toPage(viewer, request, rows)
  return {
    account,
    entries: toEntries(viewer, orders, rows),
    next: nextCursor === null ? null : Number(nextCursor),
    isSeller: facts[0]?.isSeller === 1,
    awaiting: facts[0]?.awaiting ?? 0,
  }
}

/** Selects the billing address of an order for its buyer, also if it is in no list any more. */
const selectBilling = prepared((db, { id, userId }: UserId & { id: number }) =>
  db.all<{ line: string }>(sql`SELECT
      concat_ws(', ', companyName, street, nullif(concat_ws(' ', postal, city), ''), country, taxId)
        AS line
    FROM addresses
    WHERE id = (SELECT billingAddressId FROM orders WHERE id = ${id} AND buyerId = ${userId})`),
)

/** Selects the name of the seller of an order; null if the seller has none. */
const selectSeller = prepared((db, { id }: { id: number }) =>
  db.all<{ name: string | null }>(sql`SELECT coalesce(nullif(name, ''), username) AS name
    FROM users WHERE id = (SELECT sellerId FROM orderItems WHERE orderId = ${id})`),
)

/**
 * Returns the signed-in user and an order that the user has bought or sold, with its shop, the name of
 * its seller, and if bought its billing address and encrypted codes.
 */
export async function readHistoryEntry(ctx: UserCtx, id: number) {
  const { db, caller } = ctx
  const viewer = viewOf(caller.userId)
  const { account, billing, shop, seller, codes, orders, nfts } = await readAsUser(ctx, {
    codes: selectCodes(db, { id, userId: viewer.userId }),
    seller: selectSeller(db, { id }),
    billing: selectBilling(db, { id, userId: viewer.userId }),
    shop: selectShop(db, { id }),
    ...selectByIds(db, viewer, [id]),
  })
  const [entry] = toEntries(viewer, buildOrders(viewer, orders, nfts), { orders, nfts })
  if (!entry) throw new ApiError('not_found', 'there is no order with this number')
  return {
    account,
    entry,
    shop: shop[0],
    seller: seller[0]?.name,
    billing: billing[0]?.line,
    sealedCodes: codes[0]?.codes ?? [],
  }
}

/** What operators see of an order, a user or an NFT. */
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import { personColumns, readAsUser } from '../auth/session.ts'
import { type Database, raw } from '../db/client.ts'
import { nfts } from '../db/schema/catalogue.ts'
import { orders } from '../db/schema/orders.ts'
import { users } from '../db/schema/users.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { selectListed } from './transfer-list.ts'

/** The newest transfers, NFTs and listings that a page shows. */
const NEWEST = 20

type DetailsCtx = Pick<Ctx, 'db' | 'caller'>
type Id = { id: number }

function required<Row>(row: Row | undefined, noun: string): Row {
  if (!row) throw new ApiError('not_found', `there is no ${noun} with this id`)
  return row
}

export type FoundListing = {
  id: number
  nftId: number
  title: string
  sellerId: number
  priceCents: number
  priceCurrency: string
  active: 0 | 1
}

const listingsWhere = (db: Database, column: 'nftId' | 'sellerId', id: number) =>
  raw<FoundListing>(
    db,
    sql`SELECT l.id, l.nftId, n.title, l.sellerId, l.priceCents, l.priceCurrency, l.active
      FROM listings l JOIN nfts n ON n.id = l.nftId
      WHERE l.${sql.raw(column)} = ${id} ORDER BY l.id DESC LIMIT ${NEWEST}`,
  )

export type OrderDetails = Omit<Awaited<ReturnType<typeof readOrderDetails>>, 'account'>

/** Returns the administrator and an order. Throws `unauthenticated`, `forbidden`, `not_found`. */
export async function readOrderDetails(ctx: DetailsCtx, { id }: Id) {
  const { db } = ctx
  const [account, [order], transfers] = await readAsUser(ctx, [
    db
      .select({
        id: orders.id,
        buyerId: orders.buyerId,
        providerId: orders.providerId,
        namespace: orders.namespace,
        amount: orders.totalPriceCents,
        currency: orders.totalPriceCurrency,
        createdAt: orders.createdAt,
      })
      .from(orders)
      .where(eq(orders.id, id)),
    selectListed(db, sql`i.orderId = ${id}`),
  ])
  return { account, order: required(order, 'order'), transfers }
}

export type UserDetails = Omit<Awaited<ReturnType<typeof readUserDetails>>, 'account'>

/** Returns the administrator and a user, with what the user bought, sold, offers and created. */
export async function readUserDetails(ctx: DetailsCtx, { id }: Id) {
  const { db } = ctx
  const isOfCreator = and(
    eq(nfts.creatorId, id),
    sql`${nfts.status} = 'released'`,
    isNull(nfts.deletedAt),
  )
  const [account, [user], bought, sold, listings, created] = await readAsUser(ctx, [
    db
      .select({
        ...personColumns,
        roleId: users.roleId,
        createdAt: users.createdAt,
        removedAt: users.removedAt,
      })
      .from(users)
      .where(eq(users.id, id)),
    selectListed(db, sql`o.buyerId = ${id} ORDER BY o.id DESC LIMIT ${NEWEST}`),
    selectListed(db, sql`i.sellerId = ${id} ORDER BY i.orderId DESC LIMIT ${NEWEST}`),
    listingsWhere(db, 'sellerId', id),
    db
      .select({ id: nfts.id, title: nfts.title })
      .from(nfts)
      .where(isOfCreator)
      .orderBy(desc(nfts.releaseAt))
      .limit(NEWEST),
  ])
  return { account, user: required(user, 'user'), bought, sold, listings, created }
}

export type NftDetails = Omit<Awaited<ReturnType<typeof readNftDetails>>, 'account'>

/** Returns the administrator and an NFT with its listings. Throws as `readOrderDetails`. */
export async function readNftDetails(ctx: DetailsCtx, { id }: Id) {
  const { db } = ctx
  const [account, [nft], listings] = await readAsUser(ctx, [
    db
      .select({
        id: nfts.id,
        externalId: nfts.externalId,
        title: nfts.title,
        creatorId: nfts.creatorId,
        network: nfts.contractNetwork,
        contractAddr: nfts.contractAddr,
        tokenId: nfts.tokenId,
        fulfilment: nfts.fulfilment,
        amount: nfts.amount,
        availableAmount: nfts.availableAmount,
        amountType: nfts.amountType,
        status: nfts.status,
        releaseAt: nfts.releaseAt,
        deletedAt: nfts.deletedAt,
      })
      .from(nfts)
      .where(eq(nfts.id, id)),
    listingsWhere(db, 'nftId', id),
  ])
  return { account, nft: required(nft, 'NFT'), listings }
}

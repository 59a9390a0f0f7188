/** What operators see of an order, a user or an NFT. Each throws `not_found` if there is none. */
import { eq, sql } from 'drizzle-orm'
import { readAsUser } from '../../auth/session.ts'
import { nfts } from '../../db/schema/catalogue.ts'
import { orders } from '../../db/schema/orders.ts'
import { users } from '../../db/schema/users.ts'
import type { Ctx } from '../../http/context.ts'
import { ApiError } from '../../http/errors.ts'
import { LIMIT, selectListings } from '../search/search.ts'
import { selectListed } from '../transfers/list.ts'

type DetailsCtx = Pick<Ctx, 'db' | 'caller'>
type Id = { id: number }

function required<Row>(row: Row | undefined): Row {
  if (!row) throw new ApiError('not_found', 'there is nothing with this id')
  return row
}

/** Returns the administrator and an order with its transfers. */
export async function readOrderDetails(ctx: DetailsCtx, { id }: Id) {
  const { buyerId, providerId, namespace, totalPriceCents, totalPriceCurrency, createdAt } = orders
  const order = { buyerId, providerId, namespace, totalPriceCents, totalPriceCurrency, createdAt }
  const [account, [row], transfers] = await readAsUser(ctx, [
    ctx.db.select(order).from(orders).where(eq(orders.id, id)),
    selectListed(ctx.db, sql`i.orderId = ${id}`),
  ])
  return { id, account, order: required(row), transfers }
}

/** Returns the administrator and a user with the newest listings and transfers. */
export async function readUserDetails(ctx: DetailsCtx, { id }: Id) {
  const { name, username, email, ethereumPublicAddr, createdAt } = users
  const user = { name, username, email, ethereumPublicAddr, createdAt }
  const [account, [row], bought, sold, listings] = await readAsUser(ctx, [
    ctx.db.select(user).from(users).where(eq(users.id, id)),
    selectListed(ctx.db, sql`o.buyerId = ${id} ORDER BY o.id DESC LIMIT ${LIMIT}`),
    selectListed(ctx.db, sql`i.sellerId = ${id} ORDER BY i.orderId DESC LIMIT ${LIMIT}`),
    selectListings(ctx.db, sql`l.sellerId = ${id}`),
  ])
  return { id, account, user: required(row), bought, sold, listings }
}

/** Returns the administrator and an NFT with its newest listings. */
export async function readNftDetails(ctx: DetailsCtx, { id }: Id) {
  const { title, externalId, creatorId, contractNetwork, contractAddr, tokenId, status } = nfts
  const { fulfilment, amount, availableAmount, amountType, releaseAt, deletedAt } = nfts
  const names = { title, externalId, creatorId, contractNetwork, contractAddr, tokenId, status }
  const nft = { ...names, fulfilment, amount, availableAmount, amountType, releaseAt, deletedAt }
  const [account, [row], listings] = await readAsUser(ctx, [
    ctx.db.select(nft).from(nfts).where(eq(nfts.id, id)),
    selectListings(ctx.db, sql`l.nftId = ${id}`),
  ])
  return { id, account, nft: required(row), listings }
}

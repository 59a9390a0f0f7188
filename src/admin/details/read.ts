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

function required<Row>([row]: readonly Row[]): Row {
  if (!row) throw new ApiError('not_found', 'there is nothing with this id')
  return row
}

/** Returns the administrator and an order with its transfers. */
export async function readOrderDetails(ctx: DetailsCtx, { id }: Id) {
  const { order, ...others } = await readAsUser(ctx, {
    order: ctx.db.select().from(orders).where(eq(orders.id, id)),
    transfers: selectListed(ctx.db, sql`i.orderId = ${id}`),
  })
  return { order: required(order), ...others }
}

/** Returns the administrator and a user with the newest listings and transfers. */
export async function readUserDetails(ctx: DetailsCtx, { id }: Id) {
  const { user, ...others } = await readAsUser(ctx, {
    user: ctx.db.select().from(users).where(eq(users.id, id)),
    bought: selectListed(ctx.db, sql`o.buyerId = ${id} ORDER BY o.id DESC LIMIT ${LIMIT}`),
    sold: selectListed(ctx.db, sql`i.sellerId = ${id} ORDER BY i.orderId DESC LIMIT ${LIMIT}`),
    listings: selectListings(ctx.db, sql`l.sellerId = ${id}`),
  })
  return { user: required(user), ...others }
}

/** Returns the administrator and an NFT with its newest listings. */
export async function readNftDetails(ctx: DetailsCtx, { id }: Id) {
  const { nft, ...others } = await readAsUser(ctx, {
    nft: ctx.db.select().from(nfts).where(eq(nfts.id, id)),
    listings: selectListings(ctx.db, sql`l.nftId = ${id}`),
  })
  return { nft: required(nft), ...others }
}

/** A shop to test with: somebody sells something to somebody else. */
import { eq } from 'drizzle-orm'
import { nfts, orderItems, orders } from '../../src/db/schema.ts'
import type { PlacedOrder } from '../../src/orders/answer.ts'
import { call } from '../support/api.ts'
import { aListing, aMasterToken, anAddress, anNft, aUser, db } from '../support/makers.ts'

type Goods = { nft?: Parameters<typeof anNft>[1]; listing?: Parameters<typeof aListing>[1] }

/** An NFT with 10 pieces, its listing, a seller, a buyer with a billing address, a master token. */
export async function aShop({ nft: nftValues, listing: listingValues }: Goods = {}) {
  const [token, seller, buyer] = await Promise.all([aMasterToken(), aUser(), aUser()])
  const address = await anAddress(buyer)
  const nft = await anNft(seller, nftValues)
  const listing = await aListing(nft, listingValues)
  /** What orders one piece. */
  const element = { nftId: nft.id, listingId: listing.id, quantity: 1, buyerUserId: buyer.id }
  return { token, seller, buyer, address, nft, listing, element }
}

export const place = (token: string, elements: unknown, headers: Record<string, string> = {}) =>
  call('POST', '/api/externalOrders', { token, json: elements, headers })

/** The orders of a call that must succeed. */
export async function placed(...args: Parameters<typeof place>): Promise<PlacedOrder[]> {
  const response = await place(...args)
  const { orders, error } = await response.json<{ orders: PlacedOrder[]; error: string | null }>()
  if (error !== null) throw new Error(error)
  return orders
}

/** Status and message of a call that is refused. */
export async function refusal(...args: Parameters<typeof place>) {
  const response = await place(...args)
  const body = await response.json<{ orders: null; error: string; code: string }>()
  return { status: response.status, ...body }
}

export const stockOf = async (nft: { id: number }) =>
  (await db.select().from(nfts).where(eq(nfts.id, nft.id)))[0]?.availableAmount

export const ordersOf = (buyer: { id: number }) =>
  db
    .select()
    .from(orders)
    .innerJoin(orderItems, eq(orderItems.orderId, orders.id))
    .where(eq(orders.buyerId, buyer.id))
    .orderBy(orders.id)

/** 101 or more of something alike. */
export const times = <T>(many: number, make: (i: number) => T): T[] =>
  Array.from({ length: many }, (_, i) => make(i))

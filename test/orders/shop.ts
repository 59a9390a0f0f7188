/** A shop to test with: somebody sells something to somebody else. */
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeEach, vi } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { nfts, orderItems, orders } from '../../src/db/schema.ts'
import { verifyToken } from '../../src/identity/tokens.ts'
import type { PlacedOrder } from '../../src/orders/answer.ts'
import { call } from '../support/api.ts'
import { aListing, aMasterToken, anAddress, anNft, aUser, db, issuer } from '../support/makers.ts'

/** What goes to the queue stays here, so that nothing is carried out while a test looks. */
export const sendBatch = vi.spyOn(env.TRANSFERS, 'sendBatch')
beforeEach(() => {
  sendBatch.mockReset()
})

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

/** Whom a token speaks for, as a verb takes it. */
export async function callerOf(token: string) {
  const caller = await verifyToken(issuer, token, new Date())
  if (!caller) throw new Error('the token is not valid')
  return caller
}

type Meddling = { before?: () => Promise<unknown>; after?: () => void }

/** A database in which something happens around each second trip: that of a call that writes. */
export function meddledDb({ before, after }: Meddling) {
  let trips = 0
  return connect({
    prepare: (sql) => env.DB.prepare(sql),
    async batch<T>(statements: D1PreparedStatement[]) {
      const isWrite = ++trips % 2 === 0
      if (isWrite) await before?.()
      const results = await env.DB.batch<T>(statements)
      if (isWrite) after?.()
      return results
    },
  })
}

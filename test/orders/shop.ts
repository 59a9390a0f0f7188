/** A shop for tests: an NFT with its listing, seller and buyer, and calls that place orders. */
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeEach, vi } from 'vitest'
import { verifyToken } from '../../src/auth/tokens.ts'
import { connect } from '../../src/db/client.ts'
import { nfts } from '../../src/db/schema/catalogue.ts'
import { orderItems, orders } from '../../src/db/schema/orders.ts'
import { readSettings } from '../../src/env.ts'
import type { PlacedOrder } from '../../src/orders/reading/schema.ts'
import { answerOf, call } from '../support/api.ts'
import {
  aListing,
  aMasterToken,
  anAddress,
  anNft,
  aUser,
  db,
  findRow,
  issuer,
} from '../support/makers.ts'

/**
 * Records what each test of the file sends to the queue of deliveries. A function, because files
 * share this module, but not their hooks.
 */
export function recordWakeUps() {
  const sendBatch = vi.spyOn(env.DELIVERIES, 'sendBatch')
  beforeEach(() => {
    sendBatch.mockReset()
    sendBatch.mockResolvedValue({ metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } })
  })
  return sendBatch
}

export const settings = readSettings(env)

type Goods = { nft?: Parameters<typeof anNft>[1]; listing?: Parameters<typeof aListing>[1] }

export type Shop = Awaited<ReturnType<typeof aShop>>

/** An NFT with 10 pieces, its listing, a seller, a buyer with a billing address, a master token. */
export async function aShop({ nft: nftValues, listing: listingValues }: Goods = {}) {
  const [token, seller, buyer] = await Promise.all([aMasterToken(), aUser(), aUser()])
  const address = await anAddress(buyer)
  const nft = await anNft(seller, nftValues)
  const listing = await aListing(nft, listingValues)
  /** Orders one piece. */
  const input = { nftId: nft.id, listingId: listing.id, quantity: 1, buyerUserId: buyer.id }
  return { token, seller, buyer, address, nft, listing, input }
}

/** Four fields: enough for a new billing address. */
export const billingData = { city: 'Ulm', country: 'DE', postal: '89073', street: 'Am Markt 1' }

export const place = (token: string, inputs: unknown, headers: Record<string, string> = {}) =>
  call('POST', '/api/externalOrders', { token, json: inputs, headers })

/** Places orders and returns them. Throws if the call fails. */
export async function placed(...args: Parameters<typeof place>): Promise<PlacedOrder[]> {
  const response = await place(...args)
  const { orders, error } = await response.json<{ orders: PlacedOrder[]; error: string | null }>()
  if (error !== null) throw new Error(error)
  return orders
}

/** Places one order, and returns it with its item. */
export async function sold(token: string, input: object) {
  const [order] = await placed(token, [input])
  const [item] = order?.orderItems ?? []
  if (!order || !item) throw new Error('no order was placed')
  return { order, item }
}

/** Where the link of an order leads. */
export async function claimPathOf(orderId: number): Promise<string> {
  const secret = (await findRow(orders, orderId))?.claimSecret ?? ''
  if (!/^[0-9a-f]{32}$/.test(secret)) throw new Error(`"${secret}" is no secret`)
  return `/claim/${orderId}?secret=${secret}`
}

export type Failure = {
  orders: null
  error: string
  code: string
  issues: { path: string; code: string; message: string }[]
}

/** Returns the status and the body of a call that fails. */
export const placeError = (...args: Parameters<typeof place>) => answerOf<Failure>(place(...args))

/** What is wrong with each of these orders, as in `orders[0].quantity: must be …`. */
export const problemsOf = async (token: string, inputs: readonly unknown[]) =>
  (await placeError(token, inputs)).issues.map(({ path, message }) => `${path}: ${message}`)

/** The fields or rows of problems, each with its code. */
export const codesOf = ({ issues }: Pick<Failure, 'issues'>) =>
  issues.map(({ path, code }) => `${path} ${code}`)

export const stockOf = async (nft: { id: number }) =>
  (await db.select().from(nfts).where(eq(nfts.id, nft.id)))[0]?.availableAmount

export const ordersOf = (buyer: { id: number }) =>
  db
    .select()
    .from(orders)
    .innerJoin(orderItems, eq(orderItems.orderId, orders.id))
    .where(eq(orders.buyerId, buyer.id))
    .orderBy(orders.id)

/** Returns a value as often as that. */
export const copies = <T>(count: number, value: T): T[] => times(count, () => value)

/** Returns the results of `count` calls of `make`. */
export const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))

/** Returns the caller that a token authenticates. */
export async function callerOf(token: string) {
  const caller = await verifyToken(issuer, token, new Date())
  if (!caller) throw new Error('the token is not valid')
  return caller
}

type Hooks = { beforeWrite?: () => PromiseLike<unknown>; afterWrite?: () => void }

/** The context of a call by a token. */
export const contextOf = async (token: string, database = db, now = new Date()) => ({
  db: database,
  caller: await callerOf(token),
  settings,
  now,
})

/** The context of a call by a token. Before its first write, something else happens. */
export function racing(token: string, change: () => PromiseLike<unknown>) {
  let hasChanged = false
  const beforeWrite = async () => {
    if (!hasChanged) await change()
    hasChanged = true
  }
  return contextOf(token, dbWithHooks({ beforeWrite }))
}

/** A database that calls hooks around every second trip: the trip in which `placeOrders` writes. */
export function dbWithHooks({ beforeWrite, afterWrite }: Hooks) {
  let trips = 0
  return connect({
    prepare: (sql) => env.DB.prepare(sql),
    async batch<T>(statements: D1PreparedStatement[]) {
      const isWrite = ++trips % 2 === 0
      if (isWrite) await beforeWrite?.()
      const results = await env.DB.batch<T>(statements)
      if (isWrite) afterWrite?.()
      return results
    },
  })
}

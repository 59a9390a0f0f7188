import { beforeAll, expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { orderItems, orders } from '../../src/db/schema/orders.ts'
import { explain } from '../../src/delivery/reasons.ts'
import type { SummarizedOrder } from '../../src/orders/reading/order.ts'
import { call } from '../support/api.ts'
import {
  aListing,
  aMasterToken,
  anAddress,
  anNft,
  aToken,
  aTransaction,
  aUser,
  findRow,
  setRow,
} from '../support/makers.ts'
import { sold } from './shop.ts'

const MINUTE = 60_000
const START = Date.parse('2026-05-01T00:00:00.000Z')
const at = (minutes: number, milliseconds = 0) =>
  new Date(START + minutes * MINUTE + milliseconds).toISOString()

/** What the plain filter knows of an order. */
type Known = {
  id: number
  itemId: number
  providerId: string | null
  source: string
  sellerId: number
  buyerUserId: number
  deliveryStatus: string
  createdAt: string
  updatedAt: string
}
type Filter = Partial<
  Pick<Known, 'providerId' | 'source' | 'sellerId' | 'buyerUserId' | 'deliveryStatus'>
> & { createdFrom?: string; createdTo?: string; updatedFrom?: string }

const matches = (order: Known, { createdFrom, createdTo, updatedFrom, ...equal }: Filter) =>
  Object.entries(equal).every(([name, value]) => order[name as keyof Known] === value) &&
  (createdFrom === undefined || order.createdAt >= createdFrom) &&
  (createdTo === undefined || order.createdAt < createdTo) &&
  (updatedFrom === undefined || order.updatedAt >= updatedFrom)

const states = [
  { state: 'transferred', shown: 'transferred', isSent: true },
  { state: 'failed', shown: 'failed', isSent: false },
  { state: 'queued', shown: 'pending', isSent: false },
  { state: 'in_flight', shown: 'transferring', isSent: true },
  { state: 'awaiting_wallet', shown: 'awaiting_wallet', isSent: false },
  { state: 'cancelled', shown: 'failed', isSent: false },
  { state: 'queued', shown: 'transferring', isSent: true },
] as const

let known: Known[] = []
let master: string
let viewers: { token: string; userId: number | null }[] = []

/** Two users who sell to each other and to a third, through tokens of two names. */
beforeAll(async () => {
  const users = await Promise.all([aUser(), aUser(), aUser()])
  const [ada, bo] = users
  master = await aMasterToken('Shop')
  const tokens = [
    { token: master, source: 'Shop', seller: null },
    { token: await aMasterToken('ERP'), source: 'ERP', seller: null },
    { token: await aToken(ada, 'user', 'api', 'Shop'), source: 'Shop', seller: ada },
    { token: await aToken(bo, 'user', 'session'), source: 'session', seller: bo },
  ]
  const sales = []
  for (const seller of [ada, bo]) {
    const nft = await anNft(seller, { amount: 100 })
    sales.push({ seller, nftId: nft.id, listingId: (await aListing(nft)).id })
  }
  for (const user of users) await anAddress(user)
  viewers = [
    { token: master, userId: null },
    ...(await Promise.all(
      users.map(async (user) => ({ token: await aToken(user), userId: user.id })),
    )),
  ]
  for (let i = 0; i < 42; i++) {
    const { token, source, seller } = tokens[i % 4] ?? { token: '', source: '', seller: null }
    const sale = sales.find((one) => one.seller === seller) ?? sales[Math.floor(i / 4) % 2]
    const buyer = users[(i * 7 + Math.floor(i / 3)) % 3]
    if (!sale || !buyer) throw new Error('no sale')
    const providerId = i % 5 === 0 ? `number ${Math.floor(i / 10)}` : null
    const input = { nftId: sale.nftId, listingId: sale.listingId, quantity: 1, providerId }
    const { order, item } = await sold(token, { ...input, buyerUserId: buyer.id })
    const itemId = item.id
    const { shown, ...state } = states[i % states.length] ?? states[0]
    // A call that waited for the database is written after one that came later.
    const createdAt = i % 6 === 5 ? at(i, -100_000) : at(i)
    const updatedAt = at(50 + ((i * 11) % 40) + Math.floor(i / 21) / 10)
    await setDelivery(itemId, createdAt, { ...state, updatedAt, buyerId: buyer.id })
    known.push({
      ...{ id: order.id, itemId, providerId, source, sellerId: sale.seller.id },
      ...{ buyerUserId: buyer.id, deliveryStatus: shown, createdAt, updatedAt },
    })
  }
})

type State = (typeof states)[number]['state']
type Delivery = { state: State; isSent: boolean; updatedAt: string; buyerId: number }

/** Sets the state of an item as its delivery leaves it, and when its order was placed. */
async function setDelivery(itemId: number, createdAt: string, delivery: Delivery) {
  const { state, isSent, updatedAt, buyerId } = delivery
  const isOpen = state === 'in_flight'
  const transactionId = isSent ? (await aTransaction({ items: [itemId], isOpen })).id : null
  const reason =
    state === 'failed' ? explain('no_relayer') : state === 'cancelled' ? explain('cancelled') : {}
  await setRow(deliveries, itemId, {
    ...{ state, transactionId, createdAt, updatedAt, reasonCode: null, reason: null, ...reason },
    dueAt: state === 'queued' ? createdAt : null,
    awaits: state === 'awaiting_wallet' ? buyerId : null,
  })
  await setRow(orders, (await findRow(orderItems, itemId))?.orderId, { createdAt })
}

type Page = { orders: SummarizedOrder[]; nextCursor: string | null; error: null }

async function pageOf(token: string, query: object): Promise<Page> {
  const entries = Object.entries({ fields: 'summary', limit: 100, ...query })
  const search = new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))
  const response = await call('GET', `/api/externalOrders?${search}`, { token })
  expect(response.status).toBe(200)
  return response.json<Page>()
}

async function idsOf(token: string, query: object): Promise<number[]> {
  const ids: number[] = []
  for (let cursor: string | null = null; ; ) {
    const page: Page = await pageOf(token, { ...query, ...(cursor && { cursor }) })
    ids.push(...page.orders.map(({ id }) => id))
    cursor = page.nextCursor
    if (cursor === null) return ids
  }
}

const isSeen = (order: Known, userId: number | null) =>
  userId === null || order.buyerUserId === userId || order.sellerId === userId

/** The ids that a list has to have, in its order. */
function expected(filter: Filter, userId: number | null): number[] {
  const found = known.filter((order) => isSeen(order, userId) && matches(order, filter))
  const isByChange = filter.updatedFrom !== undefined && filter.providerId === undefined
  return found
    .sort((a, b) =>
      isByChange ? a.updatedAt.localeCompare(b.updatedAt) || a.id - b.id : b.id - a.id,
    )
    .map(({ id }) => id)
}

/** A value of each filter. */
function someValues(): Required<Filter> {
  const { source = '', sellerId = 0, buyerUserId = 0, deliveryStatus = '' } = known[8] ?? {}
  const times = { createdFrom: at(4), createdTo: at(30), updatedFrom: at(55) }
  return { providerId: 'number 1', source, sellerId, buyerUserId, deliveryStatus, ...times }
}

it('finds what a plain filter finds, for every pair of filters and every caller', async () => {
  const values = someValues()
  const names = Object.keys(values) as (keyof Filter)[]
  for (const [i, one] of names.entries())
    for (const other of names.slice(i))
      for (const { token, userId } of viewers) {
        const filter = { [one]: values[one], [other]: values[other] }
        const what = `${JSON.stringify(filter)} for ${userId}`
        expect(await idsOf(token, filter), what).toEqual(expected(filter, userId))
      }
})

it('finds the same in pages of five, and with all filters at once', async () => {
  const { providerId, ...rest } = someValues()
  const filters: Filter[] = [
    {},
    { createdFrom: at(4), createdTo: at(30) },
    { source: 'Shop' },
    { deliveryStatus: 'failed' },
    { deliveryStatus: 'transferring', createdFrom: at(10) },
    { updatedFrom: at(55) },
    rest,
    { ...rest, providerId },
  ]
  for (const filter of filters)
    for (const { token, userId } of viewers)
      expect(await idsOf(token, { ...filter, limit: 5 })).toEqual(expected(filter, userId))
})

it('lists an order that changes meanwhile once more by updatedFrom, at the end, and loses none', async () => {
  const query = { updatedFrom: at(50), limit: 10 }
  const before = expected({ updatedFrom: at(50) }, null)
  const first = await pageOf(master, query)
  // One that was read, and some that are to be read: they begin or end to be under way.
  const changing = [0, 12, 20, 28].map((i) => known.find(({ id }) => id === before[i]))
  for (const [i, order] of changing.entries()) {
    if (!order) throw new Error('no orders')
    const state = order.deliveryStatus === 'failed' ? 'queued' : 'failed'
    const updatedAt = at(200 + i)
    const delivery = { state, isSent: false, updatedAt, buyerId: order.buyerUserId } as const
    await setDelivery(order.itemId, order.createdAt, delivery)
    const deliveryStatus = state === 'queued' ? 'pending' : 'failed'
    known = known.map((one) => (one.id === order.id ? { ...one, updatedAt, deliveryStatus } : one))
  }
  const rest = await idsOf(master, { ...query, cursor: first.nextCursor })
  const changed = changing.map((order) => order?.id)
  expect([...first.orders.map(({ id }) => id), ...rest]).toEqual([
    ...before.slice(0, 10),
    ...before.slice(10).filter((id) => !changed.includes(id)),
    ...changed,
  ])
})

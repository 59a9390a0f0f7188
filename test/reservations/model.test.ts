/**
 * Random reservations, orders, releases, imports, changes, withdrawals, returned pieces, codes and passing time, from a seed, some
 * of them at the same time. Whatever is answered, the stock is what it must be: nothing is lost, and nothing
 * is sold or held twice.
 */

import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { batch } from '../../src/db/batch.ts'
import { listings } from '../../src/db/schema/catalogue.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { raw } from '../../src/db/statements.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { deliver } from '../../src/delivery/rules/delivery-changes.ts'
import { NO_CHANGES, writeChanges } from '../../src/delivery/store/changes.ts'
import { sweepReservations } from '../../src/reservations/reserve.ts'
import { aListingRecord, anNftRecord, aUserRecord, linesOf } from '../catalogue/records.ts'
import { pickFrom } from '../fuzz/hostile/attackers.ts'
import { recordWakeUps } from '../orders/shop.ts'
import { type Call, call } from '../support/api.ts'
import { aDice, type Dice } from '../support/delivery/campaign/dice.ts'
import { aMasterToken, anAddress, aToken, aUser, db, setRow } from '../support/makers.ts'
import { PATIENCE } from '../support/patience.ts'

recordWakeUps()

type Goods = {
  name: string
  number: number
  amountType: 'limited' | 'unique' | 'unlimited'
  /** Null if it follows from codes. */
  amount: number | null
  nftId: number
  listingId: number
  priceCents: number
}
type Hold = { id: string; goods: Goods; quantity: number; priceCents: number; token: string }
type World = {
  dice: Dice
  goods: Goods[]
  holds: Hold[]
  /** Tokens of two shops and of the seller. */
  tokens: string[]
  master: string
  seller: string
  buyerUserId: number
  /** Whether several calls run at the same time. */
  isBurst: boolean
  /** Orders that took a reservation. */
  used: number
  /** Codes that were uploaded. */
  codes: number
}
type Answer = { status: number; body: { code?: string } & Record<string, unknown> }

const send = async (method: string, path: string, content: Call): Promise<Answer> => {
  const response = await call(method, path, content)
  const text = await response.text()
  return { status: response.status, body: text ? JSON.parse(text) : {} }
}

/** Cleo may change it as well, who holds the pieces. */
const nftRecord = ({ name, number, amountType }: Goods, amount: number | null) =>
  anNftRecord(`cleo/${name}`, number, {
    ...{ amountType, amount, heldBySeller: true },
    ...(amount === null && { content: { release: 'delivered', codes: true } }),
  })

const listingRecord = ({ name, priceCents }: Goods) =>
  aListingRecord(`cleo/${name}`, `cleo/${name}`, { priceCents })

async function createWorld(seed: number): Promise<World> {
  const dice = aDice(seed)
  const master = await aMasterToken()
  const kinds = ['limited', 'limited', 'unique', 'unlimited', 'codes', 'codes'] as const
  const goods = kinds.map((kind, i): Goods => {
    const amountType = kind === 'codes' ? 'limited' : kind
    const amount = kind === 'codes' ? null : kind === 'unique' ? 1 : 4 + 3 * i
    const [name, number] = [`nft-${seed}-${i}`, 10 * seed + i]
    return { name, number, amountType, amount, nftId: 0, listingId: 0, priceCents: 1000 }
  })
  const records = [
    aUserRecord('cleo'),
    ...goods.map((one) => nftRecord(one, one.amount)),
    ...goods.map(listingRecord),
  ]
  await send('POST', '/api/admin/catalogue', { token: master, body: linesOf(records) })
  // As if each listing had been tried.
  await db.update(listings).set({ untriedUntil: null })
  const [rows] = await db.batch([
    raw<{ name: string; nftId: number; listingId: number; sellerId: number }>(db)`
      SELECT substr(n.externalId, 6) AS name, n.id AS nftId, l.id AS listingId, l.sellerId
      FROM nfts n JOIN listings l ON l.nftId = n.id WHERE n.externalId LIKE ${`cleo/nft-${seed}-%`}`,
  ])
  for (const one of goods)
    Object.assign(
      one,
      rows.find(({ name }) => name === one.name),
    )
  const buyer = await aUser()
  await anAddress(buyer)
  const seller = await aToken({ id: rows[0]?.sellerId ?? 0 })
  const tokens = [master, await aMasterToken(), seller]
  return {
    dice,
    goods,
    holds: [],
    tokens,
    master,
    seller,
    buyerUserId: buyer.id,
    isBurst: false,
    used: 0,
    codes: 0,
  }
}

const drawn = <T>(dice: Dice, list: readonly T[]): T | undefined => list[dice.upTo(list.length)]

/** Returns whether a call has succeeded. Throws if it failed with another code. */
function isDone({ status, body }: Answer, ...codes: string[]): boolean {
  expect(['done', ...codes]).toContain(status < 300 ? 'done' : body.code)
  return status < 300
}

type Step = (world: World) => Promise<unknown>

const reserve: Step = async (world) => {
  const { dice, tokens, goods } = world
  const token = pickFrom(dice, tokens)
  const parts = Array.from({ length: 1 + dice.upTo(3) }, () => ({
    goods: pickFrom(dice, goods),
    quantity: 1 + dice.upTo(3),
    ttl: 1 + dice.upTo(900),
  }))
  const json = parts.map(({ goods, ...part }) => ({ ...part, listingId: goods.listingId }))
  const answer = await send('POST', '/api/reservations', { token, json })
  if (!isDone(answer, 'sold_out')) return
  const made = answer.body.reservations as { id: string; priceCents: number }[]
  for (const [i, part] of parts.entries()) {
    const { id = '', priceCents } = made[i] ?? {}
    expect(priceCents).toBe(part.goods.priceCents)
    world.holds.push({ id, ...part, priceCents: part.goods.priceCents, token })
  }
}

const order: Step = async (world) => {
  const { dice, buyerUserId } = world
  const parts = Array.from({ length: 1 + dice.upTo(3) }, () => {
    const hold = dice.chance(0.6) ? drawn(dice, world.holds.slice(-12)) : undefined
    return hold
      ? { hold, goods: hold.goods, quantity: hold.quantity }
      : { hold, goods: pickFrom(dice, world.goods), quantity: 1 + dice.upTo(2) }
  })
  const [reserver] = parts.flatMap(({ hold }) => hold?.token ?? [])
  const token = reserver && dice.chance(0.8) ? reserver : pickFrom(dice, world.tokens)
  const json = parts.map(({ goods, quantity, hold }) => ({
    ...{ nftId: goods.nftId, listingId: goods.listingId, quantity, buyerUserId },
    ...(hold && { reservationId: hold.id }),
  }))
  const checked = await send('POST', '/api/externalOrders/check', { token, json })
  const answer = await send('POST', '/api/externalOrders', { token, json })
  if (!world.isBurst)
    expect([checked.status, checked.body.code]).toEqual([answer.status, answer.body.code])
  if (!isDone(answer, 'sold_out', 'reservation_not_found')) return
  const orders = answer.body.orders as { orderItems: { priceCents: number }[] }[]
  for (const [i, { hold, goods }] of parts.entries()) {
    expect(orders[i]?.orderItems[0]?.priceCents).toBe((hold ?? goods).priceCents)
    if (!hold) continue
    world.used++
    // Most of them are not tried again.
    if (dice.chance(0.7)) world.holds = world.holds.filter((one) => one !== hold)
  }
}

const release: Step = async ({ dice, tokens, holds }) => {
  const { id } = drawn(dice, holds.slice(-12)) ?? { id: crypto.randomUUID() }
  isDone(
    await send('DELETE', `/api/reservations/${id}`, { token: pickFrom(dice, tokens) }),
    'not_found',
  )
}

const importAmount: Step = async ({ dice, goods, master }) => {
  const one = pickFrom(
    dice,
    goods.filter(({ amountType, amount }) => amountType !== 'unique' && amount !== null),
  )
  const amount = Math.max(1, (one.amount ?? 0) + dice.upTo(9) - 5)
  const body = linesOf([nftRecord(one, amount)])
  const answer = await send('POST', '/api/admin/catalogue', { token: master, body })
  if (isDone(answer, 'amount_too_small')) one.amount = amount
}

const importPrice: Step = async ({ dice, goods, master }) => {
  const one = pickFrom(dice, goods)
  const priceCents = 1000 + dice.upTo(9000)
  const body = linesOf([listingRecord({ ...one, priceCents })])
  isDone(await send('POST', '/api/admin/catalogue?confirm=true', { token: master, body }))
  one.priceCents = priceCents
}

/** What the API takes of a record from who lists it. */
function bodyOf(record: object) {
  const { type, id, creator, seller, heldBySeller, ...body }: Record<string, unknown> = {
    ...record,
  }
  return body
}

/** Fewer pieces and another price: nodes are asked about more. */
const changeOwn: Step = async ({ dice, goods, seller }) => {
  const one = pickFrom(
    dice,
    goods.filter(({ amountType, amount }) => amountType === 'limited' && amount !== null),
  )
  const amount = Math.max(1, (one.amount ?? 0) - dice.upTo(3))
  const json = { ...bodyOf(nftRecord(one, amount)), priceCents: 1000 + dice.upTo(900) }
  const path = `/api/nfts/${one.name}?confirm=true`
  if (isDone(await send('PUT', path, { token: seller, json }), 'amount_too_small'))
    one.amount = amount
}

/** Nothing is sold of what is withdrawn, until an operator puts it on sale again. */
const withdrawOne: Step = async ({ dice, goods, seller, master, buyerUserId }) => {
  const one = pickFrom(dice, goods)
  isDone(await send('DELETE', `/api/listings/${one.name}`, { token: seller }))
  const json = [{ nftId: one.nftId, listingId: one.listingId, quantity: 1, buyerUserId }]
  const refused = await send('POST', '/api/externalOrders', { token: master, json })
  expect(refused.body.code).toBe('listing_inactive')
  isDone(
    await send('POST', '/api/admin/catalogue?confirm=true', {
      token: master,
      body: linesOf([listingRecord(one)]),
    }),
  )
  await db.update(listings).set({ untriedUntil: null })
}

/** An item whose key is used up fails, and its pieces return. */
const returnPieces: Step = async ({ dice, master }) => {
  const [rows] = await db.batch([
    raw<{ id: number }>(db)`
      SELECT id FROM deliveries WHERE state <> 'written_off' ORDER BY id DESC LIMIT 20`,
  ])
  const item = drawn(dice, rows)
  if (!item) return
  const failed = { state: 'failed', dueAt: null, ...explain('token_moved_nothing') } as const
  await setRow(deliveries, item.id, failed)
  const json = { returnPieces: true }
  const path = `/api/admin/transfers/${item.id}/write-off`
  isDone(await send('POST', path, { token: master, json }))
}

const withCodes = ({ dice, goods }: World) =>
  pickFrom(
    dice,
    goods.filter(({ amount }) => amount === null),
  )

const uploadCodes: Step = async (world) => {
  const { dice, master } = world
  const { nftId } = withCodes(world)
  const lines = Array.from({ length: 1 + dice.upTo(6) }, () => `code ${world.codes++}`)
  const body = lines.join('\n')
  isDone(await send('POST', `/api/admin/nfts/${nftId}/codes`, { token: master, body }))
}

const removeCodes: Step = async (world) => {
  const path = `/api/admin/nfts/${withCodes(world).nftId}/codes`
  isDone(await send('DELETE', path, { token: world.master }))
}

/** What is delivered has its codes. */
const deliverOne: Step = async (world) => {
  const { nftId } = withCodes(world)
  const [rows] = await db.batch([
    raw<typeof deliveries.$inferSelect>(db)`SELECT d.* FROM deliveries d
      JOIN "orderItems" i ON i.id = d.id WHERE i.nftId = ${nftId}
        AND d.state NOT IN ('transferred', 'written_off') ORDER BY d.id`,
  ])
  const row = drawn(world.dice, rows)
  if (!row) return
  const now = new Date()
  const changes = { ...NO_CHANGES, deliveries: [deliver(row, 1n)] }
  await batch(db, writeChanges(db, 1, changes, { now, leaseUntil: now.toISOString() }))
}

const letTimePass: Step = async ({ dice }) =>
  vi.setSystemTime(Date.now() + 1000 * (1 + dice.upTo(dice.chance(0.2) ? 900 : 60)))

const sweep: Step = async () => {
  for (const statement of sweepReservations(db, new Date())) await db.batch([statement])
}

const burst: Step = async (world) => {
  world.isBurst = true
  const steps = Array.from({ length: 5 }, () =>
    pickFrom(world.dice, [reserve, order, order, release, importAmount, uploadCodes, deliverOne]),
  )
  await Promise.all(steps.map((step) => step(world)))
  world.isBurst = false
}

/** Nothing is lost, and nothing is sold or held twice. */
async function expectStock({ goods }: World): Promise<void> {
  const now = new Date().toISOString()
  type Stock = Record<'id' | 'amount' | 'available' | 'sold' | 'held' | 'reserved', number> &
    Record<'codes' | 'given' | 'delivered', number>
  const [rows] = await db.batch([
    raw<Stock>(db)`
      SELECT n.id, n.amount, n.availableAmount AS available,
        (SELECT total(iif(d.state = 'written_off',
            (SELECT count(*) FROM codes c WHERE c.orderItemId = i.id), i.quantity))
          FROM "orderItems" i JOIN deliveries d ON d.id = i.id WHERE i.nftId = n.id) AS sold,
        (SELECT count(*) FROM codes c WHERE c.nftId = n.id) AS codes,
        (SELECT count(*) FROM codes c JOIN deliveries d ON d.id = c.orderItemId
          WHERE c.nftId = n.id AND d.state = 'transferred') AS given,
        (SELECT total(i.quantity) FROM "orderItems" i JOIN deliveries d ON d.id = i.id
          WHERE i.nftId = n.id AND d.state = 'transferred') AS delivered,
        (SELECT total(quantity) FROM heldPieces WHERE nftId = n.id AND expiresAt > ${now}) AS held,
        (SELECT total(quantity) FROM reservations WHERE nftId = n.id AND expiresAt > ${now}) AS reserved
      FROM nfts n`,
  ])
  for (const { nftId, amountType, amount } of goods) {
    const row = rows.find(({ id }) => id === nftId)
    if (!row) throw new Error('an NFT is missing')
    expect(row.held).toBe(row.reserved)
    if (amount === null) expect([row.codes, row.given]).toEqual([row.amount, row.delivered])
    if (amountType === 'unlimited') continue
    expect(row.available + row.sold).toBe(row.amount)
    expect(row.held).toBeLessThanOrEqual(row.available)
  }
}

const steps: [weight: number, step: Step][] = [
  [6, reserve],
  [6, order],
  [2, release],
  [2, importAmount],
  [3, uploadCodes],
  [1, removeCodes],
  [3, deliverOne],
  [1, importPrice],
  [2, changeOwn],
  [1, withdrawOne],
  [2, returnPieces],
  [3, letTimePass],
  [1, sweep],
  [1, burst],
]

const seeds = inject('isLong') ? [1, 2, 3] : [1]
const length = inject('isLong') ? 1000 : 120

it.each(seeds)(
  'keeps the stock right in %i',
  { timeout: 3 * PATIENCE + 200 * length },
  async (seed) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const world = await createWorld(seed)
    const all = steps.flatMap(([weight, step]) => Array<Step>(weight).fill(step))
    for (let i = 0; i < length; i++) {
      const step = pickFrom(world.dice, all)
      try {
        await step(world)
        await expectStock(world)
      } catch (error) {
        throw new Error(`step ${i} of seed ${seed}`, { cause: error })
      }
    }
    expect(world.used).toBeGreaterThan(length / 50)
  },
)

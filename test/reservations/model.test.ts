/**
 * Random reservations, orders, releases, imports, returned pieces and passing time, from a seed. A
 * model predicts each answer. After each step the stock is what it must be: nothing is lost, and
 * nothing is sold or held twice. Now and then several calls run at the same time; then only the
 * stock is compared.
 */

import { sql } from 'drizzle-orm'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { raw } from '../../src/db/statements.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { sweepReservations } from '../../src/reservations/reserve.ts'
import { aListingRecord, anNftRecord, aUserRecord, linesOf } from '../catalogue/records.ts'
import { recordWakeUps } from '../orders/shop.ts'
import { type Call, call } from '../support/api.ts'
import { aDice, type Dice } from '../support/delivery/campaign/dice.ts'
import { aMasterToken, anAddress, aToken, aUser, db, setRow } from '../support/makers.ts'
import { PATIENCE } from '../support/patience.ts'

recordWakeUps()

type Kind = 'limited' | 'unique' | 'unlimited'
type Goods = {
  name: string
  number: number
  kind: Kind
  nftId: number
  listingId: number
  amount: number
  sold: number
  priceCents: number
}
type Hold = {
  id: string
  goods: Goods
  quantity: number
  priceCents: number
  endsAt: number
  token: string
  isUsed: boolean
}
type World = {
  dice: Dice
  goods: Goods[]
  holds: Hold[]
  /** Tokens of two shops and of the seller. */
  tokens: string[]
  master: string
  buyerUserId: number
}
type Answer = { status: number; body: { code?: string } & Record<string, unknown> }

const send = async (method: string, path: string, content: Call): Promise<Answer> => {
  const response = await call(method, path, content)
  const text = await response.text()
  return { status: response.status, body: text ? JSON.parse(text) : {} }
}

const isLive = (hold: Hold) => !hold.isUsed && hold.endsAt > Date.now()

const pieces = (parts: readonly { quantity: number }[]) =>
  parts.reduce((sum, { quantity }) => sum + quantity, 0)

/** The pieces of an NFT that nobody holds. */
function freeOf({ holds }: World, goods: Goods): number {
  if (goods.kind === 'unlimited') return Infinity
  const held = holds.filter((hold) => hold.goods === goods && isLive(hold))
  return goods.amount - goods.sold - pieces(held)
}

/** Whether the free pieces suffice for all of these. */
const fits = (world: World, parts: readonly { goods: Goods; quantity: number }[]) =>
  [...Map.groupBy(parts, ({ goods }) => goods)].every(
    ([goods, all]) => pieces(all) <= freeOf(world, goods),
  )

const nftRecord = ({ name, number, kind }: Goods, amount: number) =>
  anNftRecord(name, number, { amountType: kind, amount })

async function createWorld(seed: number): Promise<World> {
  const dice = aDice(seed)
  const master = await aMasterToken()
  const kinds: Kind[] = ['limited', 'limited', 'unique', 'unlimited']
  const goods = kinds.map((kind, i): Goods => {
    const amount = kind === 'unique' ? 1 : 4 + 3 * i
    const ids = { nftId: 0, listingId: 0 }
    const [name, number] = [`nft-${seed}-${i}`, 10 * seed + i]
    return { name, number, kind, ...ids, amount, sold: 0, priceCents: 1000 }
  })
  const records = [
    aUserRecord('cleo'),
    ...goods.map((one) => nftRecord(one, one.amount)),
    ...goods.map(({ name }) => aListingRecord(`sale-${name}`, name)),
  ]
  await send('POST', '/api/admin/catalogue', { token: master, body: linesOf(records) })
  // New listings are held for two minutes.
  vi.setSystemTime(Date.now() + 2 * 60_000)
  const [rows] = await db.batch([
    raw<{ name: string; nftId: number; listingId: number; sellerId: number }>(db)`
      SELECT n.externalId AS name, n.id AS nftId, l.id AS listingId, l.sellerId
      FROM nfts n JOIN listings l ON l.nftId = n.id WHERE n.externalId LIKE ${`nft-${seed}-%`}`,
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
  return { dice, goods, holds: [], tokens, master, buyerUserId: buyer.id }
}

const pickFrom = <T>(dice: Dice, list: readonly T[]): T | undefined => list[dice.upTo(list.length)]

function drawn<T>(dice: Dice, list: readonly T[]): T {
  const value = pickFrom(dice, list)
  if (value === undefined) throw new Error('there is nothing to draw')
  return value
}

/** Expects a success, or one of these codes. */
function expectOutcome({ status, body }: Answer, isPossibleSql: boolean, ...codes: string[]) {
  const outcome = status < 300 ? 'done' : body.code
  if (isPossibleSql) expect(outcome).toBe('done')
  else expect(codes).toContain(outcome)
}

type Step = (world: World) => Promise<unknown>

const reserve: Step = async (world) => {
  const { dice } = world
  const token = drawn(dice, world.tokens)
  const parts = Array.from({ length: 1 + dice.upTo(3) }, () => ({
    goods: drawn(dice, world.goods),
    quantity: 1 + dice.upTo(3),
    ttl: 1 + dice.upTo(900),
  }))
  const isPossibleSql = fits(world, parts)
  const json = parts.map(({ goods, ...part }) => ({ ...part, listingId: goods.listingId }))
  const answer = await send('POST', '/api/reservations', { token, json })
  expectOutcome(answer, isPossibleSql, 'sold_out')
  if (answer.status !== 200) return
  const made = answer.body.reservations as { id: string; priceCents: number; expiresAt: string }[]
  for (const [i, { id, priceCents, expiresAt }] of made.entries()) {
    const { goods, quantity, ttl } = parts[i] ?? drawn(dice, parts)
    const endsAt = Date.parse(expiresAt)
    expect(endsAt).toBe(Math.ceil((Date.now() + ttl * 1000) / 10_000) * 10_000)
    expect(priceCents).toBe(goods.priceCents)
    world.holds.push({ id, goods, quantity, priceCents, endsAt, token, isUsed: false })
  }
}

const order: Step = async (world) => {
  const { dice, buyerUserId } = world
  const token = drawn(dice, world.tokens)
  const parts = Array.from({ length: 1 + dice.upTo(3) }, () => {
    const hold = dice.chance(0.6) ? pickFrom(dice, world.holds.slice(-12)) : undefined
    return hold
      ? { hold, goods: hold.goods, quantity: hold.quantity }
      : { hold, goods: drawn(dice, world.goods), quantity: 1 + dice.upTo(2) }
  })
  const named = parts.flatMap(({ hold }) => hold ?? [])
  const isUsable =
    new Set(named).size === named.length &&
    named.every((hold) => isLive(hold) && hold.token === token)
  const isPossibleSql =
    isUsable &&
    fits(
      world,
      parts.filter(({ hold }) => !hold),
    )
  const json = parts.map(({ goods, quantity, hold }) => ({
    ...{ nftId: goods.nftId, listingId: goods.listingId, quantity, buyerUserId },
    ...(hold && { reservationId: hold.id }),
  }))
  const checked = await send('POST', '/api/externalOrders/check', { token, json })
  const answer = await send('POST', '/api/externalOrders', { token, json })
  expectOutcome(answer, isPossibleSql, isUsable ? 'sold_out' : 'reservation_not_found', 'sold_out')
  expect({ status: checked.status, code: checked.body.code }).toEqual({
    ...{ status: answer.status, code: answer.body.code },
  })
  if (answer.status !== 200) return
  const orders = answer.body.orders as { orderItems: { priceCents: number }[] }[]
  for (const [i, { hold, goods, quantity }] of parts.entries()) {
    expect(orders[i]?.orderItems[0]?.priceCents).toBe((hold ?? goods).priceCents)
    goods.sold += quantity
    if (hold) hold.isUsed = true
  }
}

const release: Step = async (world) => {
  const { dice, master } = world
  const hold = pickFrom(dice, world.holds.slice(-12))
  const token = drawn(dice, world.tokens)
  const id = hold && dice.chance(0.9) ? hold.id : crypto.randomUUID()
  const answer = await send('DELETE', `/api/reservations/${id}`, { token })
  if (hold?.id !== id || !isLive(hold)) return expect(answer.status).toBe(204)
  const isSeller = token === world.tokens[2]
  const mayRelease = !isSeller || hold.token === token
  expect([answer.status, master]).toEqual([mayRelease ? 204 : 404, master])
  if (mayRelease) hold.isUsed = true
}

const importAmount: Step = async (world) => {
  const { dice, master } = world
  const goods = drawn(
    dice,
    world.goods.filter(({ kind }) => kind !== 'unique'),
  )
  const amount = Math.max(1, goods.amount + dice.upTo(9) - 5)
  const isPossibleSql =
    goods.kind === 'unlimited' ||
    amount >= goods.amount ||
    goods.amount - amount <= freeOf(world, goods)
  const body = linesOf([nftRecord(goods, amount)])
  const answer = await send('POST', '/api/admin/catalogue', { token: master, body })
  expectOutcome(answer, isPossibleSql, 'amount_too_small')
  if (answer.status === 200) goods.amount = amount
}

const importPrice: Step = async (world) => {
  const goods = drawn(world.dice, world.goods)
  const priceCents = 1000 + world.dice.upTo(9000)
  const body = linesOf([aListingRecord(`sale-${goods.name}`, goods.name, { priceCents })])
  const answer = await send('POST', '/api/admin/catalogue', { token: world.master, body })
  expectOutcome(answer, true)
  goods.priceCents = priceCents
}

/** An item whose key is used up fails, and its pieces return. */
const returnPieces: Step = async (world) => {
  const [rows] = await db.batch([
    raw<{ id: number; nftId: number; quantity: number }>(db)`
      SELECT i.id, i.nftId, i.quantity FROM "orderItems" i JOIN deliveries d ON d.id = i.id
      WHERE d.state <> 'written_off' ORDER BY i.id DESC LIMIT 20`,
  ])
  const item = pickFrom(world.dice, rows)
  if (!item) return
  await setRow(deliveries, item.id, {
    state: 'failed',
    dueAt: null,
    ...explain('token_moved_nothing'),
  })
  const json = { returnPieces: true }
  const path = `/api/admin/transfers/${item.id}/write-off`
  expectOutcome(await send('POST', path, { token: world.master, json }), true)
  const goods = world.goods.find(({ nftId }) => nftId === item.nftId)
  if (goods) goods.sold -= item.quantity
}

const letTimePass: Step = async ({ dice }) =>
  vi.setSystemTime(Date.now() + 1000 * (1 + dice.upTo(dice.chance(0.2) ? 900 : 60)))

const sweep: Step = async () => {
  for (const statement of sweepReservations(db, new Date())) await db.batch([statement])
}

/** The numbers that the database has. */
async function readStock({ goods }: World) {
  const now = new Date().toISOString()
  const [rows] = await db.batch([
    raw<{
      id: number
      amount: number
      available: number
      sold: number
      held: number
      reserved: number
    }>(db)`
      SELECT n.id, n.amount, n.availableAmount AS available,
        (SELECT total(i.quantity) FROM "orderItems" i JOIN deliveries d ON d.id = i.id
          WHERE i.nftId = n.id AND d.state <> 'written_off') AS sold,
        (SELECT total(quantity) FROM heldPieces WHERE nftId = n.id AND expiresAt > ${now}) AS held,
        (SELECT total(quantity) FROM reservations WHERE nftId = n.id AND expiresAt > ${now}) AS reserved
      FROM nfts n ORDER BY n.id`,
  ])
  return goods.map((one) => {
    const row = rows.find(({ id }) => id === one.nftId)
    if (!row) throw new Error('an NFT is missing')
    return { one, row }
  })
}

/** Nothing is lost, and nothing is sold or held twice. */
async function expectStock(world: World): Promise<void> {
  for (const { one, row } of await readStock(world)) {
    expect(row.held).toBe(row.reserved)
    if (one.kind === 'unlimited') continue
    expect(row.available + row.sold).toBe(row.amount)
    expect(row.held).toBeLessThanOrEqual(row.available)
  }
}

/** The model is what the database has. */
async function expectModel(world: World): Promise<void> {
  for (const { one, row } of await readStock(world)) {
    const held = pieces(world.holds.filter((hold) => hold.goods === one && isLive(hold)))
    expect({ ...row, id: one.name }).toMatchObject({
      ...{ id: one.name, sold: one.sold, held },
      ...(one.kind !== 'unlimited' && { amount: one.amount }),
    })
  }
}

/** Several calls at the same time, whatever becomes of each. Then the model learns what did. */
async function playBurst(world: World): Promise<void> {
  const { dice } = world
  const steps = Array.from({ length: 5 }, () =>
    drawn(dice, [reserve, order, order, release, importAmount]),
  )
  await Promise.allSettled(steps.map((step) => step(world)))
  const ids = new Set(
    (await db.all<{ id: string }>(sql`SELECT id FROM reservations`)).map(({ id }) => id),
  )
  for (const hold of world.holds) hold.isUsed ||= !ids.has(hold.id)
  // What the answers of failed predictions have kept from the model.
  const unknown = [...ids].filter((id) => !world.holds.some((hold) => hold.id === id))
  for (const id of unknown) await send('DELETE', `/api/reservations/${id}`, { token: world.master })
  for (const { one, row } of await readStock(world))
    Object.assign(one, { sold: row.sold, amount: row.amount })
}

const steps: [weight: number, step: Step][] = [
  [6, reserve],
  [6, order],
  [2, release],
  [2, importAmount],
  [1, importPrice],
  [2, returnPieces],
  [3, letTimePass],
  [1, sweep],
  [1, playBurst],
]

const seeds = inject('isLong') ? [1, 2, 3] : [1]
const length = inject('isLong') ? 1000 : 250

it.each(seeds)(
  'keeps the stock right in %i',
  { timeout: 3 * PATIENCE + 200 * length },
  async (seed) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const world = await createWorld(seed)
    const all = steps.flatMap(([weight, step]) => Array<Step>(weight).fill(step))
    for (let i = 0; i < length; i++) {
      const step = drawn(world.dice, all)
      try {
        await step(world)
        await expectStock(world)
        await expectModel(world)
      } catch (error) {
        throw new Error(`step ${i} of seed ${seed}`, { cause: error })
      }
    }
    expect(world.holds.filter(({ isUsed }) => isUsed).length).toBeGreaterThan(length / 20)
  },
)

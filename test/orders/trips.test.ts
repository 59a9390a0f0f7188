import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { connect, type Database } from '../../src/db/client.ts'
import { placeOrders } from '../../src/orders/place.ts'
import { readOrders } from '../../src/orders/read.ts'
import { anAddress, aToken, aUser } from '../support/makers.ts'
import { measured } from '../support/measured.ts'
import { aShop, billingData, callerOf, placed, settings, times } from './shop.ts'

async function tripsOf(run: (db: Database) => Promise<unknown>) {
  const { database, trips } = measured(env.DB)
  await run(connect(database))
  return trips
}

it('reads 100 orders in one trip with the same statements as one order', async () => {
  const { token, input } = await aShop({ nft: { amount: 100 } })
  const caller = await callerOf(token)
  const orders = await placed(
    token,
    times(100, () => input),
  )
  const ids = orders.map(({ id }) => String(id))
  const one = await tripsOf((db) => readOrders({ db, caller }, ids.slice(0, 1)))
  const hundred = await tripsOf((db) => readOrders({ db, caller }, ids))
  expect(one).toHaveLength(1)
  expect(hundred.map(({ statements }) => statements)).toEqual(
    one.map(({ statements }) => statements),
  )
  expect(hundred[0]?.rowsRead).toBeLessThanOrEqual(100 * (one[0]?.rowsRead ?? 0))
})

it('places 100 orders in two trips with the same statements as one order', async () => {
  const { token, input } = await aShop({ nft: { amount: 1000 } })
  const caller = await callerOf(token)
  const statementsOf = async (count: number) => {
    const inputs = times(count, (i) => ({
      ...input,
      buyerBillingData: billingData,
      providerId: `${count}-${i}`,
    }))
    const trips = await tripsOf((db) =>
      placeOrders({ db, caller, settings, now: new Date() }, { orders: inputs }),
    )
    return trips.map(({ statements }) => statements)
  }
  const one = await statementsOf(1)
  expect(one).toHaveLength(2)
  expect(await statementsOf(100)).toEqual(one)
})

it('reads the open orders of a seller, and no others, to place one more', async () => {
  const goods = { nft: { amount: 100 } }
  const [shop, other] = await Promise.all([aShop(goods), aShop(goods)])
  const [token, otherToken] = await Promise.all([aToken(shop.seller), aToken(other.seller)])
  const caller = await callerOf(token)
  const rowsReadForOne = async () => {
    const trips = await tripsOf((db) =>
      placeOrders({ db, caller, settings, now: new Date() }, { orders: [shop.input] }),
    )
    expect(trips).toHaveLength(2)
    return trips.reduce((sum, { rowsRead }) => sum + rowsRead, 0)
  }
  await placed(shop.token, [shop.input])
  const first = await rowsReadForOne()
  for (const jwt of [otherToken, shop.token])
    await placed(
      jwt,
      times(50, () => (jwt === otherToken ? other.input : shop.input)),
    )
  // The first order is open, SQLite reads the row after the last one that it counts, and there is a
  // row of what the user has placed on this day.
  expect(await rowsReadForOne()).toBeLessThanOrEqual(first + 4)
  await placed(
    token,
    times(20, () => shop.input),
  )
  expect(await rowsReadForOne()).toBeLessThanOrEqual(first + 25)
})

it('reads and writes no more rows to place an order in a larger store', async () => {
  const { token, input } = await aShop()
  const caller = await callerOf(token)
  const order = { ...input, buyerBillingData: billingData }
  const rowsOf = async () => {
    const trips = await tripsOf((db) =>
      placeOrders({ db, caller, settings, now: new Date() }, { orders: [order] }),
    )
    return trips.map(({ rowsRead, rowsWritten }) => ({ rowsRead, rowsWritten }))
  }
  const small = await rowsOf()
  await Promise.all(times(30, async () => anAddress(await aUser())))
  const other = await aShop({ nft: { amount: 100 } })
  await placed(
    other.token,
    times(100, () => other.input),
  )
  expect(await rowsOf()).toEqual(small)
})

import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { connect, type Database } from '../../src/db/client.ts'
import { placeOrders } from '../../src/orders/place.ts'
import { aToken } from '../support/makers.ts'
import { measured } from '../support/measured.ts'
import { aShop, callerOf, copies, placed, settings } from './shop.ts'

async function tripsOf(run: (db: Database) => Promise<unknown>) {
  const { database, trips } = measured(env.DB)
  await run(connect(database))
  return trips
}

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
    await placed(jwt, copies(50, jwt === otherToken ? other.input : shop.input))
  // The first order is open, SQLite reads the row after the last one that it counts, and there is a
  // row of what the user has placed on this day.
  expect(await rowsReadForOne()).toBeLessThanOrEqual(first + 4)
  await placed(token, copies(20, shop.input))
  expect(await rowsReadForOne()).toBeLessThanOrEqual(first + 25)
})

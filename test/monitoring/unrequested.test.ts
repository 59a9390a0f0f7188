/**
 * Items that end as cancelled although nobody asked for that: what a thief can do with the key of a
 * relayer besides delivering. On a real chain, with the engine and the cron run.
 */
import { sql } from 'drizzle-orm'
import { encodeFunctionData, zeroAddress } from 'viem'
import { beforeEach, expect, it } from 'vitest'
import { deliveryAbi as abi } from '../../contracts/delivery-abi.ts'
import { alarms, findings } from '../../src/db/schema/operations.ts'
import { copies } from '../orders/shop.ts'
import { callWith } from '../support/api.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { pass } from '../support/delivery/clock.ts'
import { anEngine, rowsOf } from '../support/delivery/engine.ts'
import { aPaidItem, type PaidItem, paidItems } from '../support/delivery/items.ts'
import { liveMinutes } from '../support/delivery/live.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aMarketplace } from '../support/delivery/marketplace.ts'
import { aMasterToken, db } from '../support/makers.ts'
import { forgetAll } from './instance.ts'

recordLogs()

beforeEach(forgetAll)

/** The alarm of this kind, if it lasts. */
const alarmNow = async () =>
  (await db.select().from(alarms)).find(({ name }) => name === 'unrequested_cancellation')

/** Uses up the keys of items as a relayer, without a transfer. */
async function cancelAsThief(chain: Chain, items: readonly PaidItem[]) {
  const cancels = items.map(({ key }) => ({
    ...{ key, token: zeroAddress, from: zeroAddress, to: zeroAddress, tokenId: 0n, amount: 0n },
  }))
  const args = [cancels, BigInt(items.length), 300_000n, 10n ** 12n] as const
  const hash = await chain.rpc('eth_sendTransaction', {
    ...{ from: chain.otherSigner, to: chain.delivery, gas: '0x500000' },
    data: encodeFunctionData({ abi, functionName: 'deliver', args }),
  })
  expect(await chain.receiptOf(hash)).toMatchObject({ status: '0x1' })
}

const edition = { standard: 'erc1155' } as const

it.each([
  ['wait for a wallet', { ...edition, recipient: null }],
  ['wait for their seller', { ...edition, tokenId: '7' }],
])('of 40 orders that %s is an alarm until it is acknowledged', async (_, sale) => {
  const chain = await aChain({ erc1155: 10 })
  const market = aMarketplace(chain)
  const items = await paidItems(chain, copies(40, sale))
  await liveMinutes(market, 2)
  expect(await alarmNow()).toBeUndefined()
  await cancelAsThief(chain, items)
  // A minute until the theft is seen, and one until the keys were compared with the chain.
  await liveMinutes(market, 2)
  await market.runCron()
  const key = `unrequested_cancellation:${chain.chainId}`
  expect(await alarmNow()).toMatchObject({
    key,
    detail: `Somebody has cancelled items on chain ${chain.chainId} although nobody asked for that: 40, such as ${items[0]?.id}.`,
  })
  const rows = [...(await rowsOf(items)).values()]
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['cancelled']))
  // Shops learn it as of any other cancellation.
  const events = await db.all(
    sql`SELECT id FROM events WHERE type = 'order.cancelled'
      AND itemId BETWEEN ${items[0]?.id} AND ${items.at(-1)?.id}`,
  )
  expect(events).toHaveLength(40)

  pass(48 * 3600)
  await liveMinutes(market, 2)
  const alarm = await alarmNow()
  expect(alarm).toMatchObject({ key })
  const content = { token: await aMasterToken(), json: { version: alarm?.version } }
  const answer = await callWith({}, 'POST', `/api/admin/alarms/${key}/acknowledge`, content)
  expect(answer.status).toBe(200)
  await liveMinutes(market, 2)
  expect(await alarmNow()).toBeUndefined()

  const another = await aPaidItem(chain, { ...edition, recipient: null })
  await cancelAsThief(chain, [another])
  await liveMinutes(market, 3)
  expect((await alarmNow())?.detail).toContain(`: 1, such as ${another.id}.`)
})

it('is none if the seller or an operator asked for it', async () => {
  const chain = await aChain({ erc1155: 10 })
  const market = aMarketplace(chain)
  const item = await aPaidItem(chain, { ...edition, recipient: null })
  await anEngine(chain).cancel(item)
  await liveMinutes(market, 3)
  expect([...(await rowsOf([item])).values()]).toMatchObject([{ state: 'cancelled' }])
  expect(await alarmNow()).toBeUndefined()
  expect(await db.select().from(findings)).toEqual([])
})

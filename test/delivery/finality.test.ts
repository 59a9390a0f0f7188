/** When an item counts as delivered: not before its block is final. */
import { env, exports } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { step } from '../../src/delivery/run.ts'
import { readSettings } from '../../src/env.ts'
import { requestOf } from '../support/api.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import {
  anEngine,
  type NetworkSettings,
  rowOf,
  transactionsOf,
} from '../support/delivery/engine.ts'
import { deliveriesOf, transferEvents } from '../support/delivery/events.ts'
import { aPaidItem, type PaidItem } from '../support/delivery/items.ts'
import { forgetDeliveries } from '../support/delivery/snapshot.ts'
import { aMasterToken } from '../support/makers.ts'
import { measured } from '../support/measured.ts'

/** Seconds between two blocks, by their timestamps. */
const BLOCK_TIME = 12

/** A chain that makes blocks only when the test mines them. */
async function aSlowChain(options: Parameters<typeof aChain>[0]): Promise<Chain> {
  const chain = await aChain(options)
  await chain.setAutomine(false)
  await chain.rpc('anvil_setBlockTimestampInterval', BLOCK_TIME)
  // Enough blocks for an average time between them.
  await chain.mine(70)
  return chain
}

/** Looks at a chain, so many seconds after it was made, and measures each look. */
function anObserver(chain: Chain, settings: NetworkSettings) {
  const { network } = anEngine(chain, settings)
  const lease = crypto.randomUUID()
  const start = Date.now()
  return async (seconds = 0) => {
    const now = new Date(start + seconds * 1000)
    const { database, trips } = measured(env.DB)
    const done = await step(connect(database), readSettings(env), network, lease, () => now)
    if (!done) throw new Error('there was nothing to do')
    return {
      rowsWritten: trips.reduce((sum, trip) => sum + trip.rowsWritten, 0),
      /** Seconds until the next look; null if none is needed. */
      nextLook: done.lookAt && (done.lookAt.getTime() - now.getTime()) / 1000,
    }
  }
}

/** The status of the item, as the API shows it. */
async function publicStatus({ orderId }: PaidItem): Promise<unknown> {
  const token = await aMasterToken()
  const request = requestOf('GET', `/api/externalOrders/${orderId}`, { token })
  const response = await exports.default.fetch(request)
  const { orders } = await response.json<{ orders: { orderItems: { status: string }[] }[] }>()
  return orders[0]?.orderItems[0]?.status
}

it('with 3 confirmations transfers an item when its block is the third newest, and looks in between cost nothing', async () => {
  const chain = await aSlowChain({ erc1155: 1 })
  const item = await aPaidItem(chain, { standard: 'erc1155' })
  const look = anObserver(chain, { finality: 3 })
  expect(await look()).toMatchObject({ nextLook: 0.05 })
  expect(await look(4)).toEqual({ rowsWritten: 1, nextLook: 2 })
  expect(await look(30)).toEqual({ rowsWritten: 1, nextLook: 6 })

  await chain.mine()
  expect(await look()).toMatchObject({ nextLook: 24 })
  const [mined] = await transactionsOf(chain)
  expect(mined).toMatchObject({ isOpen: 1, block: expect.any(Number) })
  for (const nextLook of [24, 12]) {
    expect(await rowOf(item)).toMatchObject({ state: 'in_flight', dueAt: null })
    expect(await publicStatus(item)).toBe('transferring')
    expect(await look(30)).toEqual({ rowsWritten: 1, nextLook })
    expect(await look(31)).toEqual({ rowsWritten: 1, nextLook })
    await chain.mine()
  }

  expect(await look()).toMatchObject({ nextLook: null })
  expect(await rowOf(item)).toMatchObject({ state: 'transferred', txId: mined?.hash })
  expect(await publicStatus(item)).toBe('transferred')
  expect(deliveriesOf(item, await transferEvents(chain))).toHaveLength(1)
})

it('with the tag `finalized` transfers an item when the node calls its block final, and looks every 5 minutes at most', async () => {
  const chain = await aSlowChain({ erc1155: 1 })
  const item = await aPaidItem(chain, { standard: 'erc1155' })
  const look = anObserver(chain, { finality: 'finalized' })
  await look()
  await chain.mine()
  expect(await look()).toMatchObject({ nextLook: 300 })
  // The node's finalized block is 64 blocks behind its newest one.
  await chain.mine(63)
  expect(await look()).toEqual({ rowsWritten: 1, nextLook: 12 })
  expect(await rowOf(item)).toMatchObject({ state: 'in_flight' })
  await chain.mine()
  await look()
  expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
})

it('does not sign a delivery that a block has that is not final', async () => {
  const chain = await aSlowChain({ erc1155: 1 })
  const item = await aPaidItem(chain, { standard: 'erc1155' })
  await anObserver(chain, { finality: 3 })()
  await chain.mine()
  await forgetDeliveries(chain, [item])
  const start = new Date()
  const look = anObserver(chain, { finality: 3 })
  await look()
  expect(await transactionsOf(chain)).toEqual([])
  const { state, dueAt } = await rowOf(item)
  expect(state).toBe('queued')
  const wait = Date.parse(`${dueAt}`) - start.getTime()
  expect(wait).toBeGreaterThanOrEqual(24_000)
  expect(wait).toBeLessThan(60_000)
})

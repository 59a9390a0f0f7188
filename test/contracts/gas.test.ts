import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_GAS } from './chain.ts'
import { least, NONE_FAILED, outcomesOf, range } from './gas.ts'
import type { Item } from './items.ts'
import { aWorld, type Delivery, type World } from './world.ts'

let world: World

beforeAll(async () => {
  world = await aWorld({ uniques: 1 })
})

afterAll(() => world.stop())

/** A successor of so many contracts, which use this much gas together to look a key up. */
async function aSuccessor(predecessors: bigint, gasPerKey: bigint): Promise<Delivery> {
  const predecessor = await world.deployFixture('DearPredecessor', [predecessors, gasPerKey])
  const delivery = await world.deployDelivery({ predecessor })
  await world.approve(delivery.address)
  return delivery
}

describe('where a key costs more gas than the contract expects', () => {
  let delivery: Delivery
  let items: Item[]
  /** The least with which the first item is delivered: with one unit less, it fails. */
  let gasPerItem: bigint

  beforeAll(async () => {
    delivery = await aSuccessor(1n, 400_000n)
    const { address: to } = await world.aRecipient('accepts after 1,500,000 gas')
    items = [world.anEdition({ to }), world.anEdition()]
    gasPerItem = await least(
      3_000_000n,
      async (value) =>
        String(await outcomesOf(delivery, items, { gasPerItem: value })) === 'delivered,delivered',
    )
  })

  it('too little gas reverts the call, and never makes an item fail', async () => {
    const seen = new Set<string>()
    for (const gas of range(100_000, 5_000_000, 30_011)) {
      const outcomes = String(await outcomesOf(delivery, items, { gas, gasPerItem, minimum: 1 }))
      expect(outcomes).toMatch(NONE_FAILED)
      seen.add(outcomes)
    }
    expect(seen).toContain('OutOfGas')
    expect(seen).toContain('delivered,delivered')
  })

  it('the least gas with which an item is tried gives its token the whole limit', async () => {
    const tried = async (gas: bigint) =>
      String(await outcomesOf(delivery, items.slice(0, 1), { gas, gasPerItem, minimum: 1 }))
    const boundary = await least(MAX_GAS, async (gas) => !/gas/i.test(await tried(gas)))
    for (const more of range(0, 400, 10)) expect(await tried(boundary + more)).toBe('delivered')
  })
})

it('tries an item only with gas for all predecessors, so that the items before it are kept', async () => {
  const delivery = await aSuccessor(4n, 75_000n)
  const items = [world.anEdition(), world.anEdition()]
  let isTried = false
  for (const gas of range(100_000, 1_000_000, 5_003)) {
    const outcomes = String(await outcomesOf(delivery, items, { gas, minimum: 1 }))
    expect(outcomes).toMatch(NONE_FAILED)
    const isDelivered = outcomes.startsWith('delivered')
    // With more gas than some, the call succeeds as well.
    expect([isTried, isDelivered]).not.toEqual([true, false])
    isTried ||= isDelivered
  }
  expect(isTried).toBe(true)
})

it('always lasts for the results once an item is tried, however expensive they are', async () => {
  const { delivery } = world
  const { address: token } = await world.aMaliciousToken('reverts with 100 KB')
  const most = Number(await delivery.read.MAX_ITEMS())
  const items = Array.from({ length: most }, () => world.anEdition({ token }))
  const seen = new Set<number>()
  for (const gas of range(1_000_000, 25_000_000, 173_137)) {
    const outcomes = await outcomesOf(delivery, items, { gas, gasPerItem: 40_000n, minimum: 0 })
    if (outcomes === 'no gas left') expect(seen.size).toBe(0)
    else if (outcomes !== 'OutOfGas') seen.add(outcomes.filter((o) => o === 'failed').length)
  }
  expect(seen.size).toBeGreaterThan(50)
  expect(seen).toContain(most)
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { owner, relayer } from './accounts.ts'
import { as, MAX_GAS } from './chain.ts'
import type { Item } from './items.ts'
import { aWorld, type Delivery, type SimulateOptions, type World } from './world.ts'

let world: World

beforeAll(async () => {
  world = await aWorld({ uniques: 1 })
})

afterAll(() => world.stop())

/** The outcomes of a call, or why the whole call is reverted. */
const outcomesOf = (delivery: Delivery, items: Item[], options: SimulateOptions) =>
  delivery.simulate(items, options).catch((error: Error) => {
    if (error.message.includes('OutOfGas()')) return 'OutOfGas'
    // Not even enough to revert with a reason.
    if (/out ?of ?gas|amount of gas/i.test(error.message)) return 'no gas left'
    throw error
  })

const range = (from: number, to: number, step: number) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => BigInt(from + i * step))

/** A contract that must ask so many retired ones for each key. */
async function aSuccessor(predecessors: number): Promise<Delivery> {
  let last = await world.deployDelivery()
  for (let i = 0; i < predecessors; i++) {
    await world.mined(last.write.retire(as(owner)))
    last = await world.deployDelivery(last.address)
  }
  await world.mined(last.write.setRelayer([relayer, 10_000], as(owner)))
  await world.approve(last.address)
  return last
}

describe.each([
  // A row of 30 takes more gas than is set aside for a lookup.
  { predecessors: 0, recipient: 'accepts', isEnough: true },
  { predecessors: 1, recipient: 'accepts', isEnough: true },
  { predecessors: 1, recipient: 'accepts after 1,500,000 gas', isEnough: true },
  { predecessors: 30, recipient: 'accepts after 1,500,000 gas', isEnough: false },
] as const)('with $predecessors predecessors and a recipient that $recipient', (options) => {
  const { predecessors, recipient, isEnough } = options
  let delivery: Delivery
  let items: Item[]
  /** The least with which every item is delivered: with one unit less, one fails. */
  let gasPerItem = 3_000_000n
  /** The least with which every item is tried. */
  let enoughGas: bigint

  beforeAll(async () => {
    delivery = await aSuccessor(predecessors)
    const { address: to } = await world.aRecipient(recipient)
    items = [world.anEdition({ to }), world.anEdition(), world.anEdition({ to })]
    const allDelivered = items.map(() => 'delivered').join()
    const isDelivered = async (gas: SimulateOptions) =>
      String(await outcomesOf(delivery, items, gas)) === allDelivered
    gasPerItem = await least(gasPerItem, (value) => isDelivered({ gasPerItem: value }))
    enoughGas = await least(MAX_GAS, (gas) => isDelivered({ gasPerItem, gas }))
  })

  it('too little gas never makes an item fail', async () => {
    const step = Number(enoughGas / 300n) | 1
    let isTried = false
    for (const gas of range(21_000, Number(enoughGas) + 10 * step, step)) {
      const outcomes = String(await outcomesOf(delivery, items, { gas, gasPerItem, minimum: 1 }))
      expect(outcomes).toMatch(/^(OutOfGas|no gas left|delivered(,delivered)*(,notReached)*)$/)
      const isDelivered = outcomes.startsWith('delivered')
      // With more gas than some, the call succeeds as well.
      if (isEnough) expect([isTried, isDelivered]).not.toEqual([true, false])
      isTried ||= isDelivered
    }
    expect(isTried).toBe(true)
  })

  it('the least gas with which an item is tried gives its token the whole limit', async () => {
    const tried = async (gas: bigint) =>
      String(await outcomesOf(delivery, items, { gas, gasPerItem, minimum: 1 }))
    const isTried = async (gas: bigint) => /,/.test(await tried(gas))
    const boundary = await least(enoughGas, isTried)
    for (const more of range(0, 400, 10)) expect(await tried(boundary + more)).toMatch(/^delivered/)
  })
})

/** The least value for which something holds, if it holds for `enough`. */
async function least(enough: bigint, holds: (value: bigint) => Promise<boolean>): Promise<bigint> {
  let [tooLittle, known] = [0n, enough]
  while (known - tooLittle > 1n) {
    const middle = (tooLittle + known) / 2n
    if (await holds(middle)) known = middle
    else tooLittle = middle
  }
  return known
}

it('always lasts for the results once an item is tried, however expensive they are', async () => {
  const { delivery } = world
  const { address: token } = await world.aMaliciousToken('reverts with 100 KB')
  const most = Number(await delivery.read.MAX_ITEMS())
  const items = Array.from({ length: most }, () => world.anEdition({ token }))
  const seen = new Set<number>()
  for (const gas of range(1_000_000, 20_000_000, 173_137)) {
    const outcomes = await outcomesOf(delivery, items, { gas, gasPerItem: 40_000n, minimum: 0 })
    if (outcomes === 'no gas left') expect(seen.size).toBe(0)
    else if (outcomes !== 'OutOfGas') seen.add(outcomes.filter((o) => o === 'failed').length)
  }
  expect(seen.size).toBeGreaterThan(50)
  expect(seen).toContain(most)
})

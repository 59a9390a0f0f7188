import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { owner, relayer } from './accounts.ts'
import { as, MAX_GAS } from './chain.ts'
import { least, NONE_FAILED, outcomesOf, range } from './gas.ts'
import type { Item } from './items.ts'
import { AMPLE, aWorld, type Delivery, type SimulateOptions, type World } from './world.ts'

let world: World

beforeAll(async () => {
  world = await aWorld({ uniques: 1 })
})

afterAll(() => world.stop())

/** The state in which an item needs most gas besides the call of its token. */
type Conditions = { predecessors: number; hasLimits: boolean }

/** A contract that must ask so many retired ones for each key. */
async function aSuccessor({ predecessors, hasLimits }: Conditions): Promise<Delivery> {
  let last = await world.deployDelivery()
  for (let i = 0; i < predecessors; i++) {
    await world.mined(last.write.retire(as(owner)))
    last = await world.deployDelivery({ predecessor: last.address })
  }
  await world.approve(last.address)
  if (hasLimits) {
    // The token has a limit, and the first item stores two raises.
    for (const capacity of [AMPLE, AMPLE + 1n])
      await world.mined(
        last.write.setTokenLimit([world.edition.address, capacity, AMPLE], as(owner)),
      )
    await last.setRelayer(relayer, AMPLE + 1n, AMPLE)
  }
  return last
}

describe.each([
  { predecessors: 0, hasLimits: false, recipient: 'accepts' },
  { predecessors: 0, hasLimits: true, recipient: 'accepts' },
  { predecessors: 1, hasLimits: false, recipient: 'accepts after 1,500,000 gas' },
  { predecessors: 4, hasLimits: true, recipient: 'accepts' },
  { predecessors: 4, hasLimits: true, recipient: 'accepts after 1,500,000 gas' },
] as const)(
  'with $predecessors predecessors, limits: $hasLimits, a recipient that $recipient',
  (conditions) => {
    const { recipient } = conditions
    let delivery: Delivery
    let items: Item[]
    /** The least with which every item is delivered: with one unit less, one fails. */
    let gasPerItem = 3_000_000n
    /** The least with which every item is tried. */
    let enoughGas: bigint

    beforeAll(async () => {
      delivery = await aSuccessor(conditions)
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
        expect(outcomes).toMatch(NONE_FAILED)
        const isDelivered = outcomes.startsWith('delivered')
        // With more gas than some, the call succeeds as well.
        expect([isTried, isDelivered]).not.toEqual([true, false])
        isTried ||= isDelivered
      }
      expect(isTried).toBe(true)
    })

    it('the least gas with which an item is tried gives its token the whole limit', async () => {
      const tried = async (gas: bigint) =>
        String(await outcomesOf(delivery, items, { gas, gasPerItem, minimum: 1 }))
      const isTried = async (gas: bigint) => /,/.test(await tried(gas))
      const boundary = await least(enoughGas, isTried)
      for (const more of range(0, 400, 10))
        expect(await tried(boundary + more)).toMatch(/^delivered/)
    })
  },
)

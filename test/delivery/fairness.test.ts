/** Whoever places many orders, or orders that cannot be delivered, delays nobody else. */

import { expect, inject, it } from 'vitest'
import { localAccount, toPrivateKey } from '../../scripts/local/chain/accounts.ts'
import { type Capacity, saveRoom } from '../../src/delivery/rules/capacity.ts'
import type { Candidate } from '../../src/delivery/rules/compose.ts'
import { getSigner } from '../../src/ethereum/signer.ts'
import { DAY } from '../../src/time.ts'
import { copies, times } from '../orders/shop.ts'
import { inLong } from '../support/cases.ts'
import { aChain } from '../support/chain/chain.ts'
import { anEngine, rowOf, rowsOf } from '../support/delivery/engine.ts'
import { aPaidItem, type PaidItem, paidItems } from '../support/delivery/items.ts'

const edition = { standard: 'erc1155' } as const

const statesOf = async (items: readonly PaidItem[]) =>
  [...(await rowsOf(items)).values()].map(({ state }) => state)

it('sends the orders of everybody else at once, although one seller has 2,000 before them', async () => {
  const chain = await aChain({ erc1155: 3000 })
  const many = await paidItems(chain, copies(2000, { ...edition, placer: 'account:1' }))
  const others = await paidItems(chain, [
    { ...edition, placer: 'account:2' },
    { ...edition, placer: 'account:3' },
    { ...edition, placer: 'master:shop' },
  ])
  await chain.setAutomine(false)
  await anEngine(chain).step()
  expect(await statesOf(others)).toEqual(['in_flight', 'in_flight', 'in_flight'])
  // Its own orders go on, with a fair share of the 400 items of a step.
  const sent = (await statesOf(many)).filter((state) => state === 'in_flight')
  expect(sent.length).toBeGreaterThanOrEqual(100)
})

it('shares the limit of a relayer by pieces', async () => {
  const chain = await aChain({ erc1155: 100 })
  await chain.asOwner('setRelayer', chain.signer, 10n, 1n)
  const items = await paidItems(chain, [
    { ...edition, quantity: 5, placer: 'account:1' },
    { ...edition, quantity: 5, placer: 'account:1' },
    { ...edition, quantity: 1, placer: 'account:2' },
  ])
  await chain.setAutomine(false)
  await anEngine(chain).step()
  expect(await statesOf(items)).toEqual(['in_flight', 'queued', 'in_flight'])
})

const many = inject('isLong') ? 3000 : 200

it(`delivers an order of many pieces beside ${many} small ones that cannot be delivered`, async () => {
  const chain = await aChain({ erc1155: 5000 })
  await paidItems(
    chain,
    times(many, (i) => ({
      standard: 'erc721',
      tokenId: `${1000 + i}`,
      placer: `account:${i % 150}`,
    })),
  )
  const honest = await aPaidItem(chain, { ...edition, quantity: 1000, placer: 'account:999' })
  const engine = anEngine(chain)
  for (let second = 0; second < 300; second += 5) {
    await engine.step(second)
    if ((await rowOf(honest)).state !== 'queued') break
  }
  expect((await rowOf(honest)).state).not.toBe('queued')
})

inLong(
  'fails what cannot be delivered for a day, although a step asks about few items only',
  async () => {
    const chain = await aChain({ erc1155: 1 })
    const items = await paidItems(
      chain,
      times(45, (i) => ({ standard: 'erc721', tokenId: `${1000 + i}` })),
    )
    const engine = anEngine(chain)
    const HOUR = 3600
    // As often as they are due at first, then every hour for thirty hours.
    for (let second = 0; second < 600; second += 30) await engine.step(second)
    for (let second = 600; second < 30 * HOUR; second += HOUR) await engine.step(second)
    const states = [...(await rowsOf(items)).values()].map(({ state }) => state)
    expect(states.filter((state) => state === 'queued')).toEqual([])
  },
)

it('saves no more for a large order than the smallest capacity that nodes tell would', () => {
  const contract = '0x00000000000000000000000000000000000000aa'
  const signer = getSigner(toPrivateKey(localAccount(0)))
  const limit = { capacity: 2 ** 60, leastCapacity: 10, perDay: 10, available: 5 }
  const announced = { nextCapacity: 0, nextPerDay: 0, nextAt: 0 }
  const limits = new Map([[signer.address, { ...limit, ...announced }]])
  const state = { isPaused: false, isRetired: false, isConfirmed: true, limits }
  const capacity = {
    ...{ signer, inFlight: 0, nonces: [0], expired: new Map(), funds: 1n, disputedFunds: 0n },
    pieces: new Map([[contract, 5]]),
  } satisfies Capacity
  const delivery = { reasonCode: 'relayer_limit_reached', quantity: 8, requestedAction: 'deliver' }
  const candidates = [{ delivery, contract }] as unknown as Candidate[]
  const save = (days: number) =>
    saveRoom(candidates, [capacity], new Map([[contract, state]]), new Date(days * DAY))
  // The bucket fills in a day, so the saving begins again after two and a half days.
  save(2.5)
  expect(capacity.pieces.get(contract)).toBe(5)
  save(3.5)
  expect(capacity.pieces.get(contract)).toBe(0)
})

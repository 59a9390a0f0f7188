import { expect, inject, it } from 'vitest'
import { times } from '../orders/shop.ts'
import { aChain } from '../support/chain/chain.ts'
import { anEngine, rowOf, rowsOf } from '../support/delivery/engine.ts'
import { aPaidItem, paidItems } from '../support/delivery/items.ts'

const edition = { standard: 'erc1155' } as const

const many = inject('isLong') ? 3000 : 600

it(`delivers an order of many pieces beside ${many} small ones that cannot be delivered`, async () => {
  const chain = await aChain({ erc1155: 5000 })
  await paidItems(
    chain,
    times(many, (i) => ({ standard: 'erc721', tokenId: `${1000 + i}`, placer: `user:${i % 150}` })),
  )
  const honest = await aPaidItem(chain, { ...edition, quantity: 1000, placer: 'user:999' })
  const engine = anEngine(chain)
  for (let second = 0; second < 300; second += 5) {
    await engine.step(second)
    if ((await rowOf(honest)).state !== 'queued') break
  }
  expect((await rowOf(honest)).state).not.toBe('queued')
})

it('fails what cannot be delivered for a day, although a step asks about few items only', async () => {
  const chain = await aChain({ erc1155: 1 })
  const items = await paidItems(
    chain,
    times(60, (i) => ({ standard: 'erc721', tokenId: `${1000 + i}` })),
  )
  const engine = anEngine(chain)
  const HOUR = 3600
  // As often as they are due at first, then every hour for thirty hours.
  for (let second = 0; second < 600; second += 15) await engine.step(second)
  for (let second = 600; second < 30 * HOUR; second += HOUR) await engine.step(second)
  const states = [...(await rowsOf(items)).values()].map(({ state }) => state)
  expect(states.filter((state) => state === 'queued')).toEqual([])
})

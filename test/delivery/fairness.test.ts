/** Whoever places many orders, or orders that cannot be delivered, delays nobody else. */

import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { copies, times } from '../orders/shop.ts'
import { firstCases } from '../support/cases.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { pass } from '../support/delivery/clock.ts'
import { anEngine, rowsOf } from '../support/delivery/engine.ts'
import { deliveriesOf, transferEvents } from '../support/delivery/events.ts'
import { type PaidItem, paidItems } from '../support/delivery/items.ts'
import { aMarketplace } from '../support/delivery/marketplace.ts'

const SECOND = 1000
const edition = { standard: 'erc1155' } as const

const statesOf = async (items: readonly PaidItem[]) =>
  [...(await rowsOf(items)).values()].map(({ state }) => state)

it('sends the orders of everybody else at once, although one seller has 9,400 before them', async () => {
  const chain = await aChain({ erc1155: 10_000 })
  const many = await paidItems(chain, copies(9400, { ...edition, placer: 'user:1' }))
  const others = await paidItems(chain, [
    { ...edition, placer: 'user:2' },
    { ...edition, placer: 'user:3' },
    { ...edition, placer: 'master:shop' },
  ])
  await chain.setAutomine(false)
  await anEngine(chain).step()
  expect(await statesOf(others)).toEqual(['in_flight', 'in_flight', 'in_flight'])
  // Its own orders go on, with a fair share of the 400 items of a step.
  const sent = (await statesOf(many)).filter((state) => state === 'in_flight')
  expect(sent.length).toBeGreaterThanOrEqual(100)
})

/** The time when each item was transferred, in milliseconds. */
async function endsOf(items: readonly PaidItem[]): Promise<number[]> {
  const { results } = await env.DB.prepare(
    `SELECT updatedAt FROM deliveries WHERE state = 'transferred'
       AND id IN (SELECT value FROM json_each(?))`,
  )
    .bind(JSON.stringify(items.map(({ id }) => id)))
    .all<{ updatedAt: string }>()
  return results.map(({ updatedAt }) => Date.parse(updatedAt))
}

const countChanged = async ({ chainId }: Chain): Promise<number> =>
  (await env.DB.prepare('SELECT count(*) AS n FROM deliveries WHERE chainId = ? AND version > 0')
    .bind(chainId)
    .first<number>('n')) ?? 0

it.each(firstCases(0, ['master:shop', 'user:2']))(
  'delivers five orders (of %s) within two minutes at 19 calls a second, behind 800 that cannot be delivered',
  async (placer) => {
    const chain = await aChain({ erc1155: 5 })
    // Tokens that the seller does not have: each has to be asked about on its own.
    const tokenIds = times(800, (i) => `${1000 + i}`)
    await paidItems(
      chain,
      tokenIds.map((tokenId) => ({ standard: 'erc721', tokenId, placer: 'master:shop' })),
    )
    const honest = await paidItems(chain, copies(5, { ...edition, placer }))
    let changedAfterHalfAMinute = -1
    const market = aMarketplace(chain, {
      network: { callsPerSecond: 19 },
      onWait: async () => {
        if (changedAfterHalfAMinute < 0 && Date.now() - start >= 30 * SECOND)
          changedAfterHalfAMinute = await countChanged(chain)
      },
    })
    const start = Date.now()
    await chain.takeCounts()
    market.queue.put(chain)
    let cronAt = start
    const isDone = async () => changedAfterHalfAMinute >= 0 && (await endsOf(honest)).length === 5
    while (Date.now() - start < 120 * SECOND && !(await isDone())) {
      await market.deliver()
      if (Date.now() >= cronAt) {
        await market.runCron()
        cronAt = Date.now() + 60 * SECOND
      }
      pass(1)
    }
    const ends = await endsOf(honest)
    expect(ends).toHaveLength(5)
    for (const end of ends) expect(end - start).toBeLessThan(120 * SECOND)
    const events = await transferEvents(chain)
    for (const item of honest) expect(deliveriesOf(item, events)).toHaveLength(1)
    // What was found of the others is stored as it is found.
    expect(changedAfterHalfAMinute).toBeGreaterThan(0)
    const { calls } = await chain.takeCounts()
    const asked = Object.values(calls).reduce((sum, count) => sum + count, 0)
    const seconds = (Date.now() - start) / SECOND
    expect(asked).toBeLessThanOrEqual(19 * (seconds + 5))
  },
)

it('shares the limit of a relayer by pieces', async () => {
  const chain = await aChain({ erc1155: 100 })
  await chain.asOwner('setRelayer', chain.signer, 10n, 1n)
  const items = await paidItems(chain, [
    { ...edition, quantity: 5, placer: 'user:1' },
    { ...edition, quantity: 5, placer: 'user:1' },
    { ...edition, quantity: 1, placer: 'user:2' },
  ])
  await chain.setAutomine(false)
  await anEngine(chain).step()
  expect(await statesOf(items)).toEqual(['in_flight', 'queued', 'in_flight'])
})

/** A wrong answer of one of two nodes blocks nothing: it is put to the other one. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { firstCases } from '../support/cases.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { rowOf } from '../support/delivery/engine.ts'
import { aPaidItem } from '../support/delivery/items.ts'
import { alarmsNow, live } from '../support/delivery/live.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aMarketplace } from '../support/delivery/marketplace.ts'
import { expectExactlyOnce } from '../support/delivery/oracle.ts'
import { restore, takeSnapshot } from '../support/delivery/snapshot.ts'

const logged = recordLogs()

const MINUTE = 60
const edition = { standard: 'erc1155' } as const

/** Delivers an item on a chain with the nodes 0 and 1. */
async function aSale(effect?: (chain: Chain) => Promise<void>) {
  const chain = await aChain({ erc1155: 10 })
  const market = aMarketplace(chain, { nodes: 2 })
  const item = await aPaidItem(chain, edition)
  await effect?.(chain)
  market.queue.put(chain)
  return { chain, market, item }
}

it.each(firstCases(1, ['0', '1']))(
  'has no old logs, after the database was set back (node %s)',
  async (node) => {
    const { chain, market, item } = await aSale()
    const copy = await takeSnapshot()
    await live(market, 5)
    const { txId } = await rowOf(item)
    expect(txId).not.toBeNull()
    await restore(copy)
    await chain.setFaults({ node, on: ['eth_getLogs'], effect: { result: [] } })
    market.queue.put(chain)
    await live(market, 30)
    expect(await rowOf(item)).toMatchObject({ state: 'transferred', reason: null, txId })
    await expectExactlyOnce(chain, [item])
  },
)

it('is silent for ten minutes: then one node suffices, with an alarm until it answers', async () => {
  const { chain, market, item } = await aSale((chain) =>
    chain.setFaults({ node: '1', effect: { http: 'drop', reach: 'all' } }),
  )
  const key = `second_node_silent:${chain.chainId}`
  await live(market, 9 * MINUTE)
  expect(await rowOf(item)).toMatchObject({ state: 'in_flight' })
  expect(await alarmsNow()).not.toContain(key)
  await live(market, 3 * MINUTE)
  expect(await rowOf(item)).toMatchObject({ state: 'transferred', reason: null })
  expect(await alarmsNow()).toContain(key)
  const isUnconfirmed = () =>
    env.DB.prepare('SELECT isUnconfirmed FROM deliveries WHERE id = ?')
      .bind(item.id)
      .first('isUnconfirmed')
  expect(await isUnconfirmed()).toBe(1)
  await chain.setFaults()
  await live(market, 2 * MINUTE)
  expect(await alarmsNow()).not.toContain(key)
  await live(market, 2 * MINUTE)
  // The second node has told the same.
  expect(await isUnconfirmed()).toBe(0)
  expect(await rowOf(item)).toMatchObject({ state: 'transferred', reason: null })
})

it('undoes what one node alone has told, once a second one answers that it is not so', async () => {
  const chain = await aChain({ erc1155: 10 })
  const market = aMarketplace(chain, { nodes: 2 })
  const item = await aPaidItem(chain, edition)
  // As if a node had told, alone, that the key is used.
  await env.DB.prepare(
    `UPDATE deliveries SET state = 'transferred', dueAt = NULL, queuedAt = NULL, isUnconfirmed = 1
     WHERE id = ?`,
  )
    .bind(item.id)
    .run()
  await market.runCron()
  await live(market, 2 * MINUTE)
  expect(logged('unconfirmed_ends_undone')).toEqual([{ chainId: chain.chainId, items: [item.id] }])
  await expectDelivered(chain, [item])
  await expectExactlyOnce(chain, [item])
})

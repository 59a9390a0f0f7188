/** A wrong answer of one of two nodes blocks nothing: it is put to the other one. */
import { env } from 'cloudflare:workers'
import { encodeFunctionResult, numberToHex, toFunctionSelector } from 'viem'
import { expect, it } from 'vitest'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import { firstCases } from '../support/cases.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import type { Effect } from '../support/chain/faults.ts'
import { pass } from '../support/delivery/clock.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { rowOf, transactionsOf } from '../support/delivery/engine.ts'
import { deliveriesOf, transferEvents } from '../support/delivery/events.ts'
import { aPaidItem, type PaidItem } from '../support/delivery/items.ts'
import { alarmsNow, live } from '../support/delivery/live.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aMarketplace } from '../support/delivery/marketplace.ts'
import { expectExactlyOnce } from '../support/delivery/oracle.ts'
import { restore, takeSnapshot } from '../support/delivery/snapshot.ts'

const logged = recordLogs()

const MINUTE = 60
const edition = { standard: 'erc1155' } as const
const PAUSED = toFunctionSelector('paused()')
const RECORDS = toFunctionSelector('records(bytes32[])')

/** Delivers an item on a chain with the nodes 0 and 1. */
async function aSale(effect?: (chain: Chain) => Promise<void>) {
  const chain = await aChain({ erc1155: 10 })
  const market = aMarketplace(chain, { nodes: 2 })
  const item = await aPaidItem(chain, edition)
  await effect?.(chain)
  market.queue.put(chain)
  return { chain, market, item }
}

/** Expects one transfer on the chain. */
const expectDelivery = async (chain: Chain, item: PaidItem) =>
  expect(deliveriesOf(item, await transferEvents(chain))).toHaveLength(1)

it.each(firstCases(1, ['0', '1']))(
  'says that the contract is paused, while it is not (node %s)',
  async (node) => {
    const { chain, market, item } = await aSale((chain) =>
      chain.setFaults({
        ...{ node, on: ['eth_call'], containing: PAUSED },
        effect: { result: numberToHex(1, { size: 32 }) },
      }),
    )
    await live(market, 10)
    // The buyer has it at once.
    await expectDelivery(chain, item)
    await live(market, 12 * MINUTE)
    await expectDelivered(chain, [item])
  },
)

it.each<[string, string, (receipt: { logs: unknown[] }) => Effect]>([
  ['has a receipt without events', '0', (receipt) => ({ result: { ...receipt, logs: [] } })],
  ['has a receipt without events', '1', (receipt) => ({ result: { ...receipt, logs: [] } })],
  ['has no receipt', '0', () => ({ result: null })],
])('%s of a transaction that delivered (node %s)', async (_, node, effectOf) => {
  const { chain, market, item } = await aSale()
  await chain.setAutomine(false)
  await market.deliver()
  const [transaction] = await transactionsOf(chain)
  await market.mine()
  const receipt = await chain.receiptOf(transaction?.hash)
  const effect = effectOf(receipt as { logs: unknown[] })
  await chain.setFaults({ node, on: ['eth_getTransactionReceipt'], effect })
  pass(10)
  await live(market, 12 * MINUTE)
  await expectDelivered(chain, [item])
  expect(logged('foreign_transaction')).toEqual([])
})

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

it.each(firstCases(1, ['0', '1']))(
  'says that a key is used that is not (node %s)',
  async (node) => {
    const record = { blockNumber: 1n, contentHash: `0x${'07'.repeat(24)}` } as const
    const result = encodeFunctionResult({
      abi: deliveryAbi,
      functionName: 'records',
      result: [10n ** 9n, 10n ** 9n, [record]],
    })
    const { chain, market, item } = await aSale((chain) =>
      chain.setFaults({ node, on: ['eth_call'], containing: RECORDS.slice(2), effect: { result } }),
    )
    await live(market, 90)
    // Nothing is believed that only one node says.
    expect(['queued', 'in_flight', 'transferred']).toContain((await rowOf(item)).state)
    await chain.setFaults()
    await live(market, 90)
    await expectDelivered(chain, [item])
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

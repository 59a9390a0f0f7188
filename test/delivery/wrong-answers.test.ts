/**
 * Nodes that are slow, make up receipts or lack logs: nothing stands still, and what was stored of a wrong
 * answer heals by itself.
 */

import { env } from 'cloudflare:workers'
import { encodeFunctionResult, getAddress, type Hex, numberToHex } from 'viem'
import { expect, it } from 'vitest'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import { encodeRecords } from '../../src/ethereum/contract.ts'
import { stockOfItem } from '../admin/operator.ts'
import { copies } from '../orders/shop.ts'
import { inLong } from '../support/cases.ts'
import { aChain, aSlowChain, type Chain } from '../support/chain/chain.ts'
import { pass } from '../support/delivery/clock.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { anEngine, aStepper, rowOf, transactionsOf } from '../support/delivery/engine.ts'
import { aPaidItem, paidItems } from '../support/delivery/items.ts'
import { alarmsNow, liveMinutes } from '../support/delivery/live.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aMarketplace } from '../support/delivery/marketplace.ts'
import { expectExactlyOnce } from '../support/delivery/oracle.ts'
import { forgetDeliveries } from '../support/delivery/snapshot.ts'
import { aTransaction } from '../support/makers.ts'

const logged = recordLogs()

const MINUTE = 60
const aStep = aStepper()
const edition = { standard: 'erc1155' } as const

const leaseOf = ({ chainId }: Chain) =>
  env.DB.prepare('SELECT lease, leaseUntil FROM networks WHERE chainId = ?')
    .bind(chainId)
    .first<{ lease: string | null; leaseUntil: string }>()

inLong(
  'keeps the lease while it looks for the transactions of 400 items, after a restore',
  async () => {
    const chain = await aChain({ erc1155: 500 })
    const items = await paidItems(chain, copies(400, edition))
    let longest = 0
    let isWatched = false
    const market = aMarketplace(chain, {
      network: { callsPerSecond: 10_000, itemsPerTransaction: 1, transactionsInFlight: 64 },
      onWait: async () => {
        const row = await leaseOf(chain)
        if (isWatched && row?.lease)
          longest = Math.max(longest, Date.now() - Date.parse(row.leaseUntil))
      },
    })
    market.queue.put(chain)
    await market.settle()
    await forgetDeliveries(chain, items)
    market.configure({ network: { callsPerSecond: 19 } })
    isWatched = true
    pass(100)
    market.queue.put(chain)
    await market.deliver()
    expect(longest).toBe(0)
  },
)

it('has the right stock if a cancelled item is delivered after a reorganization', async () => {
  const chain = await aSlowChain()
  const item = await aPaidItem(chain, edition)
  const engine = anEngine(chain)
  await aStep(engine)
  const [first] = await transactionsOf(chain)
  const height = async () =>
    Number(Object(await chain.rpc('eth_getBlockByNumber', 'latest', false)).number)
  const before = await height()
  // The first bytes get lost; somebody uses the nonce; the item is cancelled at another one.
  await chain.rpc('anvil_dropAllTransactions')
  await engine.cancel(item)
  await chain.rpc('eth_sendTransaction', {
    from: chain.signer,
    to: chain.owner,
    value: '0x0',
    nonce: '0x0',
  })
  await chain.mine()
  for (let i = 0; i < 4; i++) {
    await aStep(engine)
    await chain.mine()
  }
  await aStep(engine)
  expect(await rowOf(item)).toMatchObject({ state: 'cancelled' })
  const stock = () => stockOfItem(item.id)
  expect(await stock()).toBe(100)
  await chain.rpc('anvil_reorg', (await height()) - before, [])
  await chain.rpc('anvil_dropAllTransactions')
  await chain.rpc('eth_sendRawTransaction', first?.raw)
  await chain.mine()
  await aPaidItem(chain, edition)
  for (let i = 0; i < 6; i++) {
    await aStep(engine)
    await chain.mine()
  }
  const row = await rowOf(item)
  expect(row.state).toBe('transferred')
  expect(await stock()).toBe(99)
})

it('does not take an item for transferred because a node lacks logs once', async () => {
  const chain = await aChain({ erc1155: 10 })
  const contract = await chain.aMaliciousToken({ answer: 'accepts' })
  const item = await aPaidItem(chain, { ...edition, contract })
  const engine = anEngine(chain)
  await engine.run()
  expect(await rowOf(item)).toMatchObject({ state: 'failed', reasonCode: 'token_moved_nothing' })
  await forgetDeliveries(chain, [item])
  await chain.setFaults({ on: ['eth_getLogs'], effect: { result: [] }, times: 1 })
  await engine.step(61)
  expect(await rowOf(item)).not.toMatchObject({ state: 'transferred' })
  await engine.step(200)
  expect(await rowOf(item)).toMatchObject({ state: 'failed', reasonCode: 'token_moved_nothing' })
})

const networkOf = ({ chainId }: Chain) =>
  env.DB.prepare('SELECT settledBlock, settledHash, contracts FROM networks WHERE chainId = ?')
    .bind(chainId)
    .first<{ settledBlock: number | null; settledHash: Hex | null; contracts: string }>()

it('compares a failed item again as soon as its contract answers, and not a day later', async () => {
  const chain = await aChain({ erc1155: 1 })
  const market = aMarketplace(chain)
  const item = await aPaidItem(chain, edition)
  market.queue.put(chain)
  await liveMinutes(market, 2)
  await expectDelivered(chain, [item])
  await forgetDeliveries(chain, [item], 'failed')
  await chain.setFaults({ on: ['eth_call'], effect: { result: null } })
  market.queue.put(chain)
  await liveMinutes(market, 2)
  expect(await rowOf(item)).toMatchObject({ state: 'failed' })
  await chain.setFaults()
  await liveMinutes(market, 4)
  await expectDelivered(chain, [item])
})

it('takes no block for settled by a receipt that only one node has', async () => {
  const chain = await aChain({ erc1155: 10 })
  const market = aMarketplace(chain, { nodes: 2 })
  const item = await aPaidItem(chain, edition)
  await chain.setAutomine(false)
  market.queue.put(chain)
  await market.deliver()
  await chain.mine()
  const [{ hash } = {}] = await transactionsOf(chain)
  const receipt = Object(await chain.rpc('eth_getTransactionReceipt', hash))
  const inAnother = { ...receipt, blockHash: numberToHex(7, { size: 32 }) }
  const on = ['eth_getTransactionReceipt']
  await chain.setFaults(
    { node: '0', on, effect: { result: inAnother } },
    { node: '1', on, effect: { result: null } },
  )
  await liveMinutes(market, 1)
  expect(await transactionsOf(chain)).toMatchObject([{ isOpen: 0, blockHash: null }])
  expect(await networkOf(chain)).toMatchObject({ settledBlock: null, settledHash: null })
  await chain.setFaults()
  await liveMinutes(market, 3)
  await expectDelivered(chain, [item])
  expect(logged('chain_reorganized')).toEqual([])
})

it('asks for the receipt of a transaction that is stored with a block which does not exist', async () => {
  const chain = await aChain({ erc1155: 10 })
  const engine = anEngine(chain)
  await chain.setAutomine(false)
  const item = await aPaidItem(chain, edition)
  await aStep(engine)
  await env.DB.prepare('UPDATE transactions SET block = ?1, blockHash = ?2 WHERE chainId = ?3')
    .bind(2 ** 31, numberToHex(7, { size: 32 }), chain.chainId)
    .run()
  await chain.mine()
  for (let i = 0; i < 3; i++) await aStep(engine)
  await expectDelivered(chain, [item])
})

it('forgets a settled block and a contract that no node has known for ten minutes', async () => {
  const chain = await aChain({ erc1155: 10 })
  const market = aMarketplace(chain, { nodes: 2 })
  const first = await aPaidItem(chain, edition)
  market.queue.put(chain)
  await liveMinutes(market, 1)
  await expectDelivered(chain, [first])
  const row = await rowOf(first)
  const wrong = chain.contracts.erc721
  const block = Object(await chain.rpc('eth_getBlockByNumber', 'latest', false))
  const { id } = await aTransaction({
    ...{ chainId: chain.chainId, contract: wrong, signer: chain.owner },
    ...{ block: Number(block.number), blockHash: block.hash },
  })
  const second = await aPaidItem(chain, edition)
  await env.DB.batch([
    env.DB.prepare(
      `UPDATE networks SET settledBlock = ?, settledHash = ?, contracts = json_insert(contracts, '$[#]', ?)
       WHERE chainId = ?`,
    ).bind(2 ** 31, numberToHex(7, { size: 32 }), wrong, chain.chainId),
    env.DB.prepare('UPDATE transactions SET items = json_array(?) WHERE id = ?').bind(
      second.id,
      id,
    ),
    env.DB.prepare(
      `UPDATE deliveries SET state = 'transferred', dueAt = NULL, contract = ?, transactionId = ?
       WHERE id = ?`,
    ).bind(wrong, id, second.id),
  ])
  const third = await aPaidItem(chain, edition)
  market.queue.put(chain)
  await liveMinutes(market, 1)
  pass(7 * MINUTE)
  await liveMinutes(market, 1)
  expect(await rowOf(third)).toMatchObject({ state: 'queued' })
  await liveMinutes(market, 3)
  const items = [first, second, third]
  await expectDelivered(chain, items)
  await expectExactlyOnce(chain, items)
  // What stands was not touched.
  expect(await rowOf(first)).toMatchObject({ version: row.version, txId: row.txId })
  const network = await networkOf(chain)
  expect(network).toMatchObject({ contracts: JSON.stringify([chain.delivery]) })
  expect(network?.settledBlock).toBeLessThan(2 ** 31)
})

inLong(
  'does not forget a contract for which it has signed, though no node knows it any more',
  async () => {
    const chain = await aChain({ erc1155: 10 })
    const first = await aPaidItem(chain, edition)
    const before = aMarketplace(chain, { nodes: 2 })
    before.queue.put(chain)
    await liveMinutes(before, 1)
    await expectDelivered(chain, [first])
    const code = await chain.rpc('eth_getCode', chain.delivery, 'latest')
    const next = numberToHex(77n, { size: 20 })
    await chain.rpc('anvil_setCode', next, code)
    await chain.rpc('anvil_setCode', chain.delivery, '0x')
    const second = await aPaidItem(chain, edition)
    const market = aMarketplace(chain, { nodes: 2, network: { delivery: getAddress(next) } })
    market.queue.put(chain)
    await liveMinutes(market, 1)
    pass(12 * MINUTE)
    await liveMinutes(market, 2)
    expect(await rowOf(second)).toMatchObject({ state: 'queued', contract: null })
    expect(await networkOf(chain)).toMatchObject({ contracts: JSON.stringify([chain.delivery]) })
    expect(logged('contract_not_linked')).not.toEqual([])
  },
)

/** Delivers an item on a chain with the nodes 0 and 1. */
async function aSale(effect?: (chain: Chain) => Promise<void>) {
  const chain = await aChain({ erc1155: 10 })
  const market = aMarketplace(chain, { nodes: 2 })
  const item = await aPaidItem(chain, edition)
  await effect?.(chain)
  market.queue.put(chain)
  return { chain, market, item }
}

it('is silent for ten minutes: then one node suffices, with an alarm until it answers', async () => {
  const { chain, market, item } = await aSale((chain) =>
    chain.setFaults({ node: '1', effect: { http: 'drop', reach: 'all' } }),
  )
  const key = `second_node_silent:${chain.chainId}`
  await liveMinutes(market, 1)
  pass(7 * MINUTE)
  await liveMinutes(market, 1)
  expect(await rowOf(item)).toMatchObject({ state: 'in_flight' })
  expect(await alarmsNow()).not.toContain(key)
  await liveMinutes(market, 3)
  expect(await rowOf(item)).toMatchObject({ state: 'transferred', reason: null })
  expect(await alarmsNow()).toContain(key)
  const isUnconfirmed = () =>
    env.DB.prepare('SELECT isUnconfirmed FROM deliveries WHERE id = ?')
      .bind(item.id)
      .first('isUnconfirmed')
  expect(await isUnconfirmed()).toBe(1)
  expect(await networkOf(chain)).toMatchObject({ settledBlock: null })
  await chain.setFaults()
  await liveMinutes(market, 2)
  expect(await alarmsNow()).not.toContain(key)
  await liveMinutes(market, 2)
  // The second node has told the same.
  expect(await isUnconfirmed()).toBe(0)
  expect(await rowOf(item)).toMatchObject({ state: 'transferred', reason: null })
})

/** As if a node had told, alone, how the item has ended. */
const endAlone = ({ id }: { id: number }, state: 'transferred' | 'failed' = 'transferred') =>
  env.DB.prepare(
    `UPDATE deliveries SET state = ?2, dueAt = NULL, queuedAt = NULL, isUnconfirmed = 1,
       reasonCode = iif(?2 = 'failed', 'holder_not_approved', reasonCode) WHERE id = ?1`,
  )
    .bind(id, state)
    .run()

it('tells the operator of a failure that one node alone has told, and whose key two call unused', async () => {
  const chain = await aChain({ erc1155: 10 })
  const market = aMarketplace(chain, { nodes: 2 })
  const item = await aPaidItem(chain, edition)
  await endAlone(item, 'failed')
  await market.runCron()
  await liveMinutes(market, 2)
  expect(await rowOf(item)).toMatchObject({ state: 'failed', reasonCode: 'holder_not_approved' })
  expect(await alarmsNow()).toContain(`failed_by_one_node:${chain.chainId}`)
})

inLong('confirms what two nodes tell although they tell others differently', async () => {
  const chain = await aChain({ erc1155: 60 })
  const market = aMarketplace(chain, { nodes: 2, network: { itemsPerTransaction: 55 } })
  const first = await paidItems(chain, copies(55, edition))
  market.queue.put(chain)
  await liveMinutes(market, 1)
  const [{ hash = '' } = {}] = await transactionsOf(chain)
  const last = await aPaidItem(chain, edition)
  market.queue.put(chain)
  await liveMinutes(market, 1)
  await expectDelivered(chain, [...first, last])
  await chain.setFaults({
    ...{ node: '0', on: ['eth_getTransactionReceipt'], containing: hash },
    effect: { result: null },
  })
  for (const item of [...first, last]) await endAlone(item)
  await market.runCron()
  await liveMinutes(market, 5)
  const { results } = await env.DB.prepare(
    'SELECT id FROM deliveries WHERE isUnconfirmed AND chainId = ?',
  )
    .bind(chain.chainId)
    .all()
  expect(results.map(({ id }) => id)).toEqual(first.map(({ id }) => id))
})

it('undoes what one node alone has told, once a second one answers that it is not so', async () => {
  const chain = await aChain({ erc1155: 10 })
  const contract = await chain.aMaliciousToken({ answer: 'returns 100 KB' })
  const market = aMarketplace(chain, { nodes: 2 })
  const idle = await aPaidItem(chain, { ...edition, contract })
  const failed = { state: 'failed', reasonCode: 'token_moved_nothing' }
  market.queue.put(chain)
  await liveMinutes(market, 1)
  expect(await rowOf(idle)).toMatchObject(failed)
  const item = await aPaidItem(chain, edition)
  for (const one of [idle, item]) await endAlone(one)
  await market.runCron()
  await liveMinutes(market, 2)
  expect(logged('unconfirmed_ends_undone')).toEqual([
    { chainId: chain.chainId, items: expect.arrayContaining([idle.id, item.id]) },
  ])
  await expectDelivered(chain, [item])
  expect(await rowOf(idle)).toMatchObject(failed)
})

it('takes two nodes to call a key unused that a transaction has carried, also after its block was dropped', async () => {
  const chain = await aChain({ erc1155: 1 })
  const market = aMarketplace(chain, { nodes: 2 })
  const item = await aPaidItem(chain, edition)
  market.queue.put(chain)
  await liveMinutes(market, 2)
  await expectDelivered(chain, [item])
  await env.DB.prepare(
    "UPDATE deliveries SET state = 'queued', dueAt = ?2, transactionId = NULL WHERE id = ?1",
  )
    .bind(item.id, new Date().toISOString())
    .run()
  const unused = encodeFunctionResult({
    ...{ abi: deliveryAbi, functionName: 'records' },
    result: [2n ** 31n, 0n, [{ blockNumber: 0n, contentHash: `0x${'0'.repeat(48)}` }]],
  })
  await chain.setFaults({
    ...{ node: '0', on: ['eth_call'], containing: encodeRecords([item.key]) },
    effect: { result: unused },
  })
  await liveMinutes(market, 2)
  const waits = { state: 'queued', reasonCode: 'node_unavailable' }
  expect(await rowOf(item)).toMatchObject({
    ...waits,
    reasonDetail: 'nodes disagree about its key',
  })
  expect(await transactionsOf(chain)).toHaveLength(1)
  await chain.setFaults()
  await liveMinutes(market, 6)
  await expectDelivered(chain, [item])
})

/** A chain and a node that behave as chains and nodes do: still one transfer. */
import { expect, it } from 'vitest'
import { aChain, type Chain } from '../support/chain/chain.ts'
import type { Effect } from '../support/chain/faults.ts'
import { aMasterToken } from '../support/makers.ts'
import { aPaidItem, type PaidItem, paidItems } from '../support/transfers/items.ts'
import { rawsOf, signedFor } from '../support/transfers/looks.ts'
import { aMarketplace, type Marketplace, pass } from '../support/transfers/marketplace.ts'
import { expectExactlyOnce, rowOf } from '../support/transfers/oracle.ts'

/** Blocks are mined when the test says so. */
async function aQuietChain() {
  const chain = await aChain({ erc721: 5, erc1155: 100 })
  await chain.mine(10)
  await chain.setAutomine(false)
  return chain
}

/** A sale whose transaction has been handed to the node. */
async function aSentItem(chain: Chain, market: Marketplace): Promise<PaidItem> {
  const item = await aPaidItem(chain, { standard: 'erc1155', quantity: 2 })
  market.queue.put(item.id)
  await market.deliver()
  expect((await rowOf(item)).status).toBe('sent')
  return item
}

/** Time passes in which messages come and no block does. */
async function wait(market: Marketplace, seconds: number) {
  for (let waited = 0; waited < seconds; waited += 30) {
    pass(30)
    await market.deliver()
  }
}

const SENDING = ['eth_sendRawTransaction']
const forgetting: Effect = { dropTransaction: true }

it('takes null receipts of a transaction that is mined for no answer at all', async () => {
  const chain = await aQuietChain()
  const market = aMarketplace(chain)
  const item = await aSentItem(chain, market)
  await chain.setFaults({ on: ['eth_getTransactionReceipt'], effect: { result: null } })
  await chain.mine(5)
  await wait(market, 3600)
  const [signed, ...others] = await signedFor(item)
  expect(others).toEqual([])
  expect(await rowOf(item)).toMatchObject({
    status: 'sent',
    reason: `the node has not given the receipt of ${signed?.hash} yet`,
  })
  await chain.setFaults()
  await market.settle()
  expect(await rowOf(item)).toMatchObject({ status: 'transferred', txId: signed?.hash })
  await expectExactlyOnce(chain, [item])
})

it('gives no nonce twice on the word of a node that lags behind', async () => {
  const chain = await aQuietChain()
  const market = aMarketplace(chain)
  const height = Number(await chain.rpc('eth_blockNumber'))
  const first = await aSentItem(chain, market)
  await chain.mine(5)
  await market.settle()
  await chain.setFaults({ effect: { asOf: height } })
  const second = await aSentItem(chain, market)
  expect(await signedFor(second)).toMatchObject([{ nonce: 1 }])
  await chain.setFaults()
  await market.settle()
  expect((await rowOf(second)).status).toBe('transferred')
  await expectExactlyOnce(chain, [first, second])
})

it('goes on when the head that a node tells goes back and forth', async () => {
  const chain = await aQuietChain()
  const market = aMarketplace(chain, { network: { confirmations: 4 } })
  const items: PaidItem[] = []
  for (let round = 0; round < 6; round++) {
    await chain.setFaults(...(round % 2 ? [{ effect: { behind: 6 } }] : []))
    items.push(await aSentItem(chain, market))
    await chain.mine(2)
    await wait(market, 60)
  }
  await chain.setFaults()
  await market.settle()
  await expectExactlyOnce(chain, items)
})

it('sends the same bytes again when the node has forgotten them', async () => {
  const chain = await aQuietChain()
  const market = aMarketplace(chain)
  await chain.setFaults({ on: SENDING, times: 3, effect: forgetting })
  const item = await aSentItem(chain, market)
  await market.settle()
  expect(await signedFor(item)).toHaveLength(1)
  await expectExactlyOnce(chain, [item])
})

const setBaseFee = (chain: Chain, gwei: number) =>
  chain.rpc('anvil_setNextBlockBaseFeePerGas', `0x${(gwei * 1e9).toString(16)}`)

it('outbids a fee spike at the same nonce, up to the cap, and waits above it', async () => {
  const chain = await aQuietChain()
  const market = aMarketplace(chain, { network: { maxFeePerGasGwei: 40 } })
  const item = await aSentItem(chain, market)
  await setBaseFee(chain, 30)
  await chain.mine()
  await wait(market, 120)
  const raised = await signedFor(item)
  expect(raised.length).toBeGreaterThan(1)
  expect(raised.at(-1)?.fee).toBeGreaterThanOrEqual(30e9)
  await setBaseFee(chain, 200)
  await chain.mine()
  await wait(market, 600)
  const last = await signedFor(item)
  expect(Math.max(...last.map(({ fee }) => fee))).toBeLessThanOrEqual(40e9)
  expect(new Set(last.map(({ nonce }) => nonce)).size).toBe(1)
  expect((await rowOf(item)).reason).toMatch(/maxFeePerGasGwei|max fee per gas less/)

  const other = await aPaidItem(chain, { standard: 'erc721' })
  market.queue.put(other.id)
  await market.deliver()
  expect(await rowOf(other)).toMatchObject({ status: 'queued' })
  expect((await rowOf(other)).reason).toMatch(/maxFeePerGasGwei/)

  await setBaseFee(chain, 1)
  await market.settle()
  await expectExactlyOnce(chain, [item, other])
})

it.each([
  ['the first', 0],
  ['the second', 1],
  ['the third', 2],
])('takes %s of the transactions at a nonce, whichever is mined', async (_, winner) => {
  const chain = await aQuietChain()
  const market = aMarketplace(chain, { network: { confirmations: 2 } })
  await chain.setFaults({ on: SENDING, effect: forgetting })
  const item = await aSentItem(chain, market)
  await wait(market, 240)
  const raws = await rawsOf(item)
  expect(raws.length).toBeGreaterThan(2)
  await chain.setFaults()
  const hash = await chain.rpc('eth_sendRawTransaction', raws[winner])
  await chain.mine()
  await market.settle()
  expect(await rowOf(item)).toMatchObject({ status: 'transferred', txId: hash })
  await expectExactlyOnce(chain, [item])
})

it('follows a reorganisation that mines another transaction of the same nonce', async () => {
  const chain = await aQuietChain()
  const market = aMarketplace(chain, { network: { confirmations: 3 } })
  await chain.setFaults({ on: SENDING, effect: forgetting })
  const item = await aSentItem(chain, market)
  await wait(market, 120)
  await chain.setFaults()
  const [first, second] = await rawsOf(item)
  const replaced = await chain.rpc('eth_sendRawTransaction', second)
  await chain.mine()
  await wait(market, 60)
  expect(await rowOf(item)).toMatchObject({ status: 'mined', txId: replaced })
  await chain.rpc('anvil_reorg', 1, [[first, 0]])
  const hash = (await signedFor(item))[0]?.hash
  await market.settle()
  expect(await rowOf(item)).toMatchObject({ status: 'transferred', txId: hash })
  await expectExactlyOnce(chain, [item])
})

it('sends again what a reorganisation has removed, again and again', async () => {
  const chain = await aQuietChain()
  const market = aMarketplace(chain, { network: { confirmations: 4 } })
  const item = await aSentItem(chain, market)
  for (let times = 0; times < 3; times++) {
    await chain.mine(2)
    await wait(market, 60)
    expect((await rowOf(item)).status).toBe('mined')
    await chain.rpc('anvil_reorg', 3, [])
    await wait(market, 60)
    expect((await rowOf(item)).status).toBe('sent')
  }
  await market.settle()
  expect(new Set((await signedFor(item)).map(({ nonce }) => nonce))).toEqual(new Set([0]))
  await expectExactlyOnce(chain, [item])
})

it('stops when somebody else uses a nonce, resends nothing, and goes on when told to', async () => {
  const chain = await aQuietChain()
  const market = aMarketplace(chain, { network: { confirmations: 2 } })
  await chain.setFaults({ on: SENDING, effect: forgetting })
  const item = await aSentItem(chain, market)
  const gift = { from: chain.signer, to: chain.seller, value: '0x1', nonce: '0x0' }
  await chain.rpc('eth_sendTransaction', gift)
  await chain.mine(5)
  await chain.setFaults()
  await wait(market, 120)
  expect(await rowOf(item)).toMatchObject({ status: 'review' })
  expect((await rowOf(item)).reason).toMatch(/none of ours/)

  const others = await paidItems(chain, [{ standard: 'erc721' }, { standard: 'erc1155' }])
  for (const { id } of [item, ...others]) market.queue.put(id)
  await chain.takeCounts()
  await wait(market, 3600)
  expect((await chain.takeCounts()).calls).not.toHaveProperty('eth_sendRawTransaction')
  for (const other of others) {
    expect(await rowOf(other)).toMatchObject({ status: 'queued' })
    expect((await rowOf(other)).reason).toMatch(/signing is stopped/)
  }

  const token = await aMasterToken()
  await market.request('POST', `/api/admin/transfers/${item.id}/retry`, token, null)
  await market.settle()
  for (const one of [item, ...others]) expect((await rowOf(one)).status).toBe('transferred')
  await expectExactlyOnce(chain, [item, ...others], [0])
})

it.each([
  ['the no-op', 'failed', 0],
  ['the transfer', 'transferred', 1],
])('ends as the chain decides when %s is mined after a cancellation', async (_, status, moved) => {
  const chain = await aQuietChain()
  const market = aMarketplace(chain)
  await chain.setFaults({ on: SENDING, effect: forgetting })
  const item = await aSentItem(chain, market)
  const token = await aMasterToken()
  await market.request('POST', `/api/admin/transfers/${item.id}/cancel`, token, null)
  await wait(market, 30)
  const [transfer, noop] = await rawsOf(item)
  expect(await signedFor(item)).toMatchObject([{ kind: 'transfer' }, { kind: 'cancel' }])
  await chain.setFaults()
  await chain.rpc('eth_sendRawTransaction', moved ? transfer : noop)
  await market.settle()
  expect((await rowOf(item)).status).toBe(status)
  await expectExactlyOnce(chain, [item])
})

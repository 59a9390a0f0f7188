/** A run makes progress, or ends: it does not ask the node again and again. */
import { numberToHex, parseGwei } from 'viem'
import { expect, it } from 'vitest'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { pass } from '../support/delivery/clock.ts'
import { rowOf, transactionsOf } from '../support/delivery/engine.ts'
import { aPaidItem } from '../support/delivery/items.ts'
import { aMarketplace } from '../support/delivery/marketplace.ts'
import { expectExactlyOnce } from '../support/delivery/oracle.ts'

const anItem = (chain: Chain) => aPaidItem(chain, { standard: 'erc1155' })

it('ends while all places are taken by transactions whose nonces somebody else has used', async () => {
  const chain = await aChain({ erc1155: 10 })
  const market = aMarketplace(chain, { network: { transactionsInFlight: 1, finality: 5 } })
  await chain.setAutomine(false)
  const first = await anItem(chain)
  market.queue.put(chain)
  await market.deliver()
  await chain.rpc('anvil_dropAllTransactions')
  await chain.rpc('eth_sendTransaction', { from: chain.signer, to: chain.seller, value: '0x0' })
  await market.mine()
  const second = await anItem(chain)
  pass(60)
  market.queue.put(chain)
  const runs = await market.deliver()
  expect(runs.flatMap(({ steps }) => steps).length).toBeLessThan(100)
  await market.settle()
  await expectExactlyOnce(chain, [first, second])
  expect(await rowOf(second)).toMatchObject({ state: 'transferred' })
})

it('ends while more transactions wait for a block than one step signs', async () => {
  const chain = await aChain({ erc1155: 100 })
  const market = aMarketplace(chain, {
    network: { transactionsInFlight: 20, itemsPerTransaction: 1 },
  })
  await chain.setAutomine(false)
  const items = [await anItem(chain)]
  while (items.length < 25) items.push(await anItem(chain))
  market.queue.put(chain)
  const runs = await market.deliver()
  expect(await transactionsOf(chain)).toHaveLength(20)
  expect(runs.flatMap(({ steps }) => steps).length).toBeLessThan(150)
  await market.settle()
  await expectExactlyOnce(chain, items)
})

it('uses a nonce whose earlier transaction had the highest fees that the cap allows', async () => {
  const chain = await aChain({ erc1155: 10 })
  const market = aMarketplace(chain, { network: { maxFeePerGasGwei: 100 } })
  await chain.setAutomine(false)
  const item = await anItem(chain)
  market.queue.put(chain)
  await market.deliver()
  await chain.rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(parseGwei('90')))
  await market.mine()
  pass(10)
  await market.runCron()
  await market.deliver()
  expect(await transactionsOf(chain)).toMatchObject([{ maxFeePerGas: `${parseGwei('100')}` }])
  // It is never mined, and its deadline passes.
  await chain.rpc('anvil_dropAllTransactions')
  await chain.rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(parseGwei('1')))
  pass(7200)
  await market.mine()
  await market.runCron()
  await market.settle()
  expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
  await expectExactlyOnce(chain, [item])
})

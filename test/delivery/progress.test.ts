/** A run makes progress, or ends: it asks the node neither again and again, nor for too much. */

import { getAddress, numberToHex, parseGwei } from 'viem'
import { expect, it } from 'vitest'
import { copies, times } from '../orders/shop.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { watchRequests } from '../support/chain/fetch.ts'
import { pass } from '../support/delivery/clock.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { anEngine, rowOf, transactionsOf } from '../support/delivery/engine.ts'
import { aPaidItem, paidItems } from '../support/delivery/items.ts'
import { aMarketplace } from '../support/delivery/marketplace.ts'
import { expectExactlyOnce } from '../support/delivery/oracle.ts'
import { aTransaction } from '../support/makers.ts'

const edition = { standard: 'erc1155' } as const

const anItem = (chain: Chain) => aPaidItem(chain, edition)

it('ends while more transactions wait for a block than one step signs', async () => {
  const chain = await aChain({ erc1155: 100 })
  const market = aMarketplace(chain, {
    network: { transactionsInFlight: 20, itemsPerTransaction: 1 },
  })
  await chain.setAutomine(false)
  const items = await paidItems(chain, copies(25, edition))
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

it('asks for no receipts of expired transactions while their nonces are not used', async () => {
  const chain = await aChain({ erc1155: 10 })
  await chain.setAutomine(false)
  await chain.mine()
  const hash = (i: number) => numberToHex(i + 1, { size: 32 })
  // Days of fees that rise and fall: each nonce was signed again and again.
  for (let i = 0; i < 64; i++)
    await aTransaction({
      ...{ chainId: chain.chainId, contract: chain.delivery, signer: getAddress(chain.signer) },
      ...{ nonce: 3 + i, replaced: times(60, (k) => hash(100 * i + k)) },
      ...{ deadline: 1, block: null, blockHash: null, isOpen: true },
    })
  await aPaidItem(chain, edition)
  await chain.takeCounts()
  await anEngine(chain, { transactionsInFlight: 64 }).step()
  const { calls } = await chain.takeCounts()
  expect(calls.eth_getTransactionReceipt ?? 0).toBeLessThan(100)
})

it('reads little of what hostile tokens return', async () => {
  const chain = await aChain({ erc1155: 10 })
  const honest = await aPaidItem(chain, edition)
  const hostile = times(10, (i) => getAddress(`0x${(i + 1).toString(16).padStart(40, 'e')}`))
  // Returns 3 MB, whatever is asked: 6 MB of JSON.
  for (const contract of hostile) await chain.rpc('anvil_setCode', contract, '0x622fffff6000f3')
  await paidItems(
    chain,
    hostile.map((contract) => ({ ...edition, contract })),
  )
  let longest = 0
  const stop = watchRequests(chain.proxyUrl, async (_, send) => {
    const response = await send()
    longest = Math.max(longest, (await response.clone().text()).length)
    return response
  })
  await anEngine(chain).run().finally(stop)
  await expectDelivered(chain, [honest])
  expect(longest).toBeGreaterThan(0)
  expect(longest).toBeLessThan(10_000_000)
})

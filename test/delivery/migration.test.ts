/** The configuration changes while items are on their way: another contract, another network. */
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { aSlowChain, type Chain } from '../support/chain/chain.ts'
import { deployContract } from '../support/delivery/contracts.ts'
import { expectDelivered as expectTransferred } from '../support/delivery/delivered.ts'
import { anEngine, aStepper, type Engine, rowOf, rowsOf } from '../support/delivery/engine.ts'
import { transferEvents } from '../support/delivery/events.ts'
import { aPaidItem, type PaidItem } from '../support/delivery/items.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { restore, takeSnapshot } from '../support/delivery/snapshot.ts'
import { execute } from '../support/makers.ts'

const logged = recordLogs()

/** Calls a contract as its owner. */
async function call(chain: Chain, contract: Address, data: Hex) {
  await chain.rpc('eth_sendTransaction', { from: chain.owner, to: contract, data })
  await chain.mine()
}

const abi = deliveryAbi
const RETIRE = encodeFunctionData({ abi, functionName: 'retire' })

const anItem = (chain: Chain) => aPaidItem(chain, { standard: 'erc1155' })

const aStep = aStepper()

/** Takes steps, with a block after each, until there is nothing to do. */
async function runUntilDone(chain: Chain, engine: Engine) {
  for (let i = 0; i < 5; i++) {
    await aStep(engine)
    await chain.mine()
  }
}

/** Signs the item with the contract. The transaction is never mined, and its deadline is past. */
async function pin(chain: Chain, engine: Engine) {
  await chain.setFaults({ on: ['eth_sendRawTransaction'], effect: { dropTransaction: true } })
  await aStep(engine)
  await chain.rpc('evm_increaseTime', 4000)
  await chain.mine()
  await aStep(engine)
  await chain.setFaults()
}

/** Expects that each item was transferred once, by a call of this contract. */
async function expectDelivered(chain: Chain, contract: Address, items: readonly PaidItem[]) {
  await expectTransferred(chain, items)
  for (const { txId, ...row } of (await rowsOf(items)).values()) {
    expect(row).toMatchObject({ contract })
    const transaction = await chain.rpc('eth_getTransactionByHash', txId)
    expect(transaction).toMatchObject({ to: contract.toLowerCase() })
  }
}

describe('another contract in the configuration', () => {
  it('is not used if it does not know the keys of the one that was', async () => {
    const chain = await aSlowChain()
    const item = await anItem(chain)
    await aStep(anEngine(chain))
    const next = await anItem(chain)
    const delivery = await deployContract(chain)
    await chain.mine()
    await runUntilDone(chain, anEngine(chain, { delivery }))
    expect(await rowOf(item)).toMatchObject({ state: 'in_flight', contract: chain.delivery })
    expect(await rowOf(next)).toMatchObject({ state: 'queued', contract: null })
    expect(logged('contract_not_linked')[0]).toEqual({
      chainId: chain.chainId,
      contract: chain.delivery,
    })
    await runUntilDone(chain, anEngine(chain))
    await expectDelivered(chain, chain.delivery, [item, next])
  })

  it('does not get an item of a contract that does not answer', async () => {
    const chain = await aSlowChain()
    const item = await anItem(chain)
    const silent = '0x000000000000000000000000000000000000bEEF'
    await execute('UPDATE deliveries SET contract = ? WHERE id = ?', silent, item.id)
    const engine = anEngine(chain)
    await runUntilDone(chain, engine)
    expect(await rowOf(item)).toMatchObject({
      state: 'queued',
      ...explain('contract_unavailable', silent),
      dueAt: expect.any(String),
    })
    await execute('UPDATE deliveries SET contract = NULL WHERE id = ?', item.id)
    await runUntilDone(chain, engine)
    await expectDelivered(chain, chain.delivery, [item])
  })
})

describe('a contract that replaces a retired one', () => {
  async function replace(chain: Chain): Promise<Address> {
    await call(chain, chain.delivery, RETIRE)
    const contract = await deployContract(chain, { predecessor: chain.delivery })
    await chain.mine()
    return contract
  }

  it('delivers what the retired one refused, because it was in flight', async () => {
    const chain = await aSlowChain()
    const item = await anItem(chain)
    await chain.setFaults({ on: ['eth_sendRawTransaction'], effect: { dropTransaction: true } })
    await aStep(anEngine(chain))
    await chain.setFaults()
    const delivery = await replace(chain)
    const engine = anEngine(chain, { delivery })
    await runUntilDone(chain, engine)
    await runUntilDone(chain, engine)
    await expectDelivered(chain, delivery, [item])
  })

  it('does not deliver what the retired one has delivered, if the database that was set back says that it was signed', async () => {
    const chain = await aSlowChain()
    const item = await anItem(chain)
    const engine = anEngine(chain)
    await pin(chain, engine)
    const copy = await takeSnapshot()
    await runUntilDone(chain, engine)
    await expectDelivered(chain, chain.delivery, [item])
    const delivery = await replace(chain)
    await restore(copy)
    await runUntilDone(chain, anEngine(chain, { delivery }))
    await expectDelivered(chain, chain.delivery, [item])
    expect(await transferEvents(chain)).toHaveLength(1)
  })
})

describe('an NFT that is changed while its items are on their way', () => {
  it('stays where it was ordered if it gets another network', async () => {
    const [chain, other] = [await aSlowChain(), await aSlowChain()]
    const items = [await anItem(chain)]
    await aStep(anEngine(chain))
    items.push(await anItem(chain))
    for (const { id } of items)
      await execute('UPDATE nfts SET contractNetwork = ? WHERE id = ?', other.name, id)
    await runUntilDone(other, anEngine(other))
    await runUntilDone(chain, anEngine(chain))
    await expectDelivered(chain, chain.delivery, items)
    expect(await transferEvents(other)).toEqual([])
  })

  it('is delivered as it was signed if it gets another address', async () => {
    const chain = await aSlowChain()
    const item = await anItem(chain)
    const engine = anEngine(chain)
    await aStep(engine)
    await execute('UPDATE nfts SET contractAddr = ? WHERE id = ?', chain.contracts.erc721, item.id)
    await runUntilDone(chain, engine)
    await expectDelivered(chain, chain.delivery, [item])
  })

  it('is delivered from its new address if it was not signed', async () => {
    const chain = await aSlowChain()
    const item = await anItem(chain)
    const nowhere = '0x000000000000000000000000000000000000bEEF'
    await execute('UPDATE nfts SET contractAddr = ? WHERE id = ?', nowhere, item.id)
    const engine = anEngine(chain)
    await aStep(engine)
    expect(await rowOf(item)).toMatchObject({ state: 'queued' })
    await execute('UPDATE nfts SET contractAddr = ? WHERE id = ?', item.contract, item.id)
    await runUntilDone(chain, engine)
    await expectDelivered(chain, chain.delivery, [item])
  })
})

/** Nonces of expired transactions whose use a reorganization has undone. */
import { expect, it } from 'vitest'
import { aSlowChain } from '../support/chain/chain.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { anEngine, aStepper, transactionsOf } from '../support/delivery/engine.ts'
import { aPaidItem } from '../support/delivery/items.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'

const logged = recordLogs()

const aStep = aStepper()

it('forgets that a nonce was used if a reorganization has undone that', async () => {
  const chain = await aSlowChain()
  const item = await aPaidItem(chain, { standard: 'erc1155' })
  const engine = anEngine(chain, { finality: 3 })
  const late = { on: ['eth_getTransactionReceipt'], effect: { result: null } }
  await aStep(engine)
  const [signed] = await transactionsOf(chain)
  await chain.mine()
  // The node has the count, and the receipt later.
  await chain.setFaults(late)
  await aStep(engine)
  await chain.setFaults()
  await chain.rpc('anvil_reorg', 1, [])
  await chain.rpc('anvil_dropAllTransactions')
  await aStep(engine)
  await chain.rpc('anvil_dropAllTransactions')
  await chain.mine(5)
  await aStep(engine)
  await chain.rpc('eth_sendRawTransaction', signed?.raw).catch(() => {})
  await chain.mine()
  await chain.setFaults(late)
  await aStep(engine)
  await chain.setFaults()
  await chain.mine(5)
  for (let i = 0; i < 4; i++) {
    await aStep(engine)
    await chain.mine(3)
  }
  expect(logged('foreign_transaction')).toEqual([])
  await expectDelivered(chain, [item])
})

it('signs a nonce again whose expired bytes were in a block that a reorganization has undone', async () => {
  const chain = await aSlowChain()
  const item = await aPaidItem(chain, { standard: 'erc1155' })
  const engine = anEngine(chain, { finality: 3 })
  await aStep(engine)
  const [signed] = await transactionsOf(chain)
  await chain.rpc('anvil_dropAllTransactions')
  const send = { on: ['eth_sendRawTransaction'], effect: { dropTransaction: true } } as const
  await chain.setFaults(send)
  await chain.erc1155AsSeller('setApprovalForAll', chain.delivery, false)
  await chain.rpc('evm_increaseTime', 7200)
  await chain.mine(5)
  await aStep(engine)
  await aStep(engine)
  expect(await transactionsOf(chain)).toMatchObject([{ items: '[]', isOpen: 1, block: null }])
  // The old bytes come late into a block, which is gone again.
  await chain.rpc('eth_sendRawTransaction', signed?.raw)
  await chain.mine()
  await aStep(engine, 3661)
  await aStep(engine)
  await chain.rpc('anvil_reorg', 1, [])
  await chain.rpc('anvil_dropAllTransactions')
  await chain.erc1155AsSeller('setApprovalForAll', chain.delivery, true)
  await chain.mine()
  await chain.setFaults()
  for (let i = 0; i < 6; i++) {
    await aStep(engine, i === 0 ? 3661 : 661)
    await chain.mine(3)
  }
  await expectDelivered(chain, [item])
})

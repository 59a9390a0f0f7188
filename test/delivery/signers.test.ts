/** Keys of signers: used by somebody else, by two environments, changed; transactions out of time. */

import { numberToHex, parseTransaction } from 'viem'
import { describe, expect, it } from 'vitest'
import { localAccount, toPrivateKey } from '../../scripts/local/chain/accounts.ts'
import { aSlowChain, type Chain } from '../support/chain/chain.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import {
  anEngine,
  aStepper,
  type Engine,
  rowOf,
  transactionsOf,
} from '../support/delivery/engine.ts'
import { deliveriesOf, transferEvents } from '../support/delivery/events.ts'
import { aPaidItem } from '../support/delivery/items.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'

const logged = recordLogs()

/** The key of `chain.otherSigner`. */
const OTHER_KEY = toPrivateKey(localAccount(6))

const SEND = ['eth_sendRawTransaction']
const HOUR = 3600

/** Mines a block with a time so many seconds after the last one. */
async function mineLater(chain: Chain, seconds: number) {
  await chain.rpc('evm_increaseTime', seconds)
  await chain.mine()
}

const anItem = (chain: Chain) => aPaidItem(chain, { standard: 'erc1155' })

const aStep = aStepper()

/** Signs the item, and keeps its transaction from every node. */
async function signUnsent(chain: Chain, engine: Engine) {
  await chain.setFaults({ on: SEND, effect: { dropTransaction: true } })
  await aStep(engine)
  const [transaction] = await transactionsOf(chain)
  if (!transaction) throw new Error('nothing was signed')
  return transaction
}

it('reports a nonce that somebody else uses, and delivers the item at another one', async () => {
  const chain = await aSlowChain()
  const item = await anItem(chain)
  const engine = anEngine(chain)
  const { nonce } = await signUnsent(chain, engine)
  const { signer: from, owner: to } = chain
  await chain.rpc('eth_sendTransaction', { from, to, value: '0x1', nonce: numberToHex(nonce) })
  await chain.mine()
  await chain.setFaults()
  await aStep(engine)
  expect(await rowOf(item)).toMatchObject({ state: 'in_flight' })
  await aStep(engine)
  expect(logged('foreign_transaction')).toMatchObject([{ signer: chain.signer, nonce }])
  await aStep(engine)
  await chain.mine()
  await aStep(engine)
  await expectDelivered(chain, [item])
  expect((await transactionsOf(chain)).map((t) => t.nonce)).toEqual([nonce, nonce + 1])
})

it('names no transaction for an item that another relayer has delivered, while no node has old logs', async () => {
  const chain = await aSlowChain()
  const item = await anItem(chain)
  const engine = anEngine(chain)
  const { raw } = await signUnsent(chain, engine)
  const { data } = parseTransaction(raw ?? '0x')
  const call = { from: chain.otherSigner, to: chain.delivery, data }
  const sent = await chain.rpc('eth_sendTransaction', call)
  await mineLater(chain, 1)
  await mineLater(chain, 2 * HOUR)
  await chain.setFaults({ on: ['eth_getLogs'], effect: { result: [] } })
  for (let steps = 0; steps < 15; steps++) await aStep(engine)
  expect(deliveriesOf(item, await transferEvents(chain))).toMatchObject([{ transactionHash: sent }])
  expect(await rowOf(item)).toMatchObject({ state: 'transferred', txId: null })
})

describe('a changed key', () => {
  it('delivers what the old key sent in vain, once the deadline is past', async () => {
    const chain = await aSlowChain()
    const item = await anItem(chain)
    const old = await signUnsent(chain, anEngine(chain))
    const renewed = anEngine(chain, { keys: OTHER_KEY })
    await mineLater(chain, HOUR - 60)
    await aStep(renewed)
    expect(await rowOf(item)).toMatchObject({ state: 'in_flight' })
    await mineLater(chain, 120)
    await aStep(renewed)
    expect(logged('transaction_expired')).toMatchObject([{ signer: chain.signer, nonce: 0 }])
    await chain.setFaults()
    await aStep(renewed)
    await chain.mine()
    await aStep(renewed)
    await expectDelivered(chain, [item])
    expect(await transactionsOf(chain)).toMatchObject([
      { signer: chain.signer, isOpen: 1, block: null, items: '[]' },
      { signer: chain.otherSigner, nonce: 0 },
    ])

    await chain.rpc('eth_sendRawTransaction', old.raw)
    await chain.mine()
    expect(await chain.rpc('eth_getTransactionReceipt', old.hash)).toMatchObject({ status: '0x0' })
    await expectDelivered(chain, [item])
  })
})

it('a deadline frees the nonce: the next transaction there outbids the bytes that nodes may have', async () => {
  const chain = await aSlowChain()
  const item = await anItem(chain)
  const engine = anEngine(chain)
  const old = await signUnsent(chain, engine)
  await mineLater(chain, HOUR + 60)
  await aStep(engine)
  // A node that has kept the old bytes.
  await chain.rpc('eth_sendRawTransaction', old.raw)
  await chain.setFaults()
  await aStep(engine)
  const [next, ...others] = await transactionsOf(chain)
  expect(others).toEqual([])
  expect(next).toMatchObject({ nonce: old.nonce, replaced: JSON.stringify([old.hash]) })
  expect(Number(next?.maxFeePerGas)).toBeGreaterThanOrEqual(1.125 * Number(old.maxFeePerGas))
  expect(await chain.rpc('eth_getTransactionByHash', old.hash)).toBeNull()
  await chain.mine()
  await aStep(engine)
  await expectDelivered(chain, [item])
})

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

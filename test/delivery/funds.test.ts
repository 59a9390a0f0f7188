/** Fees and funds: what a transaction costs, and what happens if that is too much. */
import { env } from 'cloudflare:workers'
import { numberToHex, parseGwei, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { localAccount, toPrivateKey } from '../../scripts/local/chain/accounts.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { anEngine, rowOf, transactionsOf } from '../support/delivery/engine.ts'
import { aPaidItem } from '../support/delivery/items.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'

const logged = recordLogs()

const setBalance = (chain: Chain, wei: bigint, account = chain.signer) =>
  chain.rpc('anvil_setBalance', account, numberToHex(wei))

/** Mines a block with this base fee, in wei. It has no transactions that offer less. */
async function mineAt(chain: Chain, baseFee: bigint) {
  await chain.rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(baseFee))
  await chain.mine()
}

/** An item whose transaction is sent and waits at the node. */
async function anItemInFlight(settings: Parameters<typeof anEngine>[1] = {}) {
  const chain = await aChain({ erc1155: 1 })
  const item = await aPaidItem(chain, { standard: 'erc1155' })
  const engine = anEngine(chain, settings)
  await chain.setAutomine(false)
  await engine.step()
  const [sent] = await transactionsOf(chain)
  if (!sent) throw new Error('nothing was sent')
  return { chain, item, engine, sent, maxFee: BigInt(sent.maxFeePerGas), gas: BigInt(sent.gas) }
}

it('waits while the fees of the network are above 70 % of the cap', async () => {
  const chain = await aChain({ erc1155: 1 })
  const item = await aPaidItem(chain, { standard: 'erc1155' })
  const engine = anEngine(chain, { maxFeePerGasGwei: 100 })
  await mineAt(chain, parseGwei('70'))
  await engine.step()
  expect(await rowOf(item)).toMatchObject({ state: 'queued', reason: null, waitingSince: null })
  expect(logged('fees_above_cap')).toEqual([
    {
      chainId: chain.chainId,
      baseFee: '70000000000',
      tip: '1000000000',
      cap: '100000000000',
    },
  ])
  await mineAt(chain, parseGwei('69'))
  await engine.step()
  expect(await transactionsOf(chain)).toMatchObject([{ maxFeePerGas: '70000000000' }])
  await engine.step()
  await expectDelivered(chain, [item])
})

it('replaces a transaction when the market is above its fees, with the same nonce and items', async () => {
  const { chain, item, engine, sent } = await anItemInFlight()
  await mineAt(chain, parseGwei('10'))
  await engine.step()
  const [replaced, ...others] = await transactionsOf(chain)
  expect(others).toEqual([])
  expect(replaced).toMatchObject({
    id: sent.id,
    nonce: sent.nonce,
    items: sent.items,
    replaced: JSON.stringify([sent.hash]),
    // An eighth more than 1 gwei, and twice the base fee with that.
    maxPriorityFeePerGas: '1125000000',
    maxFeePerGas: '21125000000',
  })
  expect(replaced?.hash).not.toBe(sent.hash)
  expect(logged('transaction_replaced')).toEqual([
    { chainId: chain.chainId, nonce: 0, hash: replaced?.hash, replaces: sent.hash },
  ])
  await engine.step()
  expect(await transactionsOf(chain)).toEqual([replaced])
  await chain.mine()
  await engine.step()
  await expectDelivered(chain, [item])
  expect(await rowOf(item)).toMatchObject({ txId: replaced?.hash })
})

it('waits for funds, says how much is missing, and goes on with exactly that', async () => {
  const chain = await aChain({ erc1155: 1 })
  const item = await aPaidItem(chain, { standard: 'erc1155' })
  const engine = anEngine(chain)
  await setBalance(chain, 1000n)
  const waiting = await engine.step()
  expect(waiting?.takesDeliveries).toBe(false)
  expect(await rowOf(item)).toMatchObject({ state: 'queued', reason: null, waitingSince: null })
  expect(await transactionsOf(chain)).toEqual([])
  const [line, ...more] = logged('signer_out_of_funds')
  expect(more).toEqual([])
  expect(line).toEqual({
    chainId: chain.chainId,
    signer: chain.signer,
    missing: expect.stringMatching(/^\d{14,16}$/),
  })
  await setBalance(chain, 1000n + BigInt(`${line?.missing}`) - 1n)
  await engine.step()
  expect(logged('signer_out_of_funds')[1]).toMatchObject({ missing: '1' })
  await setBalance(chain, 1000n + BigInt(`${line?.missing}`))
  await engine.step()
  await engine.step()
  await expectDelivered(chain, [item])
})

it('counts what transactions in flight may cost', async () => {
  const { chain, engine, gas, maxFee } = await anItemInFlight()
  await chain.erc1155AsSeller('mint', chain.seller, 1n, 1n, '0x')
  const baseFee = (maxFee - parseGwei('1')) / 2n
  await setBalance(chain, gas * maxFee + gas * (maxFee - baseFee) - 1n)
  const second = await aPaidItem(chain, { standard: 'erc1155' })
  await engine.step(1)
  expect(await rowOf(second)).toMatchObject({ state: 'queued' })
  expect(logged('signer_out_of_funds')).toEqual([
    { chainId: chain.chainId, signer: chain.signer, missing: expect.stringMatching(/^\d+$/) },
  ])
})

it('sends all through another signer if one of two nodes alone says that the first one has funds', async () => {
  const chain = await aChain({ erc1155: 2 })
  const items = [
    await aPaidItem(chain, { standard: 'erc1155' }),
    await aPaidItem(chain, { standard: 'erc1155' }),
  ]
  const keys = [0, 6].map((index) => toPrivateKey(localAccount(index))).join()
  const rpcUrls = ['liar', 'honest'].map((name) => `${chain.proxyUrl}/${name}`)
  const oneByOne = { itemsPerTransaction: 1, transactionsInFlight: 1 }
  const engine = anEngine(chain, { keys, rpcUrls, ...oneByOne })
  await setBalance(chain, 0n)
  await chain.setFaults({
    node: 'liar',
    on: ['eth_getBalance'],
    effect: { result: numberToHex(10n ** 18n) },
  })
  await engine.run()
  expect(await transactionsOf(chain)).toMatchObject([
    { signer: chain.otherSigner, isOpen: 0 },
    { signer: chain.otherSigner, isOpen: 0 },
  ])
  await expectDelivered(chain, items)
})

it('waits for funds where a call needs more gas than its simulation tells', async () => {
  const chain = await aChain({ erc1155: 1 })
  const item = await aPaidItem(chain, { standard: 'erc1155' })
  const engine = anEngine(chain)
  await chain.setFaults({ on: ['eth_estimateGas'], effect: { result: numberToHex(5_000_000n) } })
  await setBalance(chain, 1_000_000n * parseGwei('5'))
  await engine.step()
  expect(await transactionsOf(chain)).toEqual([])
  expect(logged('signer_out_of_funds')).toHaveLength(1)
  expect(await rowOf(item)).toMatchObject({ state: 'queued' })
})

it('counts the L1 data fee of OP-stack chains', async () => {
  const chain = await aChain({ erc1155: 1 })
  const item = await aPaidItem(chain, { standard: 'erc1155' })
  const fee = 10n ** 18n
  // A GasPriceOracle that always returns this fee.
  const code = `0x7f${toHex(fee, { size: 32 }).slice(2)}60005260206000f3`
  await chain.rpc('anvil_setCode', '0x420000000000000000000000000000000000000F', code)
  await setBalance(chain, fee)
  const engine = anEngine(chain)
  await engine.step()
  const [line] = logged('signer_out_of_funds')
  const missing = BigInt(`${line?.missing}`)
  expect(missing).toBeGreaterThan(0n)
  expect(missing).toBeLessThan(fee)
  await setBalance(chain, fee + missing)
  await engine.step()
  await engine.step()
  await expectDelivered(chain, [item])
  const [transaction] = await transactionsOf(chain)
  expect(missing).toBe(BigInt(`${transaction?.gas}`) * BigInt(`${transaction?.maxFeePerGas}`))
})

describe('the priority fee', () => {
  const TIP = ['eth_maxPriorityFeePerGas']
  const tells = (gwei: string) => ({ result: toHex(parseGwei(gwei)) })
  const feesOf = async (chain: Chain) =>
    (
      await env.DB.prepare(
        'SELECT maxPriorityFeePerGas AS tip FROM transactions WHERE chainId = ? ORDER BY id',
      )
        .bind(chain.chainId)
        .all<{ tip: string }>()
    ).results.map(({ tip }) => tip)

  it('is never left out: nothing is signed while no node tells it', async () => {
    const chain = await aChain({ erc1155: 1 })
    const item = await aPaidItem(chain, { standard: 'erc1155' })
    const engine = anEngine(chain)
    await chain.setAutomine(false)
    await mineAt(chain, parseGwei('50'))
    const internal = { code: -32603, message: 'internal error' }
    await chain.setFaults(
      { on: TIP, times: 1, effect: { error: internal, reach: 'none' } },
      { on: TIP, effect: tells('25') },
    )
    await engine.step()
    expect(await transactionsOf(chain)).toEqual([])
    expect(await rowOf(item)).toMatchObject({ state: 'queued', reason: null })
    expect(logged('fees_unknown')).toEqual([{ chainId: chain.chainId }])
    await engine.step()
    expect(await feesOf(chain)).toEqual(['25000000000'])
    await chain.mine()
    await engine.step()
    await expectDelivered(chain, [item])
  })

  it('is raised after three blocks to the least that the network takes, although the base fee is paid', async () => {
    const chain = await aChain({ erc1155: 1 })
    const item = await aPaidItem(chain, { standard: 'erc1155' })
    const engine = anEngine(chain)
    await chain.setAutomine(false)
    await mineAt(chain, parseGwei('50'))
    await engine.step()
    const [sent] = await transactionsOf(chain)
    expect(sent?.maxFeePerGas).toBe('101000000000')
    expect(await feesOf(chain)).toEqual(['1000000000'])
    // The nodes of this network drop what offers less than 25 gwei.
    await chain.setFaults({ on: TIP, effect: tells('25') })
    for (const second of [6, 12, 18]) {
      await chain.rpc('anvil_dropTransaction', sent?.hash)
      await mineAt(chain, parseGwei('50'))
      await engine.step(second)
    }
    expect(await feesOf(chain)).toEqual(['25000000000'])
    await chain.mine()
    await engine.step(24)
    await expectDelivered(chain, [item])
    expect(await transactionsOf(chain)).toMatchObject([
      { nonce: sent?.nonce, replaced: JSON.stringify([sent?.hash]) },
    ])
  })

  it.each([
    ['the only node lies', ['a'], '30000000000'],
    ['the first of two nodes lies', ['a', 'b'], '2000000000'],
  ])('is at most the cap, and of two nodes the lower: %s', async (_, names, expected) => {
    const chain = await aChain({ erc1155: 1 })
    const item = await aPaidItem(chain, { standard: 'erc1155' })
    await chain.setFaults(
      { on: TIP, node: 'a', effect: tells('300') },
      { on: TIP, node: 'b', effect: tells('2') },
    )
    const rpcUrls = names.map((name, i) => `${chain.proxyUrl}/${i}/${name}`)
    await anEngine(chain, { rpcUrls, maxPriorityFeePerGasGwei: 30 }).step()
    expect(await feesOf(chain)).toEqual([expected])
    await anEngine(chain).step(61)
    await expectDelivered(chain, [item])
  })
})

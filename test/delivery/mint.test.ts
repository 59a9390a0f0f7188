/** Tokens that are minted when they are delivered, also as others write them. */

import { encodeFunctionResult } from 'viem'
import { describe, expect, it } from 'vitest'
import { trialAbi } from '../../contracts/trial.ts'
import { MINTER_ROLE } from '../../scripts/local/chain/collectibles.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { aChain } from '../support/chain/chain.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { anEngine, rowOf, transactionsOf } from '../support/delivery/engine.ts'
import { transferEvents } from '../support/delivery/events.ts'
import { aPaidItem, paidItems, type Sale } from '../support/delivery/items.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE

const unique: Sale = { standard: 'erc721', fulfilment: 'mint' }
const edition: Sale = { standard: 'erc1155', fulfilment: 'mint' }

describe('a mint', () => {
  it('makes tokens of both standards, in one transaction with transfers', async () => {
    const chain = await aChain({ erc721: 1, erc1155: 5, mints: true })
    const items = await paidItems(chain, [
      unique,
      { ...edition, quantity: 3 },
      { standard: 'erc721' },
      { standard: 'erc1155', quantity: 5 },
    ])
    await anEngine(chain).run()
    await expectDelivered(chain, items)
    expect(await transactionsOf(chain)).toHaveLength(1)
    const events = await transferEvents(chain)
    expect(events.map(({ fulfilment, quantity }) => [fulfilment, quantity])).toEqual([
      ['mint', 1],
      ['mint', 3],
      ['transfer', 1],
      ['transfer', 5],
    ])
  })

  it('needs no approval of the seller', async () => {
    const chain = await aChain({ mints: true })
    await chain.erc1155AsSeller('setApprovalForAll', chain.delivery, false)
    const items = await paidItems(chain, [unique, edition])
    await anEngine(chain).run()
    await expectDelivered(chain, items)
  })
})

describe('a mint waits', () => {
  it('while its token has no limit in the contract, and is made once it has one', async () => {
    const chain = await aChain({ erc1155: 1 })
    const [minted, other] = await paidItems(chain, [edition, { standard: 'erc1155' }])
    const engine = anEngine(chain)
    await engine.run()
    await engine.run(48 * HOUR)
    expect(await rowOf(minted)).toMatchObject({
      state: 'queued',
      ...explain('token_limit_missing'),
      tries: 0,
    })
    await expectDelivered(chain, [other])
    await chain.asOwner('setTokenLimit', chain.mintable.erc1155, 1n, 1n)
    await engine.run(50 * HOUR)
    await expectDelivered(chain, [minted, other])
  })

  it('for the minter role of its token, for a day at most', async () => {
    const chain = await aChain({ mints: true })
    await chain.mintableAsSeller('revokeRole', MINTER_ROLE, chain.delivery)
    const item = await aPaidItem(chain, unique)
    const engine = anEngine(chain)
    await engine.run()
    const reasonCode = 'minter_role_missing'
    expect(await rowOf(item)).toMatchObject({ state: 'queued', reasonCode, tries: 0 })
    await engine.run(24 * HOUR)
    expect(await rowOf(item)).toMatchObject({ state: 'failed', reasonCode })
    const next = await aPaidItem(chain, unique)
    await engine.run(25 * HOUR)
    expect(await rowOf(next)).toMatchObject({ state: 'queued', reasonCode })
    await chain.mintableAsSeller('grantRole', MINTER_ROLE, chain.delivery)
    await engine.run(26 * HOUR)
    await expectDelivered(chain, [next])
  })
})

it('does not sign a mint that takes a quantity instead of an id, and delivers the others', async () => {
  const chain = await aChain({ mints: true })
  const contract = await chain.aPeculiarToken('QuantityToken')
  await chain.asOwner('setTokenLimit', contract, 10n, 10n)
  const mint = { standard: 'erc721', fulfilment: 'mint' } as const
  // The next id is 1, so the first one would mint itself by chance.
  const items = await paidItems(chain, [
    { ...mint, contract, tokenId: '1' },
    { ...mint, contract, tokenId: '3' },
    mint,
  ])
  const [chance, three, other] = items
  const engine = anEngine(chain)
  await engine.run()
  await expectDelivered(chain, [other])
  for (const item of [chance, three])
    expect(await rowOf(item)).toMatchObject({ state: 'queued', ...explain('mint_not_exact') })
  await engine.run(10 * MINUTE)
  for (const item of [chance, three])
    expect(await rowOf(item)).toMatchObject({ state: 'failed', ...explain('mint_not_exact') })
  expect(await transactionsOf(chain)).toHaveLength(1)
})

it('does not sign a mint while no node tells what it makes, and signs transfers', async () => {
  const chain = await aChain({ erc721: 1, mints: true })
  const [minted, moved] = await paidItems(chain, [
    { standard: 'erc721', fulfilment: 'mint' },
    { standard: 'erc721' },
  ])
  // As a node answers that cannot replace code.
  const error = { code: -32602, message: 'too many arguments, want at most 2' }
  await chain.setFaults({
    on: ['eth_call'],
    containing: '"code":',
    effect: { error, reach: 'none' },
  })
  const engine = anEngine(chain)
  await engine.run()
  await engine.run(1)
  expect(await rowOf(minted)).toMatchObject({ state: 'queued', ...explain('node_unavailable') })
  await expectDelivered(chain, [moved])
  await chain.setFaults()
  await engine.run(10 * MINUTE)
  await expectDelivered(chain, [minted, moved])
})

it('fails no mint by the word of one node, beside another one that cannot try it', async () => {
  const chain = await aChain({ mints: true })
  const item = await aPaidItem(chain, unique)
  const on = { on: ['eth_call'], containing: '"code":' }
  const error = { code: -32602, message: 'too many arguments, want at most 2' }
  const result = encodeFunctionResult({
    abi: trialAbi,
    functionName: 'run',
    result: { isTold: true, isAccepted: true, isExact: false, gasUsed: 50_000n, reason: '0x' },
  })
  await chain.setFaults(
    { ...on, node: 'a', effect: { result } },
    { ...on, node: 'b', effect: { error, reach: 'none' } },
  )
  const engine = anEngine(chain, { rpcUrls: ['a', 'b'].map((node) => `${chain.proxyUrl}/${node}`) })
  for (const seconds of [0, 11 * MINUTE, 11 * MINUTE]) await engine.run(seconds)
  expect(await rowOf(item)).toMatchObject({ state: 'queued' })
  await chain.setFaults()
  await engine.run(HOUR)
  await expectDelivered(chain, [item])
})

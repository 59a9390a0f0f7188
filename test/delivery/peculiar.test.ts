/** Tokens as others write them, which cannot be delivered as they are. */
import { expect, it } from 'vitest'
import { explain } from '../../src/delivery/reasons.ts'
import { aChain } from '../support/chain/chain.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { anEngine, rowOf, transactionsOf } from '../support/delivery/engine.ts'
import { aPaidItem, paidItems } from '../support/delivery/items.ts'

const MINUTE = 60

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

it('does not blame the recipient if the token looks at the relayer', async () => {
  const chain = await aChain()
  const contract = await chain.aPeculiarToken('OriginToken')
  const item = await aPaidItem(chain, { standard: 'erc721', contract })
  await anEngine(chain).run()
  const reason = explain('token_not_transferable', 'blocked origin')
  expect(await rowOf(item)).toMatchObject({ state: 'queued', ...reason })
})

it('says how much gas a token needs, and delivers it with that', async () => {
  const chain = await aChain()
  const contract = await chain.aPeculiarToken('ExpensiveToken')
  const item = await aPaidItem(chain, { standard: 'erc721', contract })
  await anEngine(chain).run()
  const { reasonCode, reason } = await rowOf(item)
  expect(reasonCode).toBe('gas_limit_exceeded')
  const [, needed] =
    /: it needs (\d+), so raise gasPerItem of the network, which is 300000$/.exec(`${reason}`) ?? []
  await anEngine(chain, { gasPerItem: Number(needed) }).run(MINUTE)
  expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
})

it('says what the token said of a mint that it refuses for another reason than its minter', async () => {
  const chain = await aChain()
  const capped = await chain.aPeculiarToken('QuantityToken')
  const without = await chain.aPeculiarToken('SoulboundToken')
  for (const token of [capped, without]) await chain.asOwner('setTokenLimit', token, 10n, 10n)
  const mint = { standard: 'erc721', fulfilment: 'mint' } as const
  const [tooMany, unknown] = await paidItems(chain, [
    { ...mint, contract: capped, tokenId: '1000' },
    { ...mint, contract: without, tokenId: '1' },
  ])
  await anEngine(chain).run()
  expect(await rowOf(tooMany)).toMatchObject(explain('mint_refused', 'MaxSupplyExceeded'))
  expect(await rowOf(unknown)).toMatchObject(explain('mint_refused', 'no reason given'))
})

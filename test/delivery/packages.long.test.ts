/** Tokens of the packages that most collections are made from. */
import { expect, it } from 'vitest'
import { explain } from '../../src/delivery/reasons.ts'
import { aChain, type Chain, type PeculiarToken } from '../support/chain/chain.ts'
import { anEngine, rowOf } from '../support/delivery/engine.ts'
import { aPaidItem, type Sale } from '../support/delivery/items.ts'

async function sell(chain: Chain, name: PeculiarToken, sale: Partial<Sale>) {
  const contract = await chain.aPeculiarToken(name)
  await chain.asOwner('setTokenLimit', contract, 10n, 10n)
  return aPaidItem(chain, { standard: 'erc721', contract, ...sale })
}

it.each<[string, PeculiarToken, Partial<Sale>, object]>([
  ['a token of ERC721A is transferred', 'Erc721aToken', { tokenId: '0' }, {}],
  [
    'a quantity of ERC721A is not minted',
    'Erc721aToken',
    { tokenId: '3', fulfilment: 'mint' },
    { state: 'queued', ...explain('mint_not_exact') },
  ],
  ['a token of solady is transferred', 'SoladyToken', { tokenId: '0' }, {}],
  ['a token of solady is minted', 'SoladyToken', { tokenId: '5', fulfilment: 'mint' }, {}],
  [
    'a token of solady is not minted twice',
    'SoladyToken',
    { tokenId: '0', fulfilment: 'mint' },
    { state: 'queued', ...explain('mint_refused', 'TokenAlreadyExists') },
  ],
  [
    'a token of solady that does not exist waits',
    'SoladyToken',
    { tokenId: '5' },
    { state: 'queued', ...explain('token_not_transferable', 'TokenDoesNotExist') },
  ],
  [
    'a soulbound token of solady waits',
    'SoladySoulboundToken',
    { tokenId: '0' },
    { state: 'queued', ...explain('token_not_transferable', 'NotOwnerNorApproved') },
  ],
])('%s', async (_, name, sale, row) => {
  const chain = await aChain()
  const item = await sell(chain, name, sale)
  await anEngine(chain).run()
  expect(await rowOf(item)).toMatchObject({ state: 'transferred', ...row })
})

it('a late id of a batch of ERC721A is delivered with the gas that the reason names', async () => {
  const chain = await aChain()
  const item = await sell(chain, 'Erc721aToken', { tokenId: '699' })
  await anEngine(chain).run()
  const { reason } = await rowOf(item)
  const [, needed] = /: it needs (\d+), so raise gasPerItem/.exec(`${reason}`) ?? []
  expect(Number(needed)).toBeGreaterThan(1_000_000)
  await anEngine(chain, { gasPerItem: Number(needed) }).run(60)
  expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
})

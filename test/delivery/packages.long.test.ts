/** Tokens and wallets of the packages that most collections and contract wallets are made from. */
import { encodeFunctionData, parseAbi } from 'viem'
import { expect, it } from 'vitest'
import { explain } from '../../src/delivery/reasons.ts'
import { aChain, type Chain, type PackageToken } from '../support/chain/chain.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { anEngine, rowOf } from '../support/delivery/engine.ts'
import { aPaidItem, paidItems, type Sale } from '../support/delivery/items.ts'

async function sell(chain: Chain, name: PackageToken, sale: Partial<Sale>) {
  const contract = await chain.aPeculiarToken(name)
  await chain.asOwner('setTokenLimit', contract, 10n, 10n)
  return aPaidItem(chain, { standard: 'erc721', contract, ...sale })
}

it.each<[string, PackageToken, Partial<Sale>, object]>([
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
  ["a token of thirdweb's ERC721Base is transferred", 'ThirdwebToken', { tokenId: '0' }, {}],
  [
    "pieces of thirdweb's ERC1155Base are transferred",
    'ThirdwebEditionToken',
    { standard: 'erc1155', tokenId: '0', quantity: 3 },
    {},
  ],
  [
    "a token of thirdweb's dashboard is transferred",
    'ThirdwebCollectionToken',
    { tokenId: '0' },
    {},
  ],
  [
    "a token of thirdweb's dashboard waits while transfers are restricted",
    'ThirdwebRestrictedToken',
    { tokenId: '0' },
    {
      state: 'queued',
      ...explain('token_not_transferable', 'restricted to TRANSFER_ROLE holders'),
    },
  ],
  [
    'a token of thirdweb, whose mint has another signature, is not minted',
    'ThirdwebToken',
    { tokenId: '1', fulfilment: 'mint' },
    { state: 'queued', ...explain('mint_refused', 'no reason given') },
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

it('an ERC-721C token waits until its creator lists the Delivery contract as an operator', async () => {
  const chain = await aChain()
  const item = await sell(chain, 'Erc721cToken', { tokenId: '0' })
  await anEngine(chain).run()
  const said = 'CreatorTokenTransferValidator__CallerMustBeWhitelistedOperator'
  const reason = explain('token_not_transferable', said)
  expect(await rowOf(item)).toMatchObject({ state: 'queued', ...reason })
  const abi = parseAbi(['function allow(address operator)'])
  const data = encodeFunctionData({ abi, args: [chain.delivery] })
  await chain.receiptOf(
    await chain.rpc('eth_sendTransaction', { from: chain.seller, to: item.contract, data }),
  )
  await anEngine(chain).run(60)
  expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
})

const kinds: Sale[] = [
  { standard: 'erc721' },
  { standard: 'erc1155', quantity: 2 },
  { standard: 'erc721', fulfilment: 'mint' },
  { standard: 'erc1155', fulfilment: 'mint', quantity: 2 },
]

const soldTo = (chain: Chain, recipient: string) =>
  paidItems(
    chain,
    kinds.map((kind) => ({ ...kind, recipient, recipientChainId: chain.chainId })),
  )

it('a Safe gets ERC-721 and ERC-1155 tokens, transferred and minted', async () => {
  const chain = await aChain({ erc721: 1, erc1155: 2, mints: true })
  const items = await soldTo(chain, await chain.aPackageWallet('SafeWallet'))
  await anEngine(chain).run()
  await expectDelivered(chain, items)
})

it('a Safe without a handler for callbacks gets none', async () => {
  const chain = await aChain({ erc721: 1, erc1155: 2, mints: true })
  const items = await soldTo(chain, await chain.aPackageWallet('SafeWithoutHandler'))
  await anEngine(chain).run()
  for (const item of items) {
    const reason = explain('recipient_rejects', 'no reason given')
    expect(await rowOf(item)).toMatchObject({ state: 'queued', ...reason })
  }
})

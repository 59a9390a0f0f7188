/** Tokens and wallets of the packages that most collections and contract wallets are made from. */
import { encodeFunctionData, hashMessage, parseAbi, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { explain } from '../../src/delivery/reasons.ts'
import { aChain, type Chain, type PackageToken } from '../support/chain/chain.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { anEngine, rowOf } from '../support/delivery/engine.ts'
import { aPaidItem, paidItems, type Sale } from '../support/delivery/items.ts'
import {
  addressIn,
  addressOf,
  deploy,
  orderFor,
  proveWallet,
  type UndeployedWallet,
} from '../support/undeployed-wallet.ts'
import { aVisitor, aWallet } from '../support/visitor.ts'

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
  [
    'a token of solady is not minted twice',
    'SoladyToken',
    { tokenId: '0', fulfilment: 'mint' },
    { state: 'queued', ...explain('mint_refused', 'TokenAlreadyExists') },
  ],
  [
    'a soulbound token of solady waits',
    'SoladySoulboundToken',
    { tokenId: '0' },
    { state: 'queued', ...explain('token_not_transferable', 'NotOwnerNorApproved') },
  ],
  [
    "pieces of thirdweb's ERC1155Base are transferred",
    'ThirdwebEditionToken',
    { standard: 'erc1155', tokenId: '0', quantity: 3 },
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

/** An account of `SimpleAccountFactory` (ERC-4337). */
async function anAccount(chain: Chain): Promise<UndeployedWallet> {
  const owner = aWallet()
  const factory = await chain.aFactory('AccountFactory')
  const read = (name: 'accountImplementation' | 'signingAccount') => addressIn(chain, factory, name)
  const code = await chain.rpc('eth_getCode', await read('signingAccount'), 'latest')
  await chain.rpc('anvil_setCode', await read('accountImplementation'), code)
  const abi = parseAbi(['function createAccount(address owner, uint256 salt)'])
  const deployment = {
    to: factory,
    data: encodeFunctionData({ abi, args: [owner.address, 7n] }),
  }
  const sign = (message: string) => owner.signMessage({ message })
  return { address: await addressOf(chain, deployment), deployment, sign }
}

const safeAbi = parseAbi([
  'function setup(address[] owners, uint256 threshold, address to, bytes data, address handler, address paymentToken, uint256 payment, address receiver)',
  'function createProxyWithNonce(address singleton, bytes initializer, uint256 nonce)',
])

/** A Safe of `SafeProxyFactory`. Its owner signs the hash of the message as typed data. */
async function aSafe(chain: Chain): Promise<UndeployedWallet> {
  const owner = aWallet()
  const factory = await chain.aFactory('SafeFactory')
  const handler = await addressIn(chain, factory, 'handler')
  const none = zeroAddress
  const initializer = encodeFunctionData({
    abi: safeAbi,
    functionName: 'setup',
    args: [[owner.address], 1n, none, '0x', handler, none, 0n, none],
  })
  const data = encodeFunctionData({
    abi: safeAbi,
    functionName: 'createProxyWithNonce',
    args: [await addressIn(chain, factory, 'safe'), initializer, 7n],
  })
  const deployment = { to: factory, data }
  const address = await addressOf(chain, deployment)
  const sign = (message: string) =>
    owner.signTypedData({
      domain: { chainId: chain.chainId, verifyingContract: address },
      types: { SafeMessage: [{ name: 'message', type: 'bytes' }] },
      primaryType: 'SafeMessage',
      message: { message: hashMessage(message) },
    })
  return { address, deployment, sign }
}

it.each([
  ['an account of account-abstraction', anAccount],
  ['a Safe', aSafe],
])('%s that is not deployed signs in, gets tokens, and gets more once it is', async (_, make) => {
  const chain = await aChain({ erc721: 1, erc1155: 1 })
  const wallet = await make(chain)
  const signIn = async (options = {}) => {
    const response = await proveWallet(aVisitor(), chain, wallet, options)
    expect(response.status).toBe(200)
    return response.json<{ userId: number }>()
  }
  const { userId } = await signIn()
  const before = await orderFor(chain, { id: userId }, 'erc1155')
  await anEngine(chain).run()
  expect(await chain.rpc('eth_getCode', wallet.address, 'latest')).toBe('0x')
  await expectDelivered(chain, [before])
  await deploy(chain, wallet)
  expect(await signIn({ isPlain: true })).toEqual({ userId })
  const after = await orderFor(chain, { id: userId }, 'erc721')
  await anEngine(chain).run(60)
  await expectDelivered(chain, [before, after])
})

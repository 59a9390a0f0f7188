/** Contract wallets that are not deployed yet, as people get them who are new (EIP-6492). */
import { encodeFunctionData, getAddress, type Hex, parseAbi, serializeErc6492Signature } from 'viem'
import { callWith } from './api.ts'
import type { Chain } from './chain/chain.ts'
import { type NetworkSettings, networksOf } from './delivery/engine.ts'
import { itemsOf, type PaidItem, type Standard, sellerOn } from './delivery/items.ts'
import { aListing, aMasterToken, anAddress, anNft } from './makers.ts'
import { aWallet, type Visitor } from './visitor.ts'

/** The call of a factory that deploys a wallet. */
type Deployment = { to: Hex; data: Hex }

export type UndeployedWallet = {
  address: Hex
  deployment: Deployment
  /** Returns the signature of its owner, as the contract takes it. */
  sign: (message: string) => Promise<Hex>
}

/** Returns the address that a call answers: for a factory, where it deploys the wallet. */
export async function addressOf(chain: Chain, call: Deployment): Promise<Hex> {
  const word = await chain.rpc('eth_call', call, 'latest')
  return getAddress(`0x${`${word}`.slice(-40)}`)
}

/** Returns the address that a factory has in a field. */
export const addressIn = (chain: Chain, factory: Hex, field: string): Promise<Hex> =>
  addressOf(chain, {
    to: factory,
    data: encodeFunctionData({ abi: parseAbi([`function ${field}()`]), functionName: field }),
  })

export async function deploy(chain: Chain, { deployment }: UndeployedWallet) {
  const sent = await chain.rpc('eth_sendTransaction', { from: chain.seller, ...deployment })
  return chain.receiptOf(sent)
}

export const factoryAbi = parseAbi([
  'function deploy(address owner) returns (address)',
  'function deploySilent(address owner) returns (address)',
  'function deployNext(address owner) returns (address)',
])

type FactoryCall = 'deploy' | 'deploySilent' | 'deployNext'

/** Returns a wallet of `WalletFactory`, with an owner of its own. */
export async function anUndeployedWallet(
  chain: Chain,
  functionName: FactoryCall = 'deploy',
): Promise<UndeployedWallet> {
  const owner = aWallet()
  const data = encodeFunctionData({ abi: factoryAbi, functionName, args: [owner.address] })
  const deployment = { to: await chain.aFactory('WalletFactory'), data }
  const sign = (message: string) => owner.signMessage({ message })
  return { address: await addressOf(chain, deployment), deployment, sign }
}

type ProofOptions = NetworkSettings & {
  purpose?: 'sign-in' | 'link'
  /** Whether the signature is that of a deployed wallet. */
  isPlain?: boolean
}

const paths = { 'sign-in': '/sign-in/wallet', link: '/settings/account/wallet' }

/** Signs in with a wallet, or links it. */
export async function proveWallet(
  visitor: Visitor,
  chain: Chain,
  { address, deployment, sign }: UndeployedWallet,
  { purpose = 'sign-in', isPlain = false, ...network }: ProofOptions = {},
) {
  const bindings = { env: { NETWORKS: networksOf([chain], network) } as never }
  const request = { address, chainId: chain.chainId, purpose }
  const asked = await visitor.postJson('/sign-in/wallet/message', request, bindings)
  const { message } = await asked.json<{ message: string }>()
  const signed = await sign(message)
  const { to, data } = deployment
  const wrapped = serializeErc6492Signature({ address: to, data, signature: signed })
  const signature = isPlain ? signed : wrapped
  return visitor.postJson(paths[purpose], { message, signature }, bindings)
}

/** A shop orders one piece for the buyer, through the API. */
export async function orderFor(
  chain: Chain,
  buyer: { id: number },
  standard: Standard = 'erc1155',
): Promise<PaidItem> {
  const seller = await sellerOn(chain)
  const nft = await anNft(seller, {
    contractNetwork: chain.name,
    contractAddr: getAddress(chain.contracts[standard]),
    tokenId: standard === 'erc1155' ? '1' : '0',
  })
  const listing = await aListing(nft)
  await anAddress(buyer)
  const order = { nftId: nft.id, listingId: listing.id, quantity: 1, buyerUserId: buyer.id }
  const bindings = { NETWORKS: networksOf([chain]) as never }
  const json = [order]
  const token = await aMasterToken()
  const response = await callWith(bindings, 'POST', '/api/externalOrders', { token, json })
  if (response.status !== 200) throw new Error(await response.text())
  const item = (await itemsOf(buyer, standard)).at(-1)
  if (!item) throw new Error('nothing was ordered')
  return item
}

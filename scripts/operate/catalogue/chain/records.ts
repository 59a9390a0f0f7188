/** The records of a catalogue that a collection gives. */
import { getAddress, isAddress } from 'viem'
import { toLine } from '../../../../src/http/text.ts'
import { CommandError } from '../../../shell/command.ts'
import type { TokenContract } from './contract.ts'

export type RecordOptions = {
  /** A wallet, an e-mail address, or the id of a user who is imported. Default: the owner. */
  creator: string | undefined
  contractName: string | undefined
  /** Without prices, the NFTs are drafts and have no listings. */
  prices: { priceCents: number; priceEths: string; priceCurrency: string } | undefined
}

/** Returns the record of the creator, or only the id of a user who is imported already. */
export function createCreator({ owner }: TokenContract, { creator = owner }: RecordOptions) {
  if (!creator) throw new CommandError('The contract has no owner. Name the creator: --creator.')
  const user = { type: 'user', id: creator.toLowerCase() }
  if (isAddress(creator, { strict: false }))
    return { ...user, ethereumPublicAddr: getAddress(creator) }
  return creator.includes('@') ? { ...user, email: creator } : { id: creator }
}

/** Returns the external id of a token. */
export const externalId = ({ network, address }: TokenContract, token: bigint): string =>
  `${network.name}-${address.toLowerCase()}-${token}`

type Token = { id: bigint; supply: bigint; metadata: { name?: unknown } }

/** Returns a name without what nobody sees; empty if it is no text. */
const toName = (name: unknown): string =>
  typeof name === 'string' ? toLine(name.replaceAll(/\p{Cc}/gu, ' ')) : ''

/** Returns the NFT and, if it has a price, its listing. */
export function createRecords(
  contract: TokenContract,
  token: Token,
  options: RecordOptions,
): object[] {
  const { prices, contractName = toName(contract.name) || 'Collection' } = options
  const { id, supply, metadata } = token
  const creator = createCreator(contract, options).id
  const nft = {
    type: 'nft',
    id: externalId(contract, id),
    creator,
    network: contract.network.name,
    contract: contract.address,
    contractName,
    tokenId: String(id),
    amountType: supply === 1n ? 'unique' : 'limited',
    amount: Number(supply),
    status: prices ? 'released' : 'draft',
    ...(prices ?? { priceCents: 0, priceEths: '0', priceCurrency: 'EUR' }),
    metadata: { ...metadata, name: toName(metadata.name) || `${contractName} #${id}` },
  }
  const listing = { type: 'listing', id: `${nft.id}-sale`, nft: nft.id, seller: creator, ...prices }
  return prices ? [nft, listing] : [nft]
}

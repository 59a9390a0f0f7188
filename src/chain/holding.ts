/** What a wallet holds and owns, and what a token says of itself, as the nodes of a network tell it. */
import { type Address, getAddress } from 'viem'
import type { Network } from '../env.ts'
import { isLeftOpen, type Replies, type RpcRequest } from '../ethereum/requests.ts'
import {
  collectionRequests,
  holdingRequest,
  isOnChain,
  isWallet,
  ownershipRequests,
  type Royalty,
  readCollection,
  readOwnership,
  readPieces,
  readRoyaltyInfo,
  readStandard,
  readString,
  readTrouble,
  royaltyRequest,
  type Standard,
  standardRequests,
  tokenAtRequest,
  uriRequest,
  word,
} from '../ethereum/token.ts'
import { cutToLine } from '../http/text.ts'
import { creatorLimits } from '../limits.ts'
import { believe, findFirst } from './claims.ts'
import { askEach, askOne, type Node, nodes, stepNodes } from './nodes.ts'

const MAX_NAME = 255

/** A token contract and a wallet as somebody has linked it. `walletChainId`: as in `isOnChain`. */
type Asked = { contract: string; wallet: string; walletChainId: number }

/**
 * Returns whether a wallet has as many pieces of a token, of which an ERC-721 token has one; null if nodes do
 * not tell, or the token answers by neither standard.
 */
export async function holdsPieces(
  network: Network,
  { contract, tokenId, wallet, walletChainId, pieces }: Asked & { tokenId: string; pieces: bigint },
): Promise<boolean | null> {
  if (!isWallet(wallet) || !isOnChain(walletChainId, network.chainId)) return false
  const token = {
    token: getAddress(contract),
    from: getAddress(wallet),
    tokenId: BigInt(tokenId),
  }
  const erc721 = { ...token, amount: 0n }
  const erc1155 = { ...token, amount: 1n }
  const requests = [erc721, erc1155].map(holdingRequest)
  const all = await askEach(nodes(network), requests)
  const told = all.map((replies) => {
    const held = readPieces(erc1155, replies) ?? readPieces(erc721, replies)
    if (held !== null && held >= pieces) return true
    return held === null || isLeftOpen(requests, replies) ? null : false
  })
  return believe('is_for_all', network, told)
}

/**
 * Returns whether a wallet is the owner of a contract (EIP-173), or decides who has its roles (AccessControl of
 * OpenZeppelin); null if nodes do not tell.
 */
export async function ownsContract(
  network: Network,
  { contract, wallet, walletChainId }: Asked,
): Promise<boolean | null> {
  // The zero address owns what its owner has given up.
  if (!isWallet(wallet) || !isOnChain(walletChainId, network.chainId)) return false
  const token = getAddress(contract)
  const owner = getAddress(wallet)
  const all = await askEach(nodes(network), ownershipRequests(token, owner))
  const told = all.map((replies) => readOwnership(token, owner, replies))
  return believe('is_for_all', network, told)
}

export type Holdings = {
  standard: Standard
  /** As the contract calls itself; null without a name. */
  name: string | null
  /** Whether the contract lists the tokens of a wallet (ERC721Enumerable). */
  isEnumerable: boolean
  /** Those that the wallet has. Both are decimal text. */
  tokens: { tokenId: string; pieces: string }[]
}

/** Codes of reasons. */
type NoHoldings =
  | 'seller_has_no_wallet'
  | 'seller_on_other_chain'
  | NonNullable<ReturnType<typeof readTrouble>>

/**
 * Returns which of these tokens a wallet has, as one node says: it is only shown. `tokenIds`: null for the
 * first ones that the contract lists. Returns the code of a reason if nothing can be listed; null if nodes do
 * not tell.
 */
export async function readHoldings(
  network: Network,
  { contract, wallet, walletChainId, tokenIds }: Asked & { tokenIds: readonly string[] | null },
): Promise<Holdings | NoHoldings | null> {
  if (!isWallet(wallet)) return 'seller_has_no_wallet'
  if (!isOnChain(walletChainId, network.chainId)) return 'seller_on_other_chain'
  const listing = { token: getAddress(contract), wallet: getAddress(wallet), tokenIds }
  return findFirst('shown', stepNodes(network), (node) => readHoldingsOf(node, listing))
}

type Listing = { token: Address; wallet: Address; tokenIds: readonly string[] | null }

async function readHoldingsOf(node: Node, { token, wallet, tokenIds }: Listing) {
  const requests = [...standardRequests(token), ...collectionRequests(token, wallet)]
  const replies = await askFully(node, requests)
  if (!replies) return null
  const standard = readStandard(token, replies)
  if (!standard) return readTrouble(token, replies)
  const { name, count } = readCollection(token, wallet, replies)
  const tokens = tokenIds
    ? await readNamed(node, { token, from: wallet }, standard, tokenIds)
    : await readListed(node, token, wallet, count ?? 0n)
  if (!tokens) return null
  return {
    standard,
    name: cutToLine(name ?? '', MAX_NAME) || null,
    isEnumerable: count !== null,
    tokens,
  }
}

async function readNamed(
  node: Node,
  held: { token: Address; from: Address },
  standard: Standard,
  tokenIds: readonly string[],
): Promise<Holdings['tokens'] | null> {
  const amount = standard === 'erc721' ? 0n : 1n
  const items = tokenIds.map((tokenId) => ({ ...held, tokenId: BigInt(tokenId), amount }))
  const replies = await askFully(node, items.map(holdingRequest))
  return (
    replies &&
    items.flatMap((item) => {
      const pieces = readPieces(item, replies) ?? 0n
      return pieces > 0n ? { tokenId: `${item.tokenId}`, pieces: `${pieces}` } : []
    })
  )
}

async function readListed(
  node: Node,
  token: Address,
  wallet: Address,
  count: bigint,
): Promise<Holdings['tokens'] | null> {
  const length = Math.min(Number(count), creatorLimits.tokens.max)
  const requests = Array.from({ length }, (_, index) => tokenAtRequest(token, wallet, index))
  const replies = await askFully(node, requests)
  if (!replies) return null
  const ids = requests.flatMap((request) => word(replies(request)) ?? [])
  return [...new Set(ids)].map((id) => ({ tokenId: `${id}`, pieces: '1' }))
}

/** Returns what a node replies; null if it leaves one of the requests open. */
async function askFully(node: Node, requests: readonly RpcRequest[]): Promise<Replies | null> {
  const replies = await askOne(node, requests)
  return isLeftOpen(requests, replies) ? null : replies
}

/** Returns the URI of the metadata of a token, as one node says: it is only shown. Null if nodes do not tell. */
export function readTokenUri(
  network: Network,
  { contract, tokenId, standard }: { contract: string; tokenId: string; standard: Standard },
): Promise<string | null> {
  const request = uriRequest(getAddress(contract), BigInt(tokenId), standard)
  return findFirst('shown', stepNodes(network), async (node) => {
    const replies = await askOne(node, [request])
    return readString(replies(request))
  })
}

/**
 * Returns who gets which part of the price when a token is sold again (ERC-2981); null if nobody does, or nodes
 * contradict each other or do not tell.
 */
export async function readRoyalty(
  network: Network,
  { contract, tokenId }: { contract: string; tokenId: string },
): Promise<Royalty | null> {
  const request = royaltyRequest(getAddress(contract), BigInt(tokenId))
  const all = await askEach(nodes(network), [request])
  const told = all.map((replies) => readRoyaltyInfo(replies(request)))
  const royalty = told.find((answer) => answer !== null && answer !== 'none')
  if (!royalty) return null
  const isProven = believe(
    'is_proven',
    network,
    told.map((answer) => answer && isSame(answer, royalty)),
  )
  return isProven ? royalty : null
}

const isSame = (answer: Royalty | 'none', { fee, feeRecipient }: Royalty): boolean =>
  answer !== 'none' && answer.fee === fee && answer.feeRecipient === feeRecipient

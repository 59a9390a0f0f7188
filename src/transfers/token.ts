/** The two token standards: telling them apart, finding the holder, and the call that transfers. */
import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  isAddress,
  prepareEncodeFunctionData,
} from 'viem'
import { erc721Transfer, erc1155Transfer, views } from './abi.ts'
import { unheard } from './revert.ts'
import type { Question, Replies, Reply } from './rpc.ts'

/** What is to be transferred, as the order says. */
export type Piece = {
  contractAddr: string
  /** uint256 as decimal text. */
  tokenId: string | null
  quantity: number
  /** The wallet of the listing's seller. */
  seller: string
  recipient: string | null
}

export type Call = { to: Address; data: Hex }

/** The call; why there can be none; or that the node has to be asked again. */
export type Finding = { call: Call } | { impossible: string } | { unknown: string }

/** What to ask the node about a piece, and how to read the answers. */
export type Inquiry = { questions: Question[]; read: (replies: Replies) => Finding }

const supportsInterface = prepareEncodeFunctionData({
  abi: views,
  functionName: 'supportsInterface',
})
const ownerOf = prepareEncodeFunctionData({ abi: views, functionName: 'ownerOf' })
const balanceOf = prepareEncodeFunctionData({ abi: views, functionName: 'balanceOf' })
const isApprovedForAll = prepareEncodeFunctionData({ abi: views, functionName: 'isApprovedForAll' })
const transfer721 = prepareEncodeFunctionData({ abi: erc721Transfer })
const transfer1155 = prepareEncodeFunctionData({ abi: erc1155Transfer })

/** ERC-165 identifiers (EIP-721, EIP-1155). */
const ERC721 = '0x80ac58cd'
const ERC1155 = '0xd9b67a26'

/**
 * The holder is the seller's wallet, which has approved the marketplace's signer, or the signer.
 * When neither can give the piece, the call is made all the same: its simulation fails, with the
 * contract's own reason.
 */
export function inquire(piece: Piece, signer: Address): Inquiry {
  const valid = validate(piece)
  if (typeof valid === 'string') return { questions: [], read: () => ({ impossible: valid }) }
  const { contract, id, quantity, seller, to } = valid
  const holder = seller ?? signer

  const view = (data: Hex): Question => ({
    method: 'eth_call',
    params: [{ to: contract, data }, 'latest'],
  })
  const balance = (account: Address) =>
    view(encodeFunctionData({ ...balanceOf, args: [account, id] }))
  const is721 = view(encodeFunctionData({ ...supportsInterface, args: [ERC721] }))
  const is1155 = view(encodeFunctionData({ ...supportsInterface, args: [ERC1155] }))
  const owner = view(encodeFunctionData({ ...ownerOf, args: [id] }))
  const mine = balance(signer)
  const theirs = balance(holder)
  const approved = view(encodeFunctionData({ ...isApprovedForAll, args: [holder, signer] }))

  const read721 = (replies: Replies): Finding => {
    if (quantity !== 1n)
      return { impossible: 'an ERC-721 token has one piece, so the quantity must be 1' }
    const lost = unheard(replies(owner))
    if (lost) return { unknown: lost }
    const from = word(replies(owner)) === BigInt(signer) ? signer : holder
    const data = encodeFunctionData({ ...transfer721, args: [from, to, id] })
    return { call: { to: contract, data } }
  }

  const read1155 = (replies: Replies): Finding => {
    const lost =
      unheard(replies(mine)) ?? unheard(replies(theirs)) ?? unheard(replies(approved)) ?? null
    if (lost) return { unknown: lost }
    const has = (balance: Question) => (word(replies(balance)) ?? 0n) >= quantity
    const isApproved = word(replies(approved)) === 1n
    const from = !(has(theirs) && isApproved) && has(mine) ? signer : holder
    const data = encodeFunctionData({ ...transfer1155, args: [from, to, id, quantity, '0x'] })
    return { call: { to: contract, data } }
  }

  const read = (replies: Replies): Finding => {
    if (word(replies(is721)) === 1n) return read721(replies)
    if (word(replies(is1155)) === 1n) return read1155(replies)
    const lost = unheard(replies(is721)) ?? unheard(replies(is1155))
    if (lost) return { unknown: lost }
    return { impossible: `the contract ${contract} is neither ERC-721 nor ERC-1155` }
  }

  return { questions: [is721, is1155, owner, mine, theirs, approved], read }
}

type Valid = {
  contract: Address
  id: bigint
  quantity: bigint
  seller: Address | null
  to: Address
}

/** The piece in the chain's types, or what is wrong with it. */
function validate({ contractAddr, tokenId, quantity, seller, recipient }: Piece): Valid | string {
  if (!isAddress(contractAddr, { strict: false })) return 'the NFT has no valid contract address'
  if (!tokenId || !/^\d{1,78}$/.test(tokenId) || BigInt(tokenId) >= 2n ** 256n)
    return 'the NFT has no valid token id'
  if (!recipient || !isAddress(recipient, { strict: false })) return 'the recipient is not a wallet'
  return {
    contract: getAddress(contractAddr),
    id: BigInt(tokenId),
    quantity: BigInt(quantity),
    seller: isAddress(seller, { strict: false }) ? getAddress(seller) : null,
    to: getAddress(recipient),
  }
}

/** One word of return data; null when the call reverted or returned something else. */
function word(reply: Reply): bigint | null {
  if (!('result' in reply) || typeof reply.result !== 'string') return null
  return /^0x[0-9a-f]{64}$/i.test(reply.result) ? BigInt(reply.result) : null
}

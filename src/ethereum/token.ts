/**
 * The two token standards: what an item asks of the chain, the events that prove a transfer, and trials
 * of it.
 */
import {
  type Address,
  concatHex,
  decodeAbiParameters,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  isAddress,
  keccak256,
  numberToHex,
  parseGwei,
  slice,
  toFunctionSelector,
  zeroAddress,
  zeroHash,
} from 'viem'
import { trialAbi as abi, trialCode } from '../../contracts/trial.ts'
import type { ContractItem, Log } from './contract.ts'
import {
  contractCode,
  hex,
  inconclusive,
  isLeftOpen,
  type Replies,
  type Reply,
  type RpcRequest,
  read,
  view,
} from './requests.ts'
import { isRefusal } from './revert.ts'

export type Standard = 'erc721' | 'erc1155'

/** What is to be transferred, as the order says. */
export type OrderedToken = {
  contractAddr: string
  /** uint256 as decimal text. */
  tokenId: string | null
  quantity: number
  /** The wallet that holds the token; null if the token is minted. */
  holder: string | null
  recipient: string | null
}

/** The same in the types of the chain. `from` is the zero address of a mint. */
export type TokenTransfer = {
  token: Address
  from: Address
  to: Address
  tokenId: bigint
  quantity: bigint
}

/** Whether a text is an address, other than the zero address: nobody has that. */
export const isWallet = (text: string | null): text is string =>
  text !== null && isAddress(text, { strict: false }) && BigInt(text) !== 0n

/**
 * Whether who has proved a wallet has it on this chain, too. `walletChainId`: the chain of a contract, 0 of a
 * key. At the address of a contract, somebody else may have a contract on another chain.
 */
export const isOnChain = (walletChainId: number, chainId: number): boolean =>
  walletChainId === 0 || walletChainId === chainId

/** Returns the transfer, or the code of the reason why there can be none. */
export function parseTransfer({
  contractAddr,
  tokenId,
  quantity,
  holder,
  recipient,
}: OrderedToken) {
  if (!isAddress(contractAddr, { strict: false })) return 'invalid_token_address'
  if (!tokenId || !/^\d{1,78}$/.test(tokenId) || BigInt(tokenId) >= 2n ** 256n)
    return 'invalid_token_id'
  if (!Number.isSafeInteger(quantity) || quantity < 1) return 'invalid_quantity'
  if (!isWallet(recipient)) return 'invalid_recipient'
  // The zero address would be a mint.
  if (holder !== null && !isWallet(holder)) return 'seller_has_no_wallet'
  return {
    token: getAddress(contractAddr),
    from: holder === null ? zeroAddress : getAddress(holder),
    to: getAddress(recipient),
    tokenId: BigInt(tokenId),
    quantity: BigInt(quantity),
  } satisfies TokenTransfer
}

/** Returns the amount as the contract takes it: 0 for an ERC-721 token. */
export const contractAmount = ({ quantity }: TokenTransfer, standard: Standard): bigint =>
  standard === 'erc721' ? 0n : quantity

/** The item that uses a key up without a transfer. */
export const cancelItem = (key: Hex): ContractItem => ({
  key,
  token: zeroAddress,
  from: zeroAddress,
  to: zeroAddress,
  tokenId: 0n,
  amount: 0n,
})

/** Gas for questions to a token: with more, it could return megabytes. */
const QUESTION_GAS = numberToHex(200_000)

/** Encodes a call of a function with this signature. Its types are separated by commas only. */
export function encodeCall(signature: string, ...args: readonly unknown[]): Hex {
  const types = signature.replace(/^\w+\(|\)$/g, '').split(',')
  const parameters = types.map((type) => ({ type }))
  return concatHex([toFunctionSelector(signature), encodeAbiParameters(parameters, args)])
}

const supports = (token: Address, id: Hex) =>
  view(token, encodeCall('supportsInterface(bytes4)', id), QUESTION_GAS)
const isErc721 = (token: Address) => supports(token, '0x80ac58cd')
const isErc1155 = (token: Address) => supports(token, '0xd9b67a26')

/** Returns the requests that tell which token standard a contract implements (ERC-165). */
export const standardRequests = (token: Address) => [
  isErc721(token),
  isErc1155(token),
  contractCode(token),
]

/** Returns the standard of a token (ERC-165); null if it has neither or the node does not know. */
export function readStandard(token: Address, replies: Replies): Standard | null {
  if (word(replies(isErc721(token))) === 1n) return 'erc721'
  return word(replies(isErc1155(token))) === 1n ? 'erc1155' : null
}

/** Returns why a token has no standard, as a code; null if the node does not tell. */
export function readTrouble(token: Address, replies: Replies) {
  if (isLeftOpen(standardRequests(token), replies)) return null
  const code = replies(contractCode(token))
  return 'result' in code && code.result === '0x' ? 'token_not_deployed' : 'token_not_supported'
}

/**
 * The function of the token that the Delivery contract calls. Those that mint are of OpenZeppelin's
 * wizard.
 */
export function signatureOf({ from, amount }: Pick<ContractItem, 'from' | 'amount'>): string {
  if (from === zeroAddress)
    return amount === 0n ? 'safeMint(address,uint256)' : 'mint(address,uint256,uint256,bytes)'
  return amount === 0n
    ? 'safeTransferFrom(address,address,uint256)'
    : 'safeTransferFrom(address,address,uint256,uint256,bytes)'
}

export function encodeTransfer(item: ContractItem): Hex {
  const { from, to, tokenId, amount } = item
  const holder = from === zeroAddress ? [] : [from]
  const pieces = amount === 0n ? [] : [amount, '0x']
  return encodeCall(signatureOf(item), ...holder, to, tokenId, ...pieces)
}

/** `keccak256("MINTER_ROLE")`: the role in the contracts of OpenZeppelin. */
const MINTER_ROLE = '0x9f2df0fed2c77648de5860a4cc508cd0818c85b8b8a1ab4ceeef8d981c8956a6'

/**
 * Asks whether a Delivery contract may transfer what a holder has of a token; for the zero address,
 * whether it may mint.
 */
export const permissionRequest = (token: Address, contract: Address, holder: Address) =>
  view(
    token,
    holder === zeroAddress
      ? encodeCall('hasRole(bytes32,address)', MINTER_ROLE, contract)
      : encodeCall('isApprovedForAll(address,address)', holder, contract),
    QUESTION_GAS,
  )

/**
 * Whether a token with roles has no function that makes an item. A proxy has neither function in its own code,
 * so it is not known to lack one.
 */
export function lacksFunction(item: Pick<ContractItem, 'from' | 'amount'>, code: Reply): boolean {
  const text = (read(hex, code) ?? '0x').toLowerCase()
  const has = (signature: string) => text.includes(toFunctionSelector(signature).slice(2))
  return has('hasRole(bytes32,address)') && !has(signatureOf(item))
}

/**
 * Gas for what may need more: to find an owner, ERC721A looks at each token before it, down to the first of its
 * batch. A token may write its whole metadata into the URI.
 */
const LONG_QUESTION_GAS = numberToHex(2_000_000)

type Holding = Pick<ContractItem, 'token' | 'from' | 'tokenId' | 'amount'>

/** Asks who owns an ERC-721 token, or how many pieces the holder has. */
export const holdingRequest = ({ token, from, tokenId, amount }: Holding) =>
  amount === 0n
    ? view(token, encodeCall('ownerOf(uint256)', tokenId), LONG_QUESTION_GAS)
    : view(token, encodeCall('balanceOf(address,uint256)', from, tokenId), QUESTION_GAS)

/**
 * Returns how many pieces of its token the holder of an item has; null if that is not known. A token that
 * nobody has has no owner, so `ownerOf` reverts (EIP-721).
 */
export function readPieces(item: Holding, replies: Replies): bigint | null {
  const reply = replies(holdingRequest(item))
  const told = word(reply)
  if (item.amount > 0n) return told
  if (told !== null) return told === BigInt(item.from) ? 1n : 0n
  return isRefusal(reply) ? 0n : null
}

/** Returns whether the holder of an item has it; null if that is not known. */
export function readHolding(item: Holding, replies: Replies): boolean | null {
  const held = readPieces(item, replies)
  return held === null ? null : held >= (item.amount || 1n)
}

const isEnumerable = (token: Address) => supports(token, '0x780e9d63')
const countRequest = (token: Address, wallet: Address) =>
  view(token, encodeCall('balanceOf(address)', wallet), QUESTION_GAS)
const nameRequest = (token: Address) => view(token, toFunctionSelector('name()'), QUESTION_GAS)

/** Asks for the name of a token, and how many tokens of it a wallet has, if it lists them (EIP-721). */
export const collectionRequests = (token: Address, wallet: Address) => [
  isEnumerable(token),
  countRequest(token, wallet),
  nameRequest(token),
]

/** `name`: as the contract writes it; null without one. `count`: null if it does not list them. */
export const readCollection = (token: Address, wallet: Address, replies: Replies) => ({
  name: readString(replies(nameRequest(token))),
  count:
    word(replies(isEnumerable(token))) === 1n ? word(replies(countRequest(token, wallet))) : null,
})

/** Returns the text that a contract has returned; null if it has returned none. */
export function readString(reply: Reply): string | null {
  const data = read(hex, reply)
  if (!data) return null
  try {
    return decodeAbiParameters([{ type: 'string' }], data)[0]
  } catch {
    return null
  }
}

/** Asks for the URI of the metadata of a token. */
export const uriRequest = (token: Address, tokenId: bigint, standard: Standard) =>
  view(
    token,
    encodeCall(standard === 'erc721' ? 'tokenURI(uint256)' : 'uri(uint256)', tokenId),
    LONG_QUESTION_GAS,
  )

/** Asks for the id of a token that a wallet has, by its position in the list of the contract (EIP-721). */
export const tokenAtRequest = (token: Address, wallet: Address, index: number) =>
  view(token, encodeCall('tokenOfOwnerByIndex(address,uint256)', wallet, index), QUESTION_GAS)

/** `DEFAULT_ADMIN_ROLE`: who has it decides in the contracts of OpenZeppelin who has which role. */
const ADMIN_ROLE = zeroHash

const ownerRequest = (token: Address) => view(token, toFunctionSelector('owner()'), QUESTION_GAS)
const adminRequest = (token: Address, wallet: Address) =>
  view(token, encodeCall('hasRole(bytes32,address)', ADMIN_ROLE, wallet), QUESTION_GAS)

/** Asks for the owner of a contract (EIP-173), and whether a wallet decides who has its roles. */
export const ownershipRequests = (token: Address, wallet: Address) => [
  ownerRequest(token),
  adminRequest(token, wallet),
]

/** Returns whether a contract is the wallet's in one of both ways; null if the node does not tell. */
export function readOwnership(token: Address, wallet: Address, replies: Replies): boolean | null {
  if (word(replies(ownerRequest(token))) === BigInt(wallet)) return true
  if (word(replies(adminRequest(token, wallet))) === 1n) return true
  return isLeftOpen(ownershipRequests(token, wallet), replies) ? null : false
}

/** The price that is asked about: a part of it is in hundredths of 1 %. */
const FULL_PRICE = 10_000n

/** Asks who gets how much of the price of a token when it is sold again (ERC-2981). */
export const royaltyRequest = (token: Address, tokenId: bigint) =>
  view(token, encodeCall('royaltyInfo(uint256,uint256)', tokenId, FULL_PRICE), QUESTION_GAS)

/** `fee`: per cent as decimal text, as in `2.5`. */
export type Royalty = { fee: string; feeRecipient: Address }

/** Returns the royalty; `none` if there is none that can be paid, null if the node does not tell. */
export function readRoyaltyInfo(reply: Reply): Royalty | 'none' | null {
  if (inconclusive(reply)) return null
  const data = read(hex, reply)
  if (data?.length !== 2 + 2 * 64) return 'none'
  const recipient = BigInt(slice(data, 0, 32))
  const amount = BigInt(slice(data, 32))
  if (recipient === 0n || recipient >= 2n ** 160n) return 'none'
  if (amount === 0n || amount > FULL_PRICE) return 'none'
  return { fee: `${Number(amount) / 100}`, feeRecipient: getAddress(slice(data, 12, 32)) }
}

/** Topics of the events of ERC-721 (`Transfer`) and ERC-1155. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const TRANSFER_BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'

const single = [{ type: 'uint256' }, { type: 'uint256' }] as const
const batch = [{ type: 'uint256[]' }, { type: 'uint256[]' }] as const

/** Removes the event of an item's transfer from a list, and returns it; undefined if there is none. */
export function takeTransfer(logs: Log[], item: ContractItem): Log | undefined {
  const index = logs.findIndex((log) => isTransferEvent(log, item))
  return index < 0 ? undefined : logs.splice(index, 1)[0]
}

function isTransferEvent({ address, topics, data }: Log, item: ContractItem): boolean {
  const { token, from, to, tokenId, amount } = item
  if (address.toLowerCase() !== token.toLowerCase()) return false
  const [event, first, second, third] = topics
  if (!first || !second || !third) return false
  if (event === TRANSFER)
    return amount === 0n && isWord(first, from) && isWord(second, to) && BigInt(third) === tokenId
  if (!isWord(second, from) || !isWord(third, to)) return false
  try {
    if (event === TRANSFER_SINGLE) {
      const [id, value] = decodeAbiParameters(single, data)
      return id === tokenId && value === amount
    }
    if (event !== TRANSFER_BATCH) return false
    const [ids, values] = decodeAbiParameters(batch, data)
    return ids.some((id, i) => id === tokenId && values[i] === amount)
  } catch {
    return false
  }
}

const isWord = (topic: Hex, address: Address) => BigInt(topic) === BigInt(address)

/** One word of return data; null when the call reverted or returned something else. */
export function word(reply: Reply): bigint | null {
  if (!('result' in reply) || typeof reply.result !== 'string') return null
  return /^0x[0-9a-f]{64}$/i.test(reply.result) ? BigInt(reply.result) : null
}

export type Deliverer = { relayer: Address; contract: Address }

/** What a delivery would do. `isExact`: whether just these pieces arrive. */
type TrialResult = { isAccepted: boolean; isExact: boolean; gasUsed: number; reason: Hex }

/** Gas of the whole call (EIP-7825). */
const TRIAL_GAS = 16_777_216n
/** Wei for a unit of gas. More than any base fee at which something is delivered. */
const MAX_TRIAL_FEE = parseGwei('10000')

/**
 * Returns an account without code, which accepts every token. Only who knows the key can compute it:
 * otherwise a token could treat it in its own way, or somebody send it so many pieces that it gets no more.
 */
export const plainAccount = (key: Hex): Address => getAddress(slice(keccak256(key), 12))

/**
 * Tries a delivery in a node, with this much gas for the call of the token, and undoes it
 * (`contracts/Trial.sol`). The token sees the same accounts as in a delivery: the relayer sends the
 * transaction, and the Delivery contract calls. It pays the base fee and a tip that nobody can compute
 * without the key, and gets the funds for it: a node refuses a call that its sender cannot pay.
 */
export const trialRequest = (
  { relayer, contract }: Deliverer,
  item: ContractItem,
  gasPerItem: number,
): RpcRequest => ({
  method: 'eth_call',
  params: [
    {
      from: relayer,
      to: contract,
      data: encodeFunctionData({ abi, functionName: 'run', args: [item, BigInt(gasPerItem)] }),
      gas: numberToHex(TRIAL_GAS),
      maxFeePerGas: numberToHex(MAX_TRIAL_FEE),
      maxPriorityFeePerGas: numberToHex(1n + BigInt(slice(keccak256(item.key), 0, 4))),
    },
    'latest',
    {
      [contract]: { code: trialCode },
      [relayer]: { balance: numberToHex(TRIAL_GAS * MAX_TRIAL_FEE) },
    },
  ],
})

/** Returns null if the node does not tell: not every node can replace the code of an account. */
export function readTrial(reply: Reply): TrialResult | null {
  const data = read(hex, reply)
  if (!data) return null
  try {
    const result = decodeFunctionResult({ abi, functionName: 'run', data })
    return result.isTold ? { ...result, gasUsed: Number(result.gasUsed) } : null
  } catch {
    return null
  }
}

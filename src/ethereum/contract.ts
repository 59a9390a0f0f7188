/** Calls and answers of the Delivery contract (`contracts/Delivery.sol`). */
import {
  type Address,
  decodeAbiParameters,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  numberToHex,
  slice,
} from 'viem'
import { relayerAbi as abi } from '../../contracts/relayer-abi.ts'
import { hex, integer, type Replies, type RpcRequest, read, view } from './requests.ts'

/** An item of a call, as the contract takes it. */
export type ContractItem = {
  key: Hex
  /** The zero address: the key is used up without a transfer. */
  token: Address
  /** The zero address: the token is minted. */
  from: Address
  to: Address
  tokenId: bigint
  /** 0 for an ERC-721 token. */
  amount: bigint
}

/** What the contract stores of a key. `block` is 0 if the key is unused. */
export type KeyRecord = { block: number; contentHash: Hex }

export const CANCELLED: Hex = `0x${'0'.repeat(48)}`

/** What a call did with an item, by the numbers of `Delivery.Outcome`. */
const outcomes = ['not_reached', 'delivered', 'skipped', 'failed', 'cancelled'] as const
export type ItemResult = { outcome: (typeof outcomes)[number]; gasUsed: bigint; reason: Hex }

export const encodeGetter = (
  functionName: 'paused' | 'retired' | 'predecessor' | 'relayerList' | 'owner' | 'pendingOwner',
): Hex => encodeFunctionData({ abi, functionName })

export const encodeRecords = (keys: readonly Hex[]): Hex =>
  encodeFunctionData({ abi, functionName: 'records', args: [keys] })

export const encodeLimit = (of: 'relayerLimit' | 'tokenLimit', account: Address): Hex =>
  encodeFunctionData({ abi, functionName: of, args: [account] })

/** `deadline` is in seconds since 1970. */
export const encodeDeliver = (
  items: readonly ContractItem[],
  minimum: number,
  gasPerItem: number,
  deadline: number,
): Hex =>
  encodeFunctionData({
    abi,
    functionName: 'deliver',
    args: [items, BigInt(minimum), BigInt(gasPerItem), BigInt(deadline)],
  })

/** What the decoder returns; null if the contract has another interface or the node makes it up. */
function decoded<T>(decode: () => T): T | null {
  try {
    return decode()
  } catch {
    return null
  }
}

/** The records of keys, and the block that has the answer. */
export const decodeRecords = (data: Hex): { block: number; records: KeyRecord[] } | null =>
  decoded(() => {
    const [block, , found] = decodeFunctionResult({ abi, functionName: 'records', data })
    const records = found.map(({ blockNumber, contentHash }) => ({
      block: Number(blockNumber),
      contentHash,
    }))
    return { block: Number(block), records }
  })

export const decodeResults = (data: Hex): ItemResult[] | null =>
  decoded(() =>
    decodeFunctionResult({ abi, functionName: 'deliver', data }).map(
      ({ outcome, gasUsed, reason }) => ({
        outcome: outcomes[outcome] ?? 'not_reached',
        gasUsed,
        reason,
      }),
    ),
  )

/** Decodes the accounts that are relayers, were or are announced. */
export const decodeRelayers = (data: Hex): readonly Address[] | null =>
  decoded(() => decodeFunctionResult({ abi, functionName: 'relayerList', data }))

/** A bucket of pieces: `available` of `capacity` may be moved now, `perDay` flow back in a day. */
export type PieceLimit = Record<'capacity' | 'perDay' | 'available', number> &
  /** An announced raise, and its time in seconds since 1970; 0 if there is none. */
  Record<'nextCapacity' | 'nextPerDay' | 'nextAt', number>

export const encodeHandOver = (token: Address): Hex =>
  encodeFunctionData({ abi, functionName: 'handOvers', args: [token] })

/** The announced owner of a token, and from when on it may be handed over, in seconds since 1970 or 0. */
export const decodeHandOver = (data: Hex): { newOwner: Address; effectiveAt: number } | null =>
  decoded(() => {
    const [newOwner, effectiveAt] = decodeFunctionResult({ abi, functionName: 'handOvers', data })
    return { newOwner, effectiveAt: Number(effectiveAt) }
  })

/** Says what a limit allows, now and as it is announced. */
export function describePieceLimit({ capacity, perDay, nextAt, ...next }: PieceLimit): string {
  const now = `${capacity} pieces, ${perDay} a day`
  if (nextAt === 0) return capacity === 0 ? 'none' : now
  const from = new Date(nextAt * 1000).toISOString()
  return `${now}, and from ${from} on ${next.nextCapacity} pieces, ${next.nextPerDay} a day`
}

/** Decodes a limit. It has a capacity of 0 for an account that is no relayer. */
export const decodeLimit = (data: Hex): (PieceLimit & { isSet: boolean }) | null =>
  decoded(() => {
    // Both getters return the same.
    const limit = decodeFunctionResult({ abi, functionName: 'relayerLimit', data })
    return {
      isSet: limit.isSet,
      capacity: Number(limit.capacity),
      perDay: Number(limit.perDay),
      available: Number(limit.available),
      nextCapacity: Number(limit.nextCapacity),
      nextPerDay: Number(limit.nextPerDay),
      nextAt: Number(limit.nextAt),
    }
  })

/** What a Delivery contract and its limits allow now. */
export type ContractState = {
  isPaused: boolean
  isRetired: boolean
  /** The limits of the relayers; absent for an account that is no relayer. */
  limits: Map<Address, PieceLimit>
}

export const contractRequests = (contract: Address, relayers: readonly Address[]): RpcRequest[] => [
  view(contract, encodeGetter('paused')),
  view(contract, encodeGetter('retired')),
  ...relayers.map((relayer) => view(contract, encodeLimit('relayerLimit', relayer))),
]

/** Returns null if the contract does not answer. */
export function readContract(
  contract: Address,
  relayers: readonly Address[],
  replies: Replies,
): ContractState | null {
  const isPaused = read(integer, replies(view(contract, encodeGetter('paused'))))
  const isRetired = read(integer, replies(view(contract, encodeGetter('retired'))))
  if (isPaused === null || isRetired === null) return null
  const limits = new Map<Address, PieceLimit>()
  for (const relayer of relayers) {
    const data = read(hex, replies(view(contract, encodeLimit('relayerLimit', relayer))))
    const limit = data && decodeLimit(data)
    if (limit && limit.capacity > 0) limits.set(relayer, limit)
  }
  return { isPaused: isPaused === 1, isRetired: isRetired === 1, limits }
}

/** Topics of the events. Hashed at the first use, because hashing delays the start of a Worker. */
let topics: Record<'delivered' | 'cancelled' | 'failed', Hex> | undefined
const eventTopics = () =>
  (topics ??= {
    delivered: encodeEventTopics({ abi, eventName: 'Delivered' })[0],
    cancelled: encodeEventTopics({ abi, eventName: 'Cancelled' })[0],
    failed: encodeEventTopics({ abi, eventName: 'DeliveryFailed' })[0],
  })

/** Topics of the events that say that one of the keys was used. */
export const usedTopics = (keys: readonly Hex[]) => [
  [eventTopics().delivered, eventTopics().cancelled],
  keys,
]

/** An event, as a receipt has it. */
export type Log = { address: Address; topics: readonly Hex[]; data: Hex }

/**
 * Whether the event is the one that the contract logged when it used the key as the record says.
 * Tokens may log the same, and a node may change what was logged.
 */
export function isUse(
  log: Log,
  contract: Address,
  key: Hex,
  { contentHash }: Pick<KeyRecord, 'contentHash'>,
): boolean {
  const [topic, loggedKey] = log.topics
  if (loggedKey !== key || log.address.toLowerCase() !== contract.toLowerCase()) return false
  if (contentHash === CANCELLED) return topic === eventTopics().cancelled
  const delivered = decodeDelivered(log)
  return delivered !== null && hashContent(delivered) === contentHash
}

/** Returns what a `Delivered` event says of its item and its relayer; null for another event. */
export function decodeDelivered({ topics, data }: Log) {
  const [topic, key, relayer, token] = topics
  if (topic !== eventTopics().delivered || !key || !relayer || !token) return null
  return decoded(() => {
    const [from, to, tokenId, amount] = decodeAbiParameters(itemTypes, data)
    return { key, token: addressIn(token), from, to, tokenId, amount, relayer: addressIn(relayer) }
  })
}

/** The address in a word of 32 bytes. */
export const addressIn = (word: Hex): Address => getAddress(slice(word, 12))

/** Whether the contract says that a transfer failed. Tokens may log the same. */
export const isFailure = ({ address, topics }: Log, contract: Address): boolean =>
  topics[0] === eventTopics().failed && address.toLowerCase() === contract.toLowerCase()

/**
 * Returns the gas that the token used and what it reverted with, from a `DeliveryFailed` event; null
 * if the node has changed its data.
 */
export const decodeFailure = (data: Hex): { gasUsed: number; reason: Hex } | null =>
  decoded(() => {
    const [gasUsed, reason] = decodeAbiParameters([{ type: 'uint256' }, { type: 'bytes' }], data)
    return { gasUsed: Number(gasUsed), reason }
  })

/** Of the event `Delivered` and of the content hash. */
const itemTypes = [
  { type: 'address' },
  { type: 'address' },
  { type: 'uint256' },
  { type: 'uint256' },
] as const

type Content = Pick<ContractItem, 'token' | 'to' | 'tokenId' | 'amount'>

/** The content hash that the contract stores with the key of a delivered item. */
export const hashContent = ({ token, to, tokenId, amount }: Content): Hex =>
  slice(keccak256(encodeAbiParameters(itemTypes, [token, to, tokenId, amount])), 0, 24)

/** Reads when the owner changed limits and announced owners of tokens. No getter lists the tokens of all. */
export const ownerChanges = (address: Address, from: number, to: number): RpcRequest => {
  const names = ['RelayerSet', 'TokenLimitSet', 'HandOverAnnounced'] as const
  const topics = [names.map((eventName) => encodeEventTopics({ abi, eventName })[0])]
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  return { method: 'eth_getLogs', params: [{ ...range, address, topics }] }
}

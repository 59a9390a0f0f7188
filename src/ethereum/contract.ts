/** Calls and answers of the Delivery contract (`contracts/Delivery.sol`). */
import {
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  keccak256,
} from 'viem'
import { deliveryAbi as abi } from '../../contracts/delivery-abi.ts'

/** An item of a call, as the contract takes it. */
export type ContractItem = {
  key: Hex
  /** The zero address: the key is used up without a transfer. */
  token: Address
  from: Address
  to: Address
  tokenId: bigint
  /** 0 for an ERC-721 token. */
  amount: bigint
}

/** What the contract stores of a key. `block` is 0 if the key is unused. */
export type KeyRecord = { block: number; contentHash: Hex }

/** The content hash of a cancelled key. */
export const CANCELLED: Hex = `0x${'0'.repeat(48)}`

/** What a call did with an item, by the numbers of `Delivery.Outcome`. */
const outcomes = ['not_reached', 'delivered', 'skipped', 'failed', 'cancelled'] as const
export type ItemResult = { outcome: (typeof outcomes)[number]; gasUsed: bigint; reason: Hex }

/** Encodes a call without arguments. */
export const encodeGetter = (functionName: 'paused' | 'retired' | 'predecessor'): Hex =>
  encodeFunctionData({ abi, functionName })

/** Encodes the call that reads which delivery keys the contract has recorded. */
export const encodeRecords = (keys: readonly Hex[]): Hex =>
  encodeFunctionData({ abi, functionName: 'records', args: [keys] })

/** Encodes the call that reads whether the account is a relayer. */
export const encodeRelayers = (relayer: Address): Hex =>
  encodeFunctionData({ abi, functionName: 'relayers', args: [relayer] })

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

/** Returns the items of a call of `deliver`. */
export function decodeDeliver(data: Hex): readonly ContractItem[] {
  const { functionName, args } = decodeFunctionData({ abi, data })
  if (functionName !== 'deliver') throw new Error('the transaction does not call deliver')
  return args[0]
}

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

/** Decodes the results of a simulated batch, or returns null if the data is something else. */
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

/** The daily limit of a relayer, and how much of it is used on `day` (days since 1970). */
export const decodeRelayer = (data: Hex): { perDay: number; day: number; used: number } | null =>
  decoded(() => {
    const [perDay, day, used] = decodeFunctionResult({ abi, functionName: 'relayers', data })
    return { perDay, day, used }
  })

/** Topics of the events. Hashed at the first use, because hashing delays the start of a Worker. */
let topics: Record<'delivered' | 'cancelled' | 'failed', Hex> | undefined
const eventTopics = () =>
  (topics ??= {
    delivered: encodeEventTopics({ abi, eventName: 'Delivered' })[0],
    cancelled: encodeEventTopics({ abi, eventName: 'Cancelled' })[0],
    failed: encodeEventTopics({ abi, eventName: 'DeliveryFailed' })[0],
  })

/** Whether a topic is that of an event which says that a key was used. */
const isUseTopic = (topic: Hex | undefined) =>
  topic === eventTopics().delivered || topic === eventTopics().cancelled

/** Topics of the events that say that one of the keys was used. */
export const usedTopics = (keys: readonly Hex[]) => [
  [eventTopics().delivered, eventTopics().cancelled],
  keys,
]

/** An event, as a receipt has it. */
export type Log = { address: Address; topics: readonly Hex[]; data: Hex }

/** Whether the contract says that the key was used. Tokens may log the same. */
export const isUse = ({ address, topics }: Log, contract: Address, key: Hex): boolean =>
  isUseTopic(topics[0]) && topics[1] === key && address.toLowerCase() === contract.toLowerCase()

/** Whether the contract says that a transfer failed. Tokens may log the same. */
export const isFailure = ({ address, topics }: Log, contract: Address): boolean =>
  topics[0] === eventTopics().failed && address.toLowerCase() === contract.toLowerCase()

/** Returns what the token reverted with, from the data of a `DeliveryFailed` event. */
export const decodeFailure = (data: Hex): Hex =>
  decodeAbiParameters([{ type: 'uint256' }, { type: 'bytes' }], data)[1]

const contentTypes = [
  { type: 'address' },
  { type: 'address' },
  { type: 'uint256' },
  { type: 'uint256' },
] as const

/** The content hash that the contract stores with the key of a delivered item. */
export const hashContent = ({
  token,
  to,
  tokenId,
  amount,
}: Pick<ContractItem, 'token' | 'to' | 'tokenId' | 'amount'>): Hex =>
  keccak256(encodeAbiParameters(contentTypes, [token, to, tokenId, amount])).slice(0, 50) as Hex

/** Items to deliver, and calls of `deliver`. */
import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  pad,
  slice,
  toHex,
  zeroAddress,
} from 'viem'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'

export type Item = {
  key: Hex
  token: Address
  from: Address
  to: Address
  tokenId: bigint
  amount: bigint
}

export type DeliverOptions = {
  by?: Address
  minimum?: number
  gasPerItem?: bigint
  deadline?: bigint
  gas?: bigint
}

export const GAS_PER_ITEM = 300_000n

/** A time that no test reaches, in seconds since 1970. */
const FAR_FUTURE = 10_000_000_000n

let count = 0

export const aKey = (): Hex => keccak256(toHex(`key ${++count}`))

/** An address without code that nobody else uses. */
export const aWallet = (): Address =>
  getAddress(pad(toHex(2n ** 152n + BigInt(++count)), { size: 20 }))

/** The item as the chain logs its transfer. */
export const transferOf = ({ key: _, ...transfer }: Item) => transfer

/** An item that mints a token: ERC-1155 with an amount, ERC-721 without. */
export const aMint = (item: Pick<Item, 'token' | 'tokenId'> & Partial<Item>): Item => ({
  key: aKey(),
  from: zeroAddress,
  to: aWallet(),
  amount: 0n,
  ...item,
})

/** What an item fails with if the contract refuses it: the selector of the error. */
export const reasonOf = (error: string): Hex => slice(keccak256(toHex(`${error}()`)), 0, 4)

/** An item that uses a key up. */
export const aCancel = (key: Hex): Item => ({
  key,
  token: zeroAddress,
  from: zeroAddress,
  to: zeroAddress,
  tokenId: 0n,
  amount: 0n,
})

/** The arguments of `deliver`. */
export function deliverArguments(
  items: readonly Item[],
  { minimum = items.length, gasPerItem = GAS_PER_ITEM, deadline = FAR_FUTURE }: DeliverOptions = {},
) {
  return [items, BigInt(minimum), gasPerItem, deadline] as const
}

/** The data of a call of `deliver`. */
export const deliverData = (items: readonly Item[], options?: DeliverOptions): Hex =>
  encodeFunctionData({
    abi: deliveryAbi,
    functionName: 'deliver',
    args: deliverArguments(items, options),
  })

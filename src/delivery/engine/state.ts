/** Deliveries, transactions and networks, as a run reads them. */
import type { Address, Hex } from 'viem'
import type { DeliveryState, ReasonCode, RequestedAction } from '../../db/schema/delivery.ts'

/** A delivery, with what is to be delivered. */
export type Item = {
  id: number
  key: Hex
  /** The contract of its newest transaction. */
  contract: Address | null
  state: DeliveryState
  requestedAction: RequestedAction
  version: number
  failingSince: string | null
  tries: number
  reasonCode: ReasonCode | null
  reason: string | null
  contractAddr: string
  tokenId: string | null
  quantity: number
  /** The wallet of the seller. */
  seller: string
  /** The chain of a seller's wallet that is a contract; 0 for one with a key. */
  sellerChainId: number
  recipient: string | null
  /** The chain of a recipient that is a contract; 0 for a wallet with a key. */
  recipientChainId: number
}

/** An item that a transaction carries. */
export type CarriedItem = Pick<
  Item,
  'id' | 'key' | 'version' | 'requestedAction' | 'failingSince' | 'tries' | 'reasonCode' | 'reason'
>

/** A transaction that may still be mined or dropped by a reorganization. */
export type OpenTransaction = {
  id: number
  contract: Address
  signer: Address
  nonce: number
  /** In the order of the call. */
  items: number[]
  hash: Hex
  /** The other hashes: those with lower fees and, once such a one is mined, the newest. */
  replaced: Hex[]
  raw: Hex
  gas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  /** Seconds since 1970. */
  deadline: number
  signedAtBlock: number
  signedAt: string
  block: number | null
  blockHash: Hex | null
  nonceUsedAt: number | null
}

/** Fees of a closed transaction whose bytes may still wait at a node. */
export type UnminedFees = {
  signer: Address
  nonce: number
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/** The row of a network, while this run has the lease. */
export type NetworkRow = {
  chainId: number
  wakeAt: string | null
  settledBlock: number | null
  settledHash: Hex | null
  comparedId: number
  comparedAt: string | null
}

export type Loaded = {
  network: NetworkRow
  transactions: OpenTransaction[]
  /** The items that open transactions carry, by id. */
  carried: Map<number, CarriedItem>
  /** Items to begin with, oldest first. */
  due: Item[]
  /** Items that failed or wait for a wallet, whose keys are to be compared with the chain. */
  compared: Item[]
  unmined: UnminedFees[]
  /** The lowest nonce of each signer that no settled transaction has used. */
  nextNonces: Map<Address, number>
}

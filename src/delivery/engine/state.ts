/** Deliveries, transactions and networks, as a run reads them. */
import type { Address, Hex } from 'viem'
import type { DeliveryState, ReasonCode, RequestedAction } from '../../db/schema/delivery.ts'
import type { Fees } from '../../ethereum/fees.ts'

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
  fulfilment: 'transfer' | 'mint'
  /** Whether its token or recipient has used up gas in two transactions. */
  isHeld: 0 | 1
  /** The wallet of the seller. */
  seller: string
  /** The chain of a seller's wallet that is a contract; 0 for one with a key. */
  sellerChainId: number
  recipient: string | null
  /** The chain of a recipient that is a contract; 0 for a wallet with a key. */
  recipientChainId: number
}

/** The pieces that the contract charges for an item. */
export const countPieces = ({ requestedAction, quantity }: Item): number =>
  requestedAction === 'cancel' ? 1 : quantity

/**
 * A call of a Delivery contract. There is one for each nonce until a final block has used the
 * nonce: what has expired is signed again with other items.
 */
export type DeliveryTransaction = Fees & {
  id: number
  contract: Address
  signer: Address
  nonce: number
  /** In the order of the call. Empty once the call has expired. */
  items: number[]
  hash: Hex
  /** Everything else that was signed for the nonce. */
  replaced: Hex[]
  /** The newest signed bytes. Null while the transaction is in a block, because none are needed. */
  raw: Hex | null
  gas: bigint
  /** Seconds since 1970. */
  deadline: number
  signedAtBlock: number
  signedAt: string
  block: number | null
  blockHash: Hex | null
  nonceUsedAt: number | null
}

/** Why items that are due are not sent. */
export type SigningBlocker =
  | 'contract_unavailable'
  | 'fees_above_cap'
  | 'fees_unknown'
  | 'no_relayer'
  | 'relayer_limit_reached'
  | 'signer_out_of_funds'
  | 'signers_busy'
  | 'simulation_failed'

/** The row of a network, while this run has the lease. */
export type NetworkRow = {
  chainId: number
  wakeAt: string | null
  settledBlock: number | null
  settledHash: Hex | null
  comparedId: number
  comparedAt: string | null
  /** JSON: every Delivery contract that has deliveries. */
  contracts: string
  unconfirmedSince: string | null
}

/** What is stored of a signer. */
export type SignerRow = { address: Address; reverts: number; pausedUntil: string | null }

export type Loaded = {
  network: NetworkRow
  /** Open ones: all that may be sent, and the first of those in a block and of those that have expired. */
  transactions: DeliveryTransaction[]
  /** The items that they carry, by id. */
  carried: Map<number, Item>
  /** Items to begin with: each who placed orders gets an equal share. */
  due: Item[]
  /** Items that failed or wait for a wallet, whose keys are to be compared with the chain. */
  compared: Item[]
  /** The lowest nonce of each signer that no block has used as far as is known. */
  nextNonces: Map<Address, number>
  signers: Map<Address, SignerRow>
}

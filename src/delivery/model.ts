/** Deliveries, transactions and networks, as a run reads them. */
import type { Address, Hex } from 'viem'
import type { nfts } from '../db/schema/catalogue.ts'
import type { deliveries, networks, transactions } from '../db/schema/delivery.ts'
import type { orderItems } from '../db/schema/orders.ts'
import type { Fees } from '../ethereum/fees.ts'

type Delivery = typeof deliveries.$inferSelect
type Transaction = typeof transactions.$inferSelect
type Network = typeof networks.$inferSelect

/** A delivery, with what is to be delivered. */
export type Item = Pick<Delivery, 'id' | 'state' | 'requestedAction' | 'version' | 'failingSince'> &
  Pick<Delivery, 'tries' | 'reasonCode' | 'reason' | 'cancelRequestedAt'> &
  Pick<typeof nfts.$inferSelect, 'contractAddr' | 'tokenId' | 'fulfilment'> &
  Pick<typeof orderItems.$inferSelect, 'quantity' | 'recipientChainId'> & {
    key: Hex
    /** The contract of its newest transaction. */
    contract: Address | null
    /** Whether transfers of its token to its recipient have used up gas in two transactions. */
    isHeld: 0 | 1
    /** The wallet of the seller. */
    seller: string
    /** The chain of a seller's wallet that is a contract; 0 for one with a key. */
    sellerChainId: number
    recipient: string | null
  }

/** The pieces that the contract charges for an item. */
export const countPieces = ({ requestedAction, quantity }: Item): number =>
  requestedAction === 'cancel' ? 1 : quantity

/**
 * A call of a Delivery contract. There is one for each nonce until a final block has used the
 * nonce: what has expired is signed again with other items.
 */
export type DeliveryTransaction = Fees &
  Pick<Transaction, 'id' | 'nonce' | 'deadline' | 'signedAtBlock' | 'signedAt' | 'block'> &
  Pick<Transaction, 'nonceUsedAt'> & {
    contract: Address
    signer: Address
    /** In the order of the call. Empty once the call has expired. */
    items: number[]
    hash: Hex
    /** Everything else that was signed for the nonce. */
    replaced: Hex[]
    /** The newest signed bytes. Null while the transaction is in a block, because none are needed. */
    raw: Hex | null
    gas: bigint
    blockHash: Hex | null
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
export type NetworkRow = Pick<Network, 'chainId' | 'wakeAt' | 'settledBlock' | 'comparedId'> &
  Pick<Network, 'comparedAt' | 'unconfirmedSince' | 'contradictedSince'> & {
    settledHash: Hex | null
    /** JSON: every Delivery contract that has deliveries. */
    contracts: string
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
  /** The nonce after the newest one of each signer that is in a block as far as is known. */
  mined: Map<Address, { nextNonce: number; block: number }>
  signers: Map<Address, SignerRow>
}

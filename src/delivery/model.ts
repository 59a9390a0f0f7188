/** What a step works with: deliveries, transactions and networks as they are stored, and what nodes say. */
import type { Address, Hex } from 'viem'
import type { Node } from '../chain/nodes.ts'
import type { nfts } from '../db/schema/catalogue.ts'
import type {
  DeliveryState,
  deliveries,
  networks,
  orderItemStatuses,
  signers,
  transactions,
} from '../db/schema/delivery.ts'
import type { orderItems } from '../db/schema/orders.ts'
import type { ContractState, KeyRecord, Log, PieceLimit } from '../ethereum/contract.ts'
import type { Market } from '../ethereum/fees.ts'
import type { Block, Receipt } from '../ethereum/requests.ts'
import type { Disagreement } from './store/disagreements.ts'

export type OrderItemStatus = (typeof orderItemStatuses)[number]

/**
 * The status of an order item by the state of its delivery. Null means that it depends on whether a
 * transaction was sent: one that is queued again after one stays `transferring`, unless that one
 * has expired.
 */
export const statusByState: Record<DeliveryState, OrderItemStatus | null> = {
  awaiting_wallet: 'awaiting_wallet',
  queued: null,
  in_flight: null,
  transferred: 'transferred',
  failed: 'failed',
  cancelled: 'failed',
  written_off: 'failed',
}

/** Returns the status of an order item. `txId` is null before the first transaction. */
export const orderItemStatus = (
  state: DeliveryState,
  txId: string | null,
): OrderItemStatus | null => statusByState[state] ?? (txId === null ? null : 'transferring')

type Row = typeof deliveries.$inferSelect

/** A delivery, with what is to be delivered. */
export type Delivery = Pick<Row, 'id' | 'state' | 'requestedAction' | 'version' | 'waitingSince'> &
  Pick<Row, 'tries' | 'withoutEffect' | 'reasonCode' | 'reasonDetail' | 'cancelRequestedAt'> &
  Pick<typeof nfts.$inferSelect, 'contractAddr' | 'tokenId' | 'fulfilment'> &
  Pick<typeof orderItems.$inferSelect, 'quantity' | 'recipientChainId'> & {
    key: Hex
    /** The contract of its newest transaction. */
    contract: Address | null
    /** Whether a transaction was ever signed for it. Then two nodes must call its key unused. */
    wasCarried: 0 | 1
    /** Whether transfers of its token to its recipient have used up gas in two transactions. */
    isStoppedByBurns: 0 | 1
    /** As the NFT has it. `holderOf` says what follows. */
    heldBySeller: 0 | 1
    /** The wallet of the seller. */
    seller: string
    /** The chain of a seller's wallet that is a contract; 0 for one with a key. */
    sellerChainId: number
    recipient: string | null
    /** Whether the factory of the recipient has proved it, so that it need not be deployed. */
    isProvedByFactory: 0 | 1
  }

/** What is text in the row of a transaction. */
type Wei = Record<'gas' | 'maxFeePerGas' | 'maxPriorityFeePerGas', bigint>
/** What a step does not read of it. */
type Unread = 'chainId' | 'gasUsed' | 'fee' | 'isOpen' | 'createdAt' | 'updatedAt'

/** A call of a Delivery contract. `raw` is null while it is in a block, because it is not needed. */
export type DeliveryTransaction = Wei & Omit<typeof transactions.$inferSelect, keyof Wei | Unread>

/** Why deliveries that are due are not sent. */
export type SigningBlocker =
  | 'contract_unavailable'
  | 'fees_above_cap'
  | 'fees_unknown'
  | 'no_relayer'
  | 'relayer_limit_reached'
  | 'signer_out_of_funds'
  | 'signers_busy'
  | 'simulation_failed'
  | 'token_limit_reached'

/** A block in which transactions were closed. */
export type KnownBlock = { number: number; hash: Hex }

/** The row of a network, while this run has the lease. */
export type NetworkRow = Omit<
  typeof networks.$inferSelect,
  'lease' | 'leaseUntil' | 'maxPieces' | 'problem' | 'failedSince'
>

/** What is stored of a signer. */
export type SignerRow = Omit<typeof signers.$inferSelect, 'chainId'>

export type Loaded = {
  network: NetworkRow
  /** Open ones: all that may be sent, and the first of those in a block and of those that have expired. */
  transactions: DeliveryTransaction[]
  /** The deliveries that they carry, by id. */
  carried: Map<number, Delivery>
  /** Deliveries to begin with: each who placed orders gets an equal share. */
  due: Delivery[]
  /** Deliveries that failed or wait for a wallet, whose keys are to be compared with the chain. */
  compared: Delivery[]
  /** Deliveries that have ended by the word of one node alone. */
  unconfirmed: Delivery[]
  /** The nonce after the newest one of each signer that is in a block as far as is known. */
  mined: Map<Address, { nextNonce: number; block: number }>
  signers: Map<Address, SignerRow>
}

export type SignerState = {
  /** Its next nonce: the number of its transactions in blocks, as far as two nodes have them. */
  count: number
  /** The same, and its balance in wei, as each node tells it that answers. */
  told: { count: number; balance: bigint }[]
}

/** `contract`: the one that was asked. */
export type ObservedRecord = KeyRecord & { contract: Address }

/** `leastCapacity`: of the node that tells the smallest one. */
export type ObservedLimit = PieceLimit & { leastCapacity: number }

/** `isConfirmed`: two nodes tell it, or there is one only. */
export type ObservedContract = Omit<ContractState, 'limits'> & {
  isConfirmed: boolean
  limits: Map<Address, ObservedLimit>
}

/** What nodes say of final blocks. Two have to tell the same. */
export type Evidence = {
  /** Whether one node suffices: there is no other, or none has given any answer for ten minutes. */
  isAlone: boolean
  /** By key, from answers at or past the final block. */
  records: ReadonlyMap<Hex, ObservedRecord>
  /** By hash. Null: no node has it. Absent: not asked, not received, or the nodes disagree. */
  receipts: ReadonlyMap<Hex, Receipt | null>
  /** Receipts that only one node has. */
  unconfirmed: ReadonlySet<Hex>
  /** Events that only one node has. They prove no transfer. */
  doubtfulLogs: ReadonlySet<Log>
  /** Keys of whose record no two nodes tell the same, although it takes two. */
  disputed: ReadonlySet<Hex>
  /** The earliest of what nodes say is the time of the final block, in seconds. */
  finalTime: number
  /** Since when no second node confirms anything; null if one does, or none was needed. */
  unconfirmedSince: string | null
  disagreements: Disagreement[]
}

/** What the nodes say about the chain and about the deliveries and transactions of a step. */
export type Observation = Evidence & {
  /** The node that leads the step: it is asked what suffices from one. */
  node: Node
  /** The nodes that answer, the leading one first. */
  nodes: Node[]
  head: Block
  final: Pick<Block, 'number' | 'timestamp'>
  /** The hash of the settled block; null if the node does not have it. */
  settledHash: Hex | null
  /** Null: no node tells the tip. Then nothing is signed. */
  market: Market | null
  signers: Map<Address, SignerState>
  /** Signers whose nonces only one node tells, higher than the rows know. Nothing is signed with them. */
  doubted: ReadonlySet<Address>
  /** Contracts that answered. */
  contracts: Map<Address, ObservedContract>
  /** The Delivery contract of the network and those before it, the newest first. */
  lineage: Address[]
}

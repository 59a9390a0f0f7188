/** What a campaign works with. */
import type { Address } from 'viem'
import type { Chain } from '../../chain/chain.ts'
import type { NetworkSettings } from '../engine.ts'
import type { Stall } from '../life.ts'
import type { Marketplace } from '../marketplace.ts'
import type { Snapshot } from '../snapshot.ts'
import type { Dice } from './dice.ts'
import type { Sale } from './sales.ts'

/** A sale that the shop made. */
export type Order = Sale & {
  /** The order number of the shop. */
  providerId: string
  /** Whether the shop knows that the order is placed. */
  isPlaced: boolean
  /** Whether the buyer has linked the wallet. */
  isLinked: boolean
  /** Whether an operator has asked to cancel the order, so that it may stay undelivered. */
  isCancelled: boolean
  /** Whether a thief has tried to use the key of the order, so that it may stay undelivered. */
  isStolen: boolean
}

/** A copy of the database. */
type Backup = {
  snapshot: Snapshot
  /** The order numbers that the shop knew to be placed. */
  placed: Set<string>
}

export type World = {
  dice: Dice
  chain: Chain
  market: Marketplace
  /** The settings of the network, without its Delivery contract. */
  network: NetworkSettings
  /** Number of URLs of the node. */
  nodes: 1 | 2
  /** The Delivery contracts, the newest first. The others are retired. */
  contracts: [Address, ...Address[]]
  /** Tokens that have a limit in the Delivery contract. */
  limited: readonly Address[]
  /** Recipients and tokens with code that burn gas at times. */
  fickle: readonly Address[]
  /** The hashes of transactions that a thief has sent. */
  thefts: Set<string>
  /** A master token. */
  token: string
  /** Everything that was ever sold. */
  orders: Order[]
  /** Runs that stand still, to be woken later. */
  stalls: { stall: Stall; run: Promise<unknown> }[]
  /** The newest copy of the database. */
  backup: Backup | null
  /** How often the database was set back. */
  restores: number
  /** How often each fault came. */
  faults: Record<string, number>
}

/** Counts a fault. */
export const count = ({ faults }: World, fault: string): void => {
  faults[fault] = (faults[fault] ?? 0) + 1
}

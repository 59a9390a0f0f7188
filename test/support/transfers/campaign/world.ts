/** What a campaign plays in. */
import type { Chain } from '../../chain/chain.ts'
import type { Stall } from '../life.ts'
import type { Marketplace } from '../marketplace.ts'
import type { Dice } from './dice.ts'

export type World = {
  dice: Dice
  chain: Chain
  market: Marketplace
  confirmations: number
  /** Runs that stand still, to be woken later. */
  stalls: { stall: Stall; run: Promise<unknown> }[]
  /** Nonces that somebody else has used. */
  foreign: number[]
  /** How often each fault came. */
  faults: Record<string, number>
}

/** Counts a fault. */
export const tell = ({ faults }: World, fault: string) => {
  faults[fault] = (faults[fault] ?? 0) + 1
}

/** When a chain is worked on again, and whether more can be sent before that. */
import type { Address } from 'viem'
import type { Network } from '../../env.ts'
import type { Observation } from '../model.ts'
import { type Decision, getAge, isUnmined, RESEND_AFTER } from './decide.ts'

/** Returns when the open transactions have to be looked at. `isSigned`: some were signed just now. */
export function nextLook(
  decisions: readonly Decision[],
  isSigned: boolean,
  heads: Heads,
  now: Date,
): Date | null {
  const delays = decisions.flatMap((decision) => {
    const { transaction } = decision
    const age = getAge(transaction, now)
    if (isUnmined(decision)) return unminedDelay(age)
    const { block, nonceUsedAt, items } = transaction
    // The receipt of what has expired may only be late: a check would take its nonce for a theft.
    if (decision.do === 'store_nonce_use' && items.length === 0) return RESEND_AFTER
    const isIdle = items.length === 0 && block === null && nonceUsedAt === null
    if (decision.do === 'close' || (decision.do === 'wait' && isIdle)) return []
    const height =
      decision.do === 'store_block'
        ? decision.receipt.blockNumber
        : Math.max(block ?? 0, nonceUsedAt ?? 0) || heads.head.number
    // Less often on a chain that makes no blocks.
    return Math.max(finalDelay(height, heads), Math.min(15_000, age / 10))
  })
  if (isSigned) delays.push(unminedDelay(0))
  return delays.length === 0 ? null : new Date(now.getTime() + Math.min(...delays))
}

type Heads = Pick<Observation, 'head' | 'final'>

/** The time between two blocks, in milliseconds. */
function blockTime({ head, final }: Heads): number {
  const blocks = Math.max(1, head.number - final.number)
  return Math.min(15_000, Math.max(250, ((head.timestamp - final.timestamp) * 1000) / blocks))
}

/** Blocks can come at any time, so a transaction is first looked at soon, then less often. */
const unminedDelay = (age: number) => Math.min(6_000, Math.max(50, age / 2))

/** Milliseconds until a block is probably final. */
export const finalDelay = (block: number, heads: Heads): number =>
  Math.min(300_000, Math.max(500, (block - heads.final.number) * blockTime(heads)))

/** Whether more items can be sent: counts the transactions that `load` will count as in flight. */
export function hasRoom(
  decisions: readonly Decision[],
  newTransactions: number,
  relayers: readonly Address[],
  { transactionsInFlight }: Pick<Network, 'transactionsInFlight'>,
): boolean {
  const inFlight = decisions.filter((decision) => {
    const { signer, block, nonceUsedAt, items } = decision.transaction
    const isWaiting =
      decision.do === 'wait' && block === null && nonceUsedAt === null && items.length > 0
    return relayers.includes(signer) && (isUnmined(decision) || isWaiting)
  })
  return inFlight.length + newTransactions < relayers.length * transactionsInFlight
}

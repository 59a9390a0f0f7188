/** When transactions have to be looked at again. */
import { ageOf, type Fate, isUnmined } from './decide.ts'
import type { Observation } from './observe.ts'

/** When the open transactions have to be looked at. `signed` were signed in this step. */
export function nextLook(
  fates: readonly Fate[],
  signed: number,
  observation: Observation,
  now: Date,
): Date | null {
  const delays = fates.map((fate) => {
    if (isUnmined(fate)) return unminedDelay(ageOf(fate.transaction, now))
    const { block, nonceUsedAt } = fate.transaction
    const isKnown = block !== null || nonceUsedAt !== null
    const known = isKnown ? Math.max(block ?? 0, nonceUsedAt ?? 0) : observation.head.number
    const height = fate.do === 'store_block' ? fate.receipt.blockNumber : known
    if (fate.do === 'close') return Infinity
    // Less often on a chain that makes no blocks.
    const age = ageOf(fate.transaction, now)
    return Math.max(finalDelay(height, observation), Math.min(15_000, age / 10))
  })
  if (signed > 0) delays.push(unminedDelay(0))
  const delay = Math.min(...delays)
  return Number.isFinite(delay) ? new Date(now.getTime() + delay) : null
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

/** What becomes of a listing that was tried. */
import {
  type listings,
  pieceObstacles,
  type recipients,
  type SaleObstacle,
} from '../db/schema/catalogue.ts'
import type { Sale, Verdict } from '../delivery/sales.ts'
import { DAY, HOUR, MINUTE } from '../time.ts'

/** Milliseconds until a listing is tried again that has an obstacle, or of which nodes do not tell. */
const SOON = 15 * MINUTE
/** The same at most, for what was refused for long: it waits as long as it has waited. */
const LATER = 6 * HOUR
/** Milliseconds for which nodes that contradict each other leave a listing as it was. */
const MAX_DISPUTE = HOUR

type Stored = Pick<
  typeof listings.$inferSelect,
  'id' | 'sellerId' | 'obstacle' | 'obstacleSince' | 'foundBy' | 'disputedSince' | 'untriedUntil'
>

/** A listing that is due. `was`: its `checkAt`. */
export type DueListing = Sale &
  Stored & {
    was: string
    recipients: (typeof recipients)[number]
    isForSale: 0 | 1
    isShared: 0 | 1
  }

const noObstacle = { obstacle: null, obstacleSince: null, foundBy: null, disputedSince: null }

/** Returns the new values of a listing. `verdict`: undefined if no node was asked. */
export function judgeListing(row: DueListing, verdict: Verdict | undefined, now: Date) {
  const { id, was, obstacle, obstacleSince, foundBy, disputedSince, untriedUntil } = row
  const at = (wait: number) => new Date(now.getTime() + wait).toISOString()
  const kept = {
    ...{ id, was, obstacle, obstacleSince, foundBy, disputedSince, untriedUntil },
    isShared: row.isShared === 1,
    checkAt: at(DAY),
  }
  const sold = { ...kept, ...noObstacle, isShared: false, untriedUntil: null }
  if (row.recipients === 'verified') return sold
  if (!verdict) return kept
  const since = obstacleSince ?? now.toISOString()
  switch (verdict.is) {
    case 'possible':
      return sold
    case 'impossible':
      return {
        ...kept,
        ...{ obstacle: verdict.obstacle, obstacleSince: since, foundBy: foundBy ?? 'trial' },
        ...{ isShared: false, disputedSince: null, untriedUntil: null },
        checkAt: at(pauseAfter(verdict.obstacle, since, now)),
      }
    case 'unknown': {
      const isSettled = obstacle && !disputedSince
      return { ...kept, checkAt: at(isSettled ? pauseAfter(obstacle, since, now) : SOON) }
    }
    case 'disputed': {
      if (!obstacle || foundBy === 'delivery') return { ...kept, checkAt: at(SOON) }
      const from = disputedSince ?? now.toISOString()
      const isOver = now.getTime() - Date.parse(from) >= MAX_DISPUTE
      return { ...(isOver ? sold : { ...kept, disputedSince: from }), checkAt: at(SOON) }
    }
  }
}

/** Returns for how long a listing is not tried again that has an obstacle since then. */
function pauseAfter(obstacle: SaleObstacle, since: string, now: Date): number {
  // No node is asked about it.
  if (obstacle === 'seller_has_no_wallet') return SOON
  return Math.min(LATER, Math.max(SOON, now.getTime() - Date.parse(since)))
}

/**
 * What a seller lists of a contract, and whether the seller holds it: what can be delivered of it, or cannot,
 * mostly has one cause.
 */
export type ListingGroup = Pick<
  DueListing,
  'network' | 'contract' | 'fulfilment' | 'heldBySeller' | 'sellerId'
>

export const groupKey = (group: ListingGroup): string =>
  JSON.stringify([
    group.network,
    group.contract,
    group.fulfilment,
    group.heldBySeller,
    group.sellerId,
  ])

/** A listing that was tried, with its new values. `isSample`: because others of its group were refused. */
export type Judged = {
  row: DueListing
  verdict: Verdict
  next: ReturnType<typeof judgeListing>
  isSample: boolean
}

/** Whether an obstacle may be that of all that the seller lists of the contract. */
const isShareable = (obstacle: SaleObstacle | null): boolean =>
  obstacle !== null && !pieceObstacles.includes(obstacle)

/** Returns those that were refused for what all of their group may have. */
export const findRefused = (tried: readonly Judged[]): Judged[] =>
  tried.filter(({ verdict }) => verdict.is === 'impossible' && isShareable(verdict.obstacle))

/**
 * Returns what follows for the other listings of a group of which some were tried; null: nothing. `sell`:
 * what they have from another one is over. `end_dispute`: the same of what no delivery has found. `keep`:
 * they go on having it, and one of them is tried next. `stop`: they have it, too. `ask`: they have it if one
 * of them has that is still sold.
 */
export function judgeGroup(tried: readonly Judged[]) {
  if (tried.some(({ verdict }) => verdict.is === 'possible')) return 'sell'
  if (tried.some(({ row, next }) => isShareable(row.obstacle) && !next.obstacle))
    return 'end_dispute'
  const refused = findRefused(tried)
  if (refused.some(({ row }) => !row.obstacle))
    return refused.some(({ isSample }) => isSample) ? 'stop' : 'ask'
  // One that shared the obstacle may have its own.
  const wasShared = tried.some(({ row, next }) => row.isShared && !next.isShared)
  return refused.length > 0 || wasShared ? 'keep' : null
}

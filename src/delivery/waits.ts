/** What an item waits for that is paid and not sent, as its buyer and its seller are told. */
import type { ReasonCode } from '../db/schema/delivery.ts'
import { timeouts } from './engine/item-changes.ts'
import { sentences } from './reasons.ts'
import type { DeliveryDetails } from './shown.ts'

/** Who or what can end the wait. */
type Cause = 'seller' | 'recipient' | 'network' | 'marketplace'

/** `marketplace` unless named here. */
const causes: Partial<Record<ReasonCode, Cause>> = {
  holder_has_no_token: 'seller',
  holder_not_approved: 'seller',
  minter_role_missing: 'seller',
  token_not_transferable: 'seller',
  recipient_not_deployed: 'recipient',
  recipient_rejects: 'recipient',
  contract_unavailable: 'network',
  node_unavailable: 'network',
  transaction_not_found: 'network',
}

export type Wait = {
  cause: Cause
  /** Null if the item has waited longer than usual and no reason is known. */
  reasonCode: ReasonCode | null
  /** Of the code. Without the details that the delivery has: they are for operators. */
  sentence: string
  /** When the item fails if nothing changes; null if it is tried until it works. */
  until: string | null
  /** When it is tried next. */
  nextAt: string | null
}

type WaitContext = {
  /** Whether the marketplace holds the NFTs of the network, and not their sellers. */
  hasTreasury: boolean
  /** Milliseconds after which an item waits longer than usual. */
  patience: number
  now: Date
}

/** Returns what an item waits for; null if only for its turn, or if it is not on its way. */
export function findWait(
  { state, reasonCode, failingSince, queuedAt, dueAt: nextAt }: DeliveryDetails,
  { hasTreasury, patience, now }: WaitContext,
): Wait | null {
  if (state === 'queued' && reasonCode && reasonCode !== 'cancelled' && failingSince) {
    const known = causes[reasonCode] ?? 'marketplace'
    const isHeld = hasTreasury && known === 'seller' && reasonCode !== 'minter_role_missing'
    const timeout = timeouts[reasonCode]
    return {
      cause: isHeld ? 'marketplace' : known,
      reasonCode,
      sentence: sentences[reasonCode],
      until: timeout ? new Date(Date.parse(failingSince) + timeout).toISOString() : null,
      nextAt,
    }
  }
  const isUnderWay = state === 'queued' || state === 'in_flight'
  if (!isUnderWay || !queuedAt || now.getTime() - Date.parse(queuedAt) < patience) return null
  const sentence = 'the network is slow, or does not answer'
  return { cause: 'network', reasonCode: null, sentence, until: null, nextAt: null }
}

/** What an order waits for, in the words of its buyer and its seller. */
import type { ReasonCode } from '../../db/schema/delivery.ts'
import { rules } from '../../delivery/reasons.ts'
import type { HistoryEntry, Side } from '../../orders/history.ts'
import { sentence } from '../components/field.tsx'
import { usePage } from '../components/request.ts'
import { Time } from '../components/time.tsx'

/** Who or what can end a wait, as buyers call it; and as sellers do, if that differs. */
type Cause = 'the seller' | 'your wallet' | 'the network' | 'the marketplace'
const forSellers: Partial<Record<Cause, string>> = {
  'the seller': 'you',
  'your wallet': 'the buyer’s wallet',
}

const causes = {
  seller: 'the seller',
  buyer: 'your wallet',
  network: 'the network',
  operator: 'the marketplace',
} as const

/** `reasonCode`: null if an item only takes longer than usual. */
type Wait = { cause: Cause; reasonCode: ReasonCode | null; since: string }

/** Milliseconds that a queued item may take for its turn. A node that is down is an alarm by then. */
const TURN = 5 * 60_000

/** Returns what the item of an order waits for; null if only for its turn. */
export function waitOf({ item, delivery }: HistoryEntry): Wait | null {
  const { state, reasonCode, failingSince, queuedAt } = delivery
  const { settings, now } = usePage()
  if (state === 'queued' && failingSince && reasonCode && reasonCode !== 'cancelled') {
    const { treasury } = settings.NETWORKS[item.nft.contractNetwork] ?? {}
    // A treasury holds the NFTs of all sellers, but does not own their contracts.
    const isHeld = treasury && reasonCode !== 'minter_role_missing'
    const known = causes[rules[reasonCode].removedBy ?? 'operator']
    const cause = isHeld && known === 'the seller' ? 'the marketplace' : known
    return { cause, reasonCode, since: failingSince }
  }
  const isUnderWay = queuedAt && (state === 'queued' || state === 'in_flight')
  const patience = state === 'queued' ? TURN : settings.DELIVERY_ALARM_MINUTES * 60_000
  return isUnderWay && now.getTime() - Date.parse(queuedAt) > patience
    ? { cause: 'the network', reasonCode: null, since: queuedAt }
    : null
}

/** Returns a text such as `Waiting for the seller`. */
export const waitLabel = ({ cause }: Wait, side: Side) =>
  `Waiting for ${(side === 'sold' && forSellers[cause]) || cause}`

/** Why an order waits and until when, and what its seller can do. */
export const Waiting = ({ entry, side }: { entry: HistoryEntry; side: Side }) => {
  const wait = waitOf(entry)
  if (!wait) return null
  const { cause, reasonCode, since } = wait
  const isMint = reasonCode === 'minter_role_missing'
  const isTask = cause === 'the seller' && (isMint || reasonCode === 'holder_not_approved')
  const { waits = Infinity, ends } = reasonCode ? rules[reasonCode] : {}
  const until = waits < Infinity && !ends && new Date(Date.parse(since) + waits)
  return (
    <p class="order-message held">
      {side === 'sold' && isTask ? (
        <>
          You have not allowed {isMint ? 'minting' : 'delivery'} of{' '}
          <em>
            <bdi>{entry.item.nft.contractName}</bdi>
          </em>
          . <a href="/settings/selling">Allow it</a>.
        </>
      ) : (
        // Not the reason of the delivery, which has details for operators.
        sentence(
          reasonCode ? rules[reasonCode].sentence : 'the network is slow, or does not answer',
        )
      )}{' '}
      {until ? 'If nothing changes, the delivery fails ' : 'It is tried until it works'}
      {until && (until > usePage().now ? <Time at={until.toISOString()} /> : 'soon')}.
    </p>
  )
}

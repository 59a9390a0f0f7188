/** How far the delivery of an order is, and what it waits for, in the words of its buyer and seller. */
import type { ReasonCode } from '../../db/schema/delivery.ts'
import { rules } from '../../delivery/reasons.ts'
import type { HistoryEntry, Side } from '../../orders/history.ts'
import { MINUTE } from '../../time.ts'
import { sentence } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { usePage } from '../components/request.ts'
import { Time } from '../components/time.tsx'

/** Whether the state changes soon, without anybody doing anything. */
export const isOnItsWay = ({ delivery: { state } }: HistoryEntry): boolean =>
  state === 'queued' || state === 'in_flight'

/** Whether the state does not change any more. */
export const hasEnded = (entry: HistoryEntry): boolean =>
  entry.delivery.state !== 'awaiting_wallet' && !isOnItsWay(entry)

/** Who or what can end a wait, as buyers call it; and as sellers do, if that differs. */
type Cause = (typeof causes)[keyof typeof causes]
const causes = {
  seller: 'the seller',
  buyer: 'your wallet',
  network: 'the network',
  operator: 'the marketplace',
} as const
const forSellers: Partial<Record<Cause, string>> = {
  'the seller': 'you',
  'your wallet': 'the buyer’s wallet',
}

/** `reasonCode`: null if an item only takes longer than usual. */
type Wait = { cause: Cause; reasonCode: ReasonCode | null; since: string }

/** Milliseconds that a queued item may wait for its turn. A node that is down raises an alarm sooner. */
const TURN = 5 * MINUTE

/** Returns what delays the item of an order; null if nothing does. */
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
  const patience = state === 'queued' ? TURN : settings.DELIVERY_ALARM_MINUTES * MINUTE
  return isUnderWay && now.getTime() - Date.parse(queuedAt) > patience
    ? { cause: 'the network', reasonCode: null, since: queuedAt }
    : null
}

type Step = {
  label: string
  state: 'done' | 'current' | 'held' | 'waits' | 'failed'
  at?: string | null
}

function deliverySteps(entry: HistoryEntry, side: Side): Step[] {
  const { order, item, delivery } = entry
  const wait = waitOf(entry)
  const paid: Step = { label: 'Paid', state: 'done', at: order.createdAt }
  const sent: Step = { label: 'Sent', state: 'done', at: delivery.sentAt }
  const waiting: Step = { label: 'Delivered', state: 'waits' }
  const changedAt = item.updatedAt
  switch (delivery.state) {
    case 'transferred':
      return [paid, sent, { label: 'Delivered', state: 'done', at: changedAt }]
    case 'failed':
    case 'written_off':
      return [paid, { label: 'Not delivered', state: 'failed', at: changedAt }]
    case 'cancelled':
      return [paid, { label: 'Cancelled', state: 'failed', at: changedAt }]
    case 'awaiting_wallet':
      return [paid, { label: 'Needs a wallet', state: 'waits' }, waiting]
  }
  if (wait) {
    const cause = (side === 'sold' && forSellers[wait.cause]) || wait.cause
    return [paid, { label: `Waiting for ${cause}`, state: 'held' }, waiting]
  }
  return item.txId
    ? [paid, sent, { label: 'On its way', state: 'current' }]
    : [paid, { label: 'Being sent', state: 'current' }, waiting]
}

/** Said to screen readers after each step. */
const spoken: Record<Step['state'], string> = {
  done: 'done',
  current: 'under way',
  held: 'held up',
  waits: 'not yet',
  failed: 'failed',
}

export type OrderProps = { entry: HistoryEntry; side: Side }

export const Steps = ({ entry, side }: OrderProps) => (
  <ol class="steps" aria-label="Progress">
    {deliverySteps(entry, side).map(({ label, state, at }) => (
      <li class={state}>
        {state === 'done' && <Icon name="succeeded" />}
        {state === 'failed' && <Icon name="failed" />}
        {state !== 'done' && state !== 'failed' && <span class="dot" />}
        <strong>{label}</strong>
        <span class="visually-hidden">, {spoken[state]} </span>
        {at && <Time at={at} />}
      </li>
    ))}
  </ol>
)

/** Why an order waits and until when, and what its seller can do. */
export const Waiting = ({ entry, side }: OrderProps) => {
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

/** What the buyer must do, or that the delivery has failed. */
export const Message = ({ entry, side }: OrderProps) => {
  const { id, failReason } = entry.order
  const { status } = entry.item
  if (status === 'awaiting_wallet')
    return side === 'bought' ? (
      <p class="order-message">
        <a href="/settings/account">Link a wallet</a> to receive this.
      </p>
    ) : (
      <p class="order-message">The buyer has not linked a wallet yet.</p>
    )
  if (status !== 'failed') return null
  return (
    <p class="order-message problem">
      {entry.delivery.state === 'cancelled'
        ? 'The delivery was cancelled.'
        : `The delivery failed: ${failReason ?? 'for an unknown reason'}.`}{' '}
      Ask the operator of the marketplace, and name order {id}.
    </p>
  )
}

/** How far the delivery of an order is, and what it waits for, in the words of its buyer and seller. */
import type { ReasonCode } from '../../db/schema/delivery.ts'
import { removerOf, rules } from '../../delivery/reasons.ts'
import { orderNumber } from '../../orders/number.ts'
import type { HistoryEntry, Side } from '../../orders/reading/history.ts'
import type { Texts } from '../../texts/en.ts'
import { MINUTE } from '../../time.ts'
import { Icon } from '../components/icon.tsx'
import { usePage } from '../components/request.ts'
import { sentence } from '../components/text.ts'
import { Time } from '../components/values.tsx'

/** Whether the state changes soon, without anybody doing anything. */
export const isOnItsWay = ({ delivery: { state } }: HistoryEntry): boolean =>
  state === 'queued' || state === 'in_flight'

/** Whether the state does not change any more. */
export const hasEnded = (entry: HistoryEntry): boolean =>
  entry.delivery.state !== 'awaiting_wallet' && !isOnItsWay(entry)

/** Whether the cancellation was requested, and the chain has not recorded it yet. */
const isBeingCancelled = (entry: HistoryEntry): boolean =>
  entry.delivery.requestedAction === 'cancel' && isOnItsWay(entry)

/** Who or what can end a wait. */
type Cause = keyof Texts['steps']['waiting']

/** `reasonCode`: null if the delivery only takes longer than usual. */
type Wait = { cause: Cause; reasonCode: ReasonCode | null; since: string }

/** Milliseconds that a queued delivery may wait for its turn. A node that is down raises an alarm sooner. */
const TURN = 5 * MINUTE

/** Returns what delays the delivery of an order; null if nothing does, or it is being cancelled. */
export function waitOf(entry: HistoryEntry): Wait | null {
  const { orderItem, delivery } = entry
  const { state, reasonCode, waitingSince, queuedAt } = delivery
  const { settings, now } = usePage()
  if (isBeingCancelled(entry)) return null
  if (state === 'queued' && waitingSince && reasonCode && reasonCode !== 'cancelled') {
    const network = settings.NETWORKS[orderItem.nft.contractNetwork] ?? {}
    return { cause: removerOf(reasonCode, entry, network), reasonCode, since: waitingSince }
  }
  const isUnderWay = queuedAt && (state === 'queued' || state === 'in_flight')
  const patience = state === 'queued' ? TURN : settings.DELIVERY_ALARM_MINUTES * MINUTE
  return isUnderWay && now.getTime() - Date.parse(queuedAt) > patience
    ? { cause: 'network', reasonCode: null, since: queuedAt }
    : null
}

type Step = {
  label: string
  state: 'done' | 'current' | 'held' | 'waits' | 'failed'
  at?: string | null
}

function deliverySteps(entry: HistoryEntry, side: Side): Step[] {
  const { order, orderItem, delivery } = entry
  const { steps } = usePage().texts
  const wait = waitOf(entry)
  const paid: Step = { label: steps.paid, state: 'done', at: order.createdAt }
  const sent: Step = { label: steps.sent, state: 'done', at: delivery.sentAt }
  const waiting: Step = { label: steps.delivered, state: 'waits' }
  const changedAt = orderItem.updatedAt
  switch (delivery.state) {
    case 'transferred':
      return [paid, sent, { label: steps.delivered, state: 'done', at: changedAt }]
    case 'failed':
    case 'written_off':
      return [paid, { label: steps.notDelivered, state: 'failed', at: changedAt }]
    case 'cancelled':
      return [paid, { label: steps.cancelled, state: 'failed', at: changedAt }]
    case 'awaiting_wallet':
      return [paid, { label: steps.needsWallet, state: 'waits' }, waiting]
  }
  if (isBeingCancelled(entry)) return [paid, { label: steps.beingCancelled, state: 'current' }]
  if (wait) {
    const labels = side === 'sold' ? { ...steps.waiting, ...steps.waitingAsSeller } : steps.waiting
    return [paid, { label: labels[wait.cause], state: 'held' }, waiting]
  }
  return orderItem.txId
    ? [paid, sent, { label: steps.onItsWay, state: 'current' }]
    : [paid, { label: steps.beingSent, state: 'current' }, waiting]
}

export type OrderProps = { entry: HistoryEntry; side: Side }

export const Steps = ({ entry, side }: OrderProps) => {
  const { label, spoken } = usePage().texts.steps
  return (
    <ol class="steps" aria-label={label}>
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
}

/** Why an order waits and until when, and what its seller can do. */
const Waiting = ({ entry, side }: OrderProps) => {
  const wait = waitOf(entry)
  const { now, texts } = usePage()
  const { orders } = texts
  if (!wait) return null
  const { cause, reasonCode, since } = wait
  const isMint = reasonCode === 'minter_role_missing'
  const isTask = cause === 'seller' && (isMint || reasonCode === 'holder_not_approved')
  const { waits = Infinity, ends } = reasonCode ? rules[reasonCode] : {}
  const until = waits < Infinity && !ends && new Date(Date.parse(since) + waits)
  const notAllowed = isMint ? orders.mintNotAllowed : orders.deliveryNotAllowed
  return (
    <div class="order-message held">
      {side === 'sold' && isTask ? (
        <>
          {notAllowed(
            <em>
              <bdi>{entry.orderItem.nft.contractName}</bdi>
            </em>,
          )}{' '}
          <a href="/settings/selling">{orders.allow}</a>.
        </>
      ) : (
        orders.waitsBecause[cause]
      )}{' '}
      {!until && orders.triedUntilItWorks}
      {until &&
        (until > now ? orders.failsAt(<Time at={until.toISOString()} />) : orders.failsSoon)}
      <Technical code={reasonCode} />
    </div>
  )
}

/** The sentence of a reason, without the detail that is for operators. */
const Technical = ({ code }: { code: ReasonCode | null }) => {
  const { orders, reasons } = usePage().texts
  if (code === null) return null
  return (
    <details>
      <summary>{orders.technicalReason}</summary>
      {sentence(reasons?.[code] ?? rules[code].sentence)}
    </details>
  )
}

/** What the order waits for, what the buyer must do, or that the delivery has failed. */
export const ProgressMessage = ({ entry, side }: OrderProps) => {
  const { state, reasonCode } = entry.delivery
  const { settings, texts } = usePage()
  const { account, orders } = texts
  const number = orderNumber(entry.order)
  if (entry.orderItem.status === 'awaiting_wallet')
    return (
      <p class="order-message">
        {side === 'bought'
          ? orders.toReceive(<a href={`/claim/${entry.order.id}`}>{account.linkWallet}</a>)
          : orders.noWalletOfBuyer}
      </p>
    )
  if (entry.orderItem.status !== 'failed') return <Waiting entry={entry} side={side} />
  const isCancelled = state === 'cancelled'
  const network = settings.NETWORKS[entry.orderItem.nft.contractNetwork] ?? {}
  return (
    <div class="order-message problem">
      {isCancelled ? orders.cancelled : orders.deliveryFailed}{' '}
      {!isCancelled && reasonCode && orders.failedBecause[removerOf(reasonCode, entry, network)]}{' '}
      {side === 'bought' ? orders.askShop(number) : orders.askOperator(number)}
      {!isCancelled && <Technical code={reasonCode} />}
    </div>
  )
}

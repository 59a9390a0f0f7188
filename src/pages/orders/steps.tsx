/** The way of an order: paid, sent, delivered. */
import type { HistoryEntry, Side } from '../../orders/history.ts'
import { Icon } from '../components/icon.tsx'
import { Time } from '../components/time.tsx'
import { waitLabel, waitOf } from './waiting.tsx'

type Step = {
  label: string
  state: 'done' | 'current' | 'held' | 'waits' | 'failed'
  at?: string | null
}

/** Whether the state changes soon, without anybody doing anything. */
export const isOnItsWay = ({ delivery: { state } }: HistoryEntry): boolean =>
  state === 'queued' || state === 'in_flight'

/** Whether the state does not change any more. */
export const hasEnded = ({ delivery: { state } }: HistoryEntry): boolean =>
  state !== 'awaiting_wallet' && state !== 'queued' && state !== 'in_flight'

const waiting: Step = { label: 'Delivered', state: 'waits' }

function deliverySteps(entry: HistoryEntry, side: Side): Step[] {
  const { order, item, delivery } = entry
  const wait = waitOf(entry)
  const paid: Step = { label: 'Paid', state: 'done', at: order.createdAt }
  const sent: Step = { label: 'Sent', state: 'done', at: delivery.sentAt }
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
    default:
      if (wait) return [paid, { label: waitLabel(wait, side), state: 'held' }, waiting]
      return item.txId
        ? [paid, sent, { label: 'On its way', state: 'current' }]
        : [paid, { label: 'Being sent', state: 'current' }, waiting]
  }
}

/** Said to screen readers after each step. */
const spoken: Record<Step['state'], string> = {
  done: 'done',
  current: 'under way',
  held: 'held up',
  waits: 'not yet',
  failed: 'failed',
}

/** The steps of an order item, from payment to delivery. */
export const Steps = ({ entry, side }: { entry: HistoryEntry; side: Side }) => (
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

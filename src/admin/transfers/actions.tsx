/** What operators can do to transfers, to one or to many of the list, and what has become of them. */

import type { Child } from 'hono/jsx'
import type { Action } from '../../delivery/actions/actions.ts'
import { describeReason, rules } from '../../delivery/reasons.ts'
import { operatorLimits } from '../../limits.ts'
import { Confirm } from '../../pages/components/forms.tsx'
import { plural, sentence } from '../../pages/components/text.ts'
import { upTo } from '../components/format.ts'
import { PageLink } from '../components/layout.tsx'
import { describeRetry, isChangeable } from '../components/transfers.tsx'
import type { TransferHistory } from './history.ts'
import type { ActionOutcome, ListQuery } from './list.ts'

export type ActionName = Action['action']

/** What can be done to one transfer. */
export const Actions = ({ transfer, obstacles }: TransferHistory) => {
  const { id, status, requestedAction, reasonCode } = transfer
  // What a transaction carries is not sent once more.
  const willFail = status === 'failed' && reasonCode && rules[reasonCode].retry
  const canRetry = !obstacles.retry && status !== 'in_flight'
  const canCancel = !obstacles.cancel && requestedAction === 'deliver'
  const retry = willFail ? 'Retry anyway' : 'Retry'
  return (
    <div class="actions">
      {canRetry && (
        <ActionButton
          action="retry"
          id={id}
          label={status === 'queued' ? 'Try now' : retry}
          effect={requestedAction === 'cancel' ? 'Its cancellation becomes due now.' : undefined}
        >
          {status === 'failed' && <p>{describeRetry(reasonCode)}</p>}
        </ActionButton>
      )}
      {canCancel && <ActionButton action="cancel" id={id} label="Cancel" />}
      {!obstacles.write_off && <ActionButton action="write_off" id={id} label="Write off" />}
      {obstacles.retry && <p class="hint">{sentence(obstacles.retry)}</p>}
      {willFail && <p class="hint">{describeRetry(reasonCode)}</p>}
    </div>
  )
}

type BulkProps = { query: ListQuery; total: number | undefined }

/** What can be done to the transfers of the list: buttons of the form around it. */
export const BulkActions = ({ query: { state, code }, total = 0 }: BulkProps) => {
  if (!isChangeable(state)) return null
  const verb = state === 'failed' ? 'Retry' : 'Try now'
  return (
    <div class="actions bulk">
      {(state === 'failed' || state === 'queued') && total > 0 && (
        <ActionButton
          action="retry-all"
          label={`${verb}: all ${upTo(total)}`}
          title={`${verb}: ${plural(Math.min(total, operatorLimits.changed.max), 'transfer')}?`}
        >
          <p>All that match become due now, also those of other pages. {describeRetry(code)}</p>
        </ActionButton>
      )}
      <span class="hint">Selected:</span>
      {state !== 'awaiting_wallet' && state !== 'in_flight' && (
        <ActionButton action="retry" label={verb} />
      )}
      <ActionButton action="cancel" label="Cancel" />
      {(state === 'failed' || !state) && <ActionButton action="write_off" label="Write off" />}
    </div>
  )
}

/** What the dialog says before an action is confirmed. */
const effects = {
  retry: {
    one: 'It becomes due now. It is delivered once, however often you retry it.',
    many: 'They become due now. Each is delivered once, however often it is tried.',
  },
  cancel: {
    one: 'Its key is used up on the chain, so it is never delivered. This cannot be undone, and does not refund the buyer.',
    many: 'Their keys are used up on the chain, so they are never delivered. This cannot be undone, and does not refund the buyers.',
  },
  write_off: {
    one: 'Its delivery key is used up, so it can be neither delivered nor cancelled. It stays failed. This cannot be undone, and does not refund the buyer.',
    many: 'Only those are written off whose delivery keys are used up. They stay failed. This cannot be undone, and does not refund the buyers.',
  },
}

/** What each does to one transfer. */
const verbs = { retry: 'Retry', cancel: 'Cancel', write_off: 'Write off', 'retry-all': 'Retry' }

type ActionProps = {
  action: ActionName | 'retry-all'
  /** Absent for those that are selected or match. */
  id?: number
  label: string
  title?: string
  /** What the dialog says. By default that is in `effects`. */
  effect?: string | undefined
  children?: Child
}

/** A button that asks first. For one transfer it has a form, for many it sends the form around it. */
const ActionButton = ({ action, id, label, title, effect, children }: ActionProps) => {
  const name = action.replace('_', '-')
  const many = action === 'cancel' ? 'Cancel transfers' : label
  const ofMany = title ?? `${label}: the selected transfers?`
  return (
    <Confirm
      id={name}
      label={label}
      title={id ? `${verbs[action]} transfer ${id}?` : ofMany}
      action={id ? `/operations/transfers/${id}/${name}` : { value: action }}
      submit={id ? `${verbs[action]} transfer` : many}
      dismiss={action === 'cancel' ? 'Keep' : 'Cancel'}
      isHarmless={action.startsWith('retry')}
    >
      {action !== 'retry-all' && <p>{effect ?? effects[action][id ? 'one' : 'many']}</p>}
      {children}
      {action === 'write_off' && (
        <label class="check">
          <input type="checkbox" name="returnPieces" />
          <span>Return its pieces to the stock: the seller still has them</span>
        </label>
      )}
    </Confirm>
  )
}

/** Returns a sentence without capital letter and full stop. */
export function describeOutcome(action: ActionName, outcome: Omit<ActionOutcome, 'id'>): string {
  const { status, requestedAction, obstacle } = outcome
  const reason = describeReason(outcome)
  if (action === 'retry') {
    if (status === 'failed' && !obstacle) return `tried, and failed again: ${reason}`
    if (status === 'transferred') return 'delivered'
    if (status === 'awaiting_wallet') return 'waiting until the buyer links a wallet'
    if (status === 'in_flight') return 'sent: it is delivered when its transaction is final'
    if (status === 'queued')
      return reason ? `tried, and waits: ${reason}` : 'queued again, and tried at once'
  }
  if (action === 'cancel') {
    if (status === 'cancelled') return 'cancelled'
    if (requestedAction === 'cancel')
      return 'being cancelled: it ends once the chain has recorded that'
  }
  if (action === 'write_off' && status === 'written_off') return 'written off'
  return `not changed: ${obstacle ?? 'it was changed meanwhile'}`
}

type OutcomesProps = { action: ActionName; outcomes: readonly ActionOutcome[] }

/** The transfers, grouped by what has become of them. */
export const Outcomes = ({ action, outcomes }: OutcomesProps) => (
  <div
    class={outcomes.some(({ status }) => status === 'failed') ? 'notice warn' : 'notice done'}
    role="status"
  >
    <ul>
      {[...Map.groupBy(outcomes, (outcome) => describeOutcome(action, outcome))].map(
        ([text, group]) => (
          <li>
            {plural(group.length, 'transfer')} {text}.{' '}
            {group.map(({ id }) => [<PageLink to="transfers" id={id} />, ' '])}
          </li>
        ),
      )}
    </ul>
  </div>
)

/** What has become of transfers that an operator changed, as they are now. */
import type { ReasonCode } from '../../db/schema/delivery.ts'
import type { Action } from '../../delivery/admin/actions.ts'
import { describeReason, rules } from '../../delivery/reasons.ts'
import { plural } from '../../pages/components/numbers.ts'
import { PageLink } from '../layout.tsx'
import type { Outcome } from './list.ts'

export type ActionName = Action['action']

/** Returns a sentence without capital letter and full stop. */
export function describeOutcome(action: ActionName, outcome: Omit<Outcome, 'id'>): string {
  const { status, requestedAction, obstacle } = outcome
  const reason = describeReason(outcome)
  if (action === 'retry') {
    if (status === 'failed' && !obstacle) return `tried, and failed again: ${reason}`
    if (status === 'transferred') return 'delivered'
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

type OutcomesProps = { action: ActionName; outcomes: readonly Outcome[] }

/** The transfers, grouped by what has become of them. */
export const Outcomes = ({ action, outcomes }: OutcomesProps) => (
  <div
    class={outcomes.some(({ status }) => status === 'failed') ? 'notice warn' : 'notice'}
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

/** Returns what a retry of items with this reason can do. */
export function describeRetry(code: ReasonCode | null | undefined): string {
  const { retry } = code ? rules[code] : {}
  if (retry === false)
    return 'They cannot be retried, because their delivery keys are used up. Write them off.'
  return retry
    ? `A retry fails again at once, unless ${retry} before.`
    : 'A retry helps once the cause is removed. Otherwise it fails again, a day later at most.'
}

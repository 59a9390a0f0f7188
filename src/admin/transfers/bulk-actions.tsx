/** What can be done to many transfers of the list. */
import type { Child } from 'hono/jsx'
import { MAX_CHANGED } from '../../delivery/admin/actions.ts'
import { Confirm } from '../../pages/components/confirm.tsx'
import { plural } from '../../pages/components/numbers.ts'
import { upTo } from '../format.ts'
import type { ListQuery } from './list.ts'
import { type ActionName, describeRetry } from './outcome.tsx'

/** Whether transfers in a state, or in any, can be changed. */
export const isChangeable = (state: ListQuery['state']) =>
  !state || !['transferred', 'cancelled', 'written_off'].includes(state)

type BulkProps = { query: ListQuery; total: number | undefined }

export const BulkActions = ({ query: { state, code }, total = 0 }: BulkProps) => {
  if (!isChangeable(state)) return null
  const verb = state === 'failed' ? 'Retry' : 'Try now'
  return (
    <div class="actions bulk">
      {(state === 'failed' || state === 'queued') && total > 0 && (
        <Action
          action="retry-all"
          label={`${verb}: all ${upTo(total)}`}
          title={`${verb}: ${plural(Math.min(total, MAX_CHANGED), 'transfer')}?`}
        >
          <p>All that match become due now, also those of other pages. {describeRetry(code)}</p>
        </Action>
      )}
      <span class="hint">Selected:</span>
      {state !== 'awaiting_wallet' && state !== 'in_flight' && (
        <Action action="retry" label={verb}>
          <p>They become due now. Each is delivered once, however often it is tried.</p>
        </Action>
      )}
      <Action action="cancel" label="Cancel">
        <p>
          Their keys are used up on the chain, so they are never delivered. This cannot be undone,
          and does not refund the buyers.
        </p>
      </Action>
      {(state === 'failed' || !state) && (
        <Action action="write_off" label="Write off">
          <p>
            Only those are written off whose delivery keys are used up. They stay failed. This
            cannot be undone, and does not refund the buyers.
          </p>
          <ReturnPieces />
        </Action>
      )}
    </div>
  )
}

type ActionProps = {
  action: ActionName | 'retry-all'
  label: string
  title?: string
  children: Child
}

/** A button that sends the form, as a rule for the selected transfers. */
const Action = ({ action, label, title, children }: ActionProps) => (
  <Confirm
    id={action}
    label={label}
    title={title ?? `${label}: the selected transfers?`}
    action={{ value: action }}
    submit={action === 'cancel' ? 'Cancel transfers' : label}
    dismiss={action === 'cancel' ? 'Keep' : 'Cancel'}
    isHarmless={action.startsWith('retry')}
  >
    {children}
  </Confirm>
)

/** The choice of a write-off. */
export const ReturnPieces = () => (
  <label class="check">
    <input type="checkbox" name="returnPieces" />
    <span>Return its pieces to the stock: the seller still has them</span>
  </label>
)

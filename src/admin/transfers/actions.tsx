/** What operators can do to transfers: to one, or to many of the list. */
import type { Child } from 'hono/jsx'
import { MAX_CHANGED } from '../../delivery/admin/actions.ts'
import { rules } from '../../delivery/reasons.ts'
import { Confirm } from '../../pages/components/confirm.tsx'
import { sentence } from '../../pages/components/field.tsx'
import { plural } from '../../pages/components/numbers.ts'
import { upTo } from '../format.ts'
import type { TransferHistory } from './history.ts'
import type { ListQuery } from './list.ts'
import { type ActionName, describeRetry } from './outcome.tsx'

/** What can be done to one transfer. */
export const Actions = ({
  transfer,
  obstacles,
}: Pick<TransferHistory, 'transfer' | 'obstacles'>) => {
  const { id, status, requestedAction, reasonCode } = transfer
  // What a transaction carries is not sent once more.
  const willFail = status === 'failed' && reasonCode && rules[reasonCode].retry
  const canRetry = !obstacles.retry && status !== 'in_flight'
  const canCancel = !obstacles.cancel && requestedAction === 'deliver'
  const canWriteOff = !obstacles.write_off
  const retry = willFail ? 'Retry anyway' : 'Retry'
  return (
    <div class="actions">
      {canRetry && (
        <Action action="retry" id={id} label={status === 'queued' ? 'Try now' : retry}>
          <p>It becomes due now. It is delivered once, however often you retry it.</p>
          {status === 'failed' && <p>{describeRetry(reasonCode)}</p>}
        </Action>
      )}
      {canCancel && (
        <Action action="cancel" id={id} label="Cancel">
          <p>
            Its key is used up on the chain, so it is never delivered. This cannot be undone, and
            does not refund the buyer.
          </p>
        </Action>
      )}
      {canWriteOff && (
        <Action action="write_off" id={id} label="Write off">
          <p>
            Its delivery key is used up, so it can be neither delivered nor cancelled. It stays
            failed. This cannot be undone, and does not refund the buyer.
          </p>
        </Action>
      )}
      {!canRetry && !canCancel && !canWriteOff && obstacles.cancel && (
        <p class="hint">{sentence(obstacles.cancel)}</p>
      )}
      {willFail && <p class="hint">{describeRetry(reasonCode)}</p>}
    </div>
  )
}

/** Whether transfers in a state, or in any, can be changed. */
export const isChangeable = (state: ListQuery['state']) =>
  !state || !['transferred', 'cancelled', 'written_off'].includes(state)

type BulkProps = { query: ListQuery; total: number | undefined }

/** What can be done to the transfers of the list: buttons of the form around it. */
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
        </Action>
      )}
    </div>
  )
}

/** What each does to one transfer. */
const verbs = { retry: 'Retry', cancel: 'Cancel', write_off: 'Write off', 'retry-all': 'Retry' }

type ActionProps = {
  action: ActionName | 'retry-all'
  /** Absent for those that are selected or match. */
  id?: number
  label: string
  title?: string
  children: Child
}

/** A button that asks first. For one transfer it has a form, for many it sends the form around it. */
const Action = ({ action, id, label, title, children }: ActionProps) => {
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

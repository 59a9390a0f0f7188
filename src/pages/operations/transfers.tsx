/** The list of transfers, with what can be done to many of them. */
import type { Child } from 'hono/jsx'
import { type DeliveryState, reasonCodes } from '../../db/schema/delivery.ts'
import { MAX_CHANGED } from '../../delivery/admin/actions.ts'
import type { Filter } from '../../delivery/admin/transfers.ts'
import { sentences } from '../../delivery/reasons.ts'
import { MAX_COUNT } from '../../operations/instance-state.ts'
import type { ListedTransfer, readTransferList } from '../../operations/transfer-list.ts'
import { LinkButton, Submit } from '../components/button.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Field, Select, sentence } from '../components/field.tsx'
import { Notice, Warning } from '../components/notice.tsx'
import { count, money, plural } from '../components/numbers.ts'
import { usePage } from '../components/request.ts'
import { Rows } from '../components/rows.tsx'
import { When } from '../components/time.tsx'
import {
  Live,
  listPath,
  OperationsPage,
  PageLink,
  StateBadge,
  stateNames,
  TransferLink,
} from './layout.tsx'
import { type ActionName, describeRetry, Outcomes } from './outcome.tsx'

/** The filter in the URL. `chain` is the id of a chain. */
export type ListQuery = {
  state?: DeliveryState | undefined
  code?: Filter['code']
  source?: string | undefined
  chain?: number | undefined
}

/** What was done before. `changed`: how many were, if it was done to all that match. */
export type Done = { action: ActionName; changed: number | undefined }

type TransfersProps = Omit<Awaited<ReturnType<typeof readTransferList>>, 'account'> & {
  query: ListQuery
  done: Done | undefined
  isFirstPage: boolean
}

export const TransfersPage = ({ query, done, isFirstPage, ...list }: TransfersProps) => (
  <OperationsPage path="/operations/transfers">
    <h1>Transfers</h1>
    <Filters query={query} />
    <Live>
      {done && <Result done={done} outcomes={list.outcomes} />}
      <Summary query={query} total={list.total} />
      <form method="post" action="/operations/transfers" class="flow">
        {/* The default button: the Enter key in a checkbox must not press another one. */}
        <button type="submit" disabled hidden />
        {Object.entries(query).map(
          ([name, value]) => value && <input type="hidden" name={name} value={String(value)} />,
        )}
        <BulkActions query={query} total={list.total} />
        <TransferRows
          transfers={list.transfers}
          empty={isFirstPage ? 'No transfer matches.' : 'There are no more transfers.'}
          isSelectable={isChangeable(query.state)}
        />
      </form>
      <p class="actions">
        {!isFirstPage && <LinkButton href={listPath(query)}>First transfers</LinkButton>}
        {list.next && (
          <LinkButton href={listPath({ ...query, cursor: list.next })}>Next transfers</LinkButton>
        )}
      </p>
    </Live>
  </OperationsPage>
)

const isChangeable = (state: ListQuery['state']) =>
  state === undefined || !['transferred', 'cancelled', 'written_off'].includes(state)

const Filters = ({ query: { state, code, source, chain } }: { query: ListQuery }) => (
  <form method="get" action="/operations/transfers" class="inline-form">
    <Select name="state" label="State" options={{ '': 'Any', ...stateNames }} selected={state} />
    <Select
      name="code"
      label="Reason"
      options={{ '': 'Any', ...Object.fromEntries(reasonCodes.map((name) => [name, name])) }}
      selected={code}
    />
    <Field name="source" label="Placed with token" value={source} maxlength={1000} />
    <Select
      name="chain"
      label="Network"
      options={{
        '': 'Any',
        ...Object.fromEntries(
          Object.entries(usePage().settings.NETWORKS).map(([name, { chainId }]) => [chainId, name]),
        ),
      }}
      selected={String(chain)}
    />
    <Submit>Show</Submit>
  </form>
)

/** What the action before has done, and what it has not. */
const Result = ({ done, outcomes }: { done: Done; outcomes: TransfersProps['outcomes'] }) => {
  const { action, changed } = done
  if (changed !== undefined)
    return (
      <Notice>
        {changed > 0
          ? `${plural(changed, 'transfer')} ${changed === 1 ? 'is' : 'are'} tried now.`
          : 'What is due already is tried now. Nothing else had to be changed.'}
        {changed >= MAX_CHANGED && ' These are the first. Repeat it for the others.'}
      </Notice>
    )
  if (outcomes.length === 0) return <Warning>Nothing was selected, so nothing was changed.</Warning>
  return (
    <div class="notice" role="status">
      <Outcomes action={action} outcomes={outcomes} />
    </div>
  )
}

/** A number that is counted up to `MAX_COUNT`. */
export const upTo = (value: number): string =>
  value < MAX_COUNT ? count(value) : `${count(MAX_COUNT)} or more`

type SummaryProps = { query: ListQuery; total: number | undefined }

const Summary = ({ query: { state, code }, total }: SummaryProps) => (
  <>
    {code && <p>{sentence(sentences[code])}</p>}
    {total !== undefined && (
      <p class="hint">
        {upTo(total)} {total === 1 ? 'transfer matches' : 'transfers match'}.{' '}
        {state === 'failed' && describeRetry(code)}
      </p>
    )}
  </>
)

const BulkActions = ({ query: { state, code }, total = 0 }: SummaryProps) => {
  if (!isChangeable(state)) return null
  const canRetry = state !== 'awaiting_wallet' && state !== 'in_flight'
  const verb = state === 'failed' ? 'Retry' : 'Try now'
  const all = plural(Math.min(total, MAX_CHANGED), 'transfer')
  const retryAll = (state === 'failed' || state === 'queued') && total > 0
  return (
    <div class="actions bulk">
      {retryAll && (
        <Action
          id="all"
          action="retry-all"
          label={`${verb}: all ${upTo(total)}`}
          title={`${verb}: ${all}?`}
          submit={verb}
        >
          <p>All that match become due now, also those of other pages. {describeRetry(code)}</p>
          {total > MAX_CHANGED && <p>The others are left. Repeat it for them.</p>}
        </Action>
      )}
      <span class="hint">Selected:</span>
      {canRetry && (
        <Action
          id="retry"
          action="retry"
          label={verb}
          title={`${verb}: the selected transfers?`}
          submit={verb}
        >
          <p>They become due now. Each is delivered once, however often it is tried.</p>
        </Action>
      )}
      <Action
        id="cancel"
        action="cancel"
        label="Cancel"
        title="Cancel the selected transfers?"
        submit="Cancel transfers"
      >
        <p>
          Their keys are used up on the chain, so they are never delivered. This cannot be undone,
          and does not refund the buyers.
        </p>
      </Action>
      {(state === 'failed' || state === undefined) && (
        <Action
          id="write-off"
          action="write_off"
          label="Write off"
          title="Write off the selected transfers?"
          submit="Write off"
        >
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
  id: string
  action: ActionName | 'retry-all'
  label: string
  title: string
  submit: string
  children: Child
}

/** A button that sends the form with the selected transfers. */
const Action = ({ action, ...props }: ActionProps) => (
  <Confirm
    {...props}
    action={{ value: action }}
    dismiss={action === 'cancel' ? 'Keep' : 'Cancel'}
    isHarmless={action.startsWith('retry')}
  />
)

/** The choice of a write-off. */
export const ReturnPieces = () => (
  <label class="check">
    <input type="checkbox" name="returnPieces" />
    <span>Return its pieces to the stock: the seller still has them</span>
  </label>
)

type RowsProps = { transfers: readonly ListedTransfer[]; empty: string; isSelectable?: boolean }

/** Transfers, each with a checkbox if it can be selected. */
export const TransferRows = ({ transfers, empty, isSelectable = false }: RowsProps) => (
  <Rows
    items={transfers}
    empty={empty}
    isOrdered
    row={({ id, orderId, providerId, title, reason, ...transfer }) => (
      <li class="row">
        <div class="row-head">
          {isSelectable && isChangeable(transfer.status) && (
            <input type="checkbox" name="id" value={id} aria-label={`Transfer ${id}`} />
          )}
          <h3>
            <TransferLink id={id} />
          </h3>
          <StateBadge state={transfer.status} requestedAction={transfer.requestedAction} />
        </div>
        <p class="meta">
          <span>
            <bdi class="title">{title}</bdi>
          </span>
          <span>{plural(transfer.quantity, 'piece')}</span>
          <span>{money(transfer.amount, transfer.currency)}</span>
          <span>
            <PageLink to="orders" id={orderId} />
          </span>
          {providerId && <span>{providerId}</span>}
          <span>{transfer.network}</span>
          <When what="Ordered" at={transfer.createdAt} />
          {transfer.dueAt && (
            <When
              what={transfer.dueAt > usePage().now.toISOString() ? 'Next attempt' : 'Due'}
              at={transfer.dueAt}
            />
          )}
        </p>
        {reason && <p>{sentence(reason)}</p>}
      </li>
    )}
  />
)

/** The list of transfers, with what can be done to many of them. */
import type { Child } from 'hono/jsx'
import { reasonCodes } from '../../db/schema/delivery.ts'
import { MAX_CHANGED } from '../../delivery/admin/actions.ts'
import { sentences } from '../../delivery/reasons.ts'
import { MAX_COUNT } from '../../operations/instance-state.ts'
import type { ListedTransfer, ListQuery, readTransferList } from '../../operations/transfer-list.ts'
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

type TransfersProps = Omit<Awaited<ReturnType<typeof readTransferList>>, 'account'> & {
  query: ListQuery
  /** What was done before, and to how many. */
  done: ActionName | 'retry-all' | undefined
  changed: number
  isFirstPage: boolean
}

export const TransfersPage = ({ query, done, changed, isFirstPage, ...list }: TransfersProps) => (
  <OperationsPage path="/operations/transfers">
    <h1>Transfers</h1>
    <Filters query={query} />
    <Live>
      {done && <Result {...{ done, changed }} outcomes={list.outcomes} />}
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
  !state || !['transferred', 'cancelled', 'written_off'].includes(state)

const Filters = ({ query: { state, code, source, chain } }: { query: ListQuery }) => (
  <form method="get" action="/operations/transfers" class="inline-form">
    <Select name="state" label="State" options={{ '': 'Any', ...stateNames }} selected={state} />
    <Select name="code" label="Reason" options={{ '': 'Any', ...reasons }} selected={code} />
    <Field name="source" label="Placed by the API token" value={source} maxlength={1000} />
    {chain && <Field name="chain" label="Id of the chain" value={chain} />}
    <Submit>Show</Submit>
  </form>
)

const reasons = Object.fromEntries(reasonCodes.map((code) => [code, sentence(sentences[code])]))

type ResultProps = Pick<TransfersProps, 'changed' | 'outcomes'> & { done: ActionName | 'retry-all' }

/** What the action before has done, and what it has not. */
const Result = ({ done, changed, outcomes }: ResultProps) => {
  if (done === 'retry-all')
    return (
      <Notice>
        {changed > 0
          ? `${plural(changed, 'transfer')} ${changed === 1 ? 'is' : 'are'} tried now.`
          : 'What is due already is tried now. Nothing else had to be changed.'}
        {changed >= MAX_CHANGED && ' These are the first. Repeat it for the others.'}
      </Notice>
    )
  if (outcomes.length === 0) return <Warning>Nothing was selected, so nothing was changed.</Warning>
  return <Outcomes action={done} outcomes={outcomes} />
}

/** A number that is counted up to `MAX_COUNT`. */
export const upTo = (value: number): string =>
  value < MAX_COUNT ? count(value) : `${count(MAX_COUNT)} or more`

type SummaryProps = { query: ListQuery; total: number | undefined }

const Summary = ({ query: { state, code }, total }: SummaryProps) => (
  <>
    {total === undefined ? (
      <h2>In any state</h2>
    ) : (
      <h2>
        {upTo(total)} {total === 1 ? 'transfer matches' : 'transfers match'}
      </h2>
    )}
    {code && <p>{sentence(sentences[code])}</p>}
    {state === 'failed' && <p class="hint">{describeRetry(code)}</p>}
  </>
)

const BulkActions = ({ query: { state, code }, total = 0 }: SummaryProps) => {
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

type RowsProps = { transfers: readonly ListedTransfer[]; empty: string; isSelectable?: boolean }

/** Transfers, each with a checkbox if it can be selected. */
export const TransferRows = ({ transfers, empty, isSelectable = false }: RowsProps) => (
  <Rows
    items={transfers}
    empty={empty}
    isOrdered
    row={({ id, orderId, providerId, title, reason, dueAt, ...transfer }) => (
      <li class="row">
        <div>
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
              <bdi>{title}</bdi>
            </span>
            <span>{plural(transfer.quantity, 'piece')}</span>
            <span>{money(transfer.amount, transfer.currency)}</span>
            <span>
              <PageLink to="orders" id={orderId} />
            </span>
            {providerId && <span>{providerId}</span>}
            <span>{transfer.network}</span>
            <When what="Ordered" at={transfer.createdAt} />
            {dueAt && (
              <When
                what={dueAt > usePage().now.toISOString() ? 'Next attempt' : 'Due'}
                at={dueAt}
              />
            )}
          </p>
          {reason && <p>{sentence(reason)}</p>}
        </div>
      </li>
    )}
  />
)

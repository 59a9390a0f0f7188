import { reasonCodes } from '../../db/schema/delivery.ts'
import { rules } from '../../delivery/reasons.ts'
import { operatorLimits } from '../../http/limits.ts'
import { Field, Notice, Select, Submit, Warning } from '../../pages/components/forms.tsx'
import { Pager } from '../../pages/components/lists.tsx'
import { usePage } from '../../pages/components/request.ts'
import { plural, sentence } from '../../pages/components/text.ts'
import { upTo } from '../format.ts'
import { AdminLayout, Live, listPath, stateNames } from '../layout.tsx'
import { type ActionName, BulkActions, describeRetry, isChangeable, Outcomes } from './actions.tsx'
import type { ListQuery, readTransferList } from './list.ts'
import { TransferRows } from './rows.tsx'

type TransfersProps = Omit<Awaited<ReturnType<typeof readTransferList>>, 'account'> & {
  query: ListQuery
  /** What was done before, and to how many. */
  done: ActionName | 'retry-all' | undefined
  changed: number
}

export const TransfersPage = ({ query, done, changed, ...list }: TransfersProps) => (
  <AdminLayout path="/operations/transfers">
    <h1>Transfers</h1>
    <Filters query={query} />
    <Live>
      {done && <Result done={done} changed={changed} outcomes={list.outcomes} />}
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
          empty={usePage().isFirstPage ? 'No transfer matches.' : 'There are no more transfers.'}
          isSelectable={isChangeable(query.state)}
        />
      </form>
      <Pager
        noun="transfers"
        to={(page) => listPath({ ...query, ...page })}
        next={list.next !== undefined && { cursor: list.next }}
        isNewestFirst={false}
      />
    </Live>
  </AdminLayout>
)

const Filters = ({ query: { state, code, source, chain } }: { query: ListQuery }) => (
  <form method="get" action="/operations/transfers" class="inline-form">
    <Select name="state" label="State" options={{ '': 'Any', ...stateNames }} selected={state} />
    <Select name="code" label="Reason" options={{ '': 'Any', ...reasons }} selected={code} />
    <Field name="source" label="Placed by the API token" value={source} maxlength={1000} />
    {chain && <Field name="chain" label="Id of the chain" value={chain} />}
    <Submit>Show</Submit>
  </form>
)

const reasons = Object.fromEntries(
  reasonCodes.map((code) => [code, sentence(rules[code].sentence)]),
)

type ResultProps = Pick<TransfersProps, 'changed' | 'outcomes'> & { done: ActionName | 'retry-all' }

/** What the action before has done, and what it has not. */
const Result = ({ done, changed, outcomes }: ResultProps) => {
  if (done === 'retry-all')
    return (
      <Notice>
        {changed > 0
          ? `${plural(changed, 'transfer')} ${changed === 1 ? 'is' : 'are'} tried now.`
          : 'What is due already is tried now. Nothing else had to be changed.'}
        {changed >= operatorLimits.changed.max && ' These are the first. Repeat it for the others.'}
      </Notice>
    )
  if (outcomes.length === 0) return <Warning>Nothing was selected, so nothing was changed.</Warning>
  return <Outcomes action={done} outcomes={outcomes} />
}

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
    {code && <p>{sentence(rules[code].sentence)}</p>}
    {state === 'failed' && <p class="hint">{describeRetry(code)}</p>}
  </>
)

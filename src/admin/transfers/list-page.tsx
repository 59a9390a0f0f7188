import { reasonCodes } from '../../db/schema/delivery.ts'
import { rules } from '../../delivery/reasons.ts'
import { operatorLimits } from '../../limits.ts'
import { Field, Hidden, Notice, Select, Submit, Warning } from '../../pages/components/forms.tsx'
import { Pager } from '../../pages/components/lists.tsx'
import { type Found, usePage } from '../../pages/components/request.ts'
import { plural, sentence } from '../../pages/components/text.ts'
import { upTo } from '../components/format.ts'
import { AdminLayout, Live, stateNames } from '../components/layout.tsx'
import { describeRetry, isChangeable, TransferRows } from '../components/transfers.tsx'
import { type ActionName, BulkActions, Outcomes } from './actions.tsx'
import type { ListQuery, readTransferList } from './list.ts'

type TransfersProps = Found<typeof readTransferList> & {
  query: ListQuery
  /** What was done before, and to how many. */
  done: ActionName | 'retry-all' | undefined
  changed: number
}

export const TransfersPage = (props: TransfersProps) => {
  const { query } = props
  return (
    <AdminLayout path="/operations/transfers?state=failed">
      <h1>Transfers</h1>
      <Filters {...query} />
      <Live>
        <Result {...props} />
        <Summary {...props} />
        <form method="post" action="/operations/transfers" class="flow">
          {/* The default button: the Enter key in a checkbox must not press another one. */}
          <button type="submit" disabled hidden />
          <Hidden values={query} />
          <BulkActions query={query} total={props.total} />
          <TransferRows
            transfers={props.transfers}
            empty={usePage().isFirstPage ? 'No transfer matches.' : 'There are no more transfers.'}
            isSelectable={isChangeable(query.state)}
          />
        </form>
        <Pager
          noun="transfers"
          path="/operations/transfers"
          query={query}
          next={{ cursor: props.next }}
          isNewestFirst={false}
        />
      </Live>
    </AdminLayout>
  )
}

const Filters = ({ state, code, source, chain }: ListQuery) => (
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

/** What the action before has done, and what it has not. */
const Result = ({ done, changed, outcomes }: TransfersProps) => {
  if (!done) return null
  if (done === 'retry-all')
    return (
      <Notice>
        {changed > 0
          ? `${plural(changed, 'transfer')} ${changed === 1 ? 'is' : 'are'} tried now. Without a wallet, they wait for it.`
          : 'What is due already is tried now. Nothing else had to be changed.'}
        {changed >= operatorLimits.changed.max && ' These are the first. Repeat it for the others.'}
      </Notice>
    )
  if (outcomes.length === 0) return <Warning>Nothing was selected, so nothing was changed.</Warning>
  return <Outcomes action={done} outcomes={outcomes} />
}

const Summary = ({ query: { state, code }, total }: TransfersProps) => (
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

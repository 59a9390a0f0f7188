import { LinkButton, Submit } from '../../pages/components/button.tsx'
import { Field, Select } from '../../pages/components/field.tsx'
import { Pager, pathWith } from '../../pages/components/navigation.tsx'
import { OperationsPage } from '../layout.tsx'
import { AuditList, auditActions, labelOf } from './list.tsx'
import type { AuditFilter, readAudit } from './read.ts'

type AuditProps = Omit<Awaited<ReturnType<typeof readAudit>>, 'account'> & {
  filter: AuditFilter
  isFirstPage: boolean
}

const PATH = '/operations/audit'

/** The page of the audit log. */
export const Audit = ({ entries, actors, next, filter, isFirstPage }: AuditProps) => {
  return (
    <OperationsPage path={PATH}>
      <h1>Audit log</h1>
      <form method="get" class="panel inline-form">
        <Select
          name="user"
          label="Who"
          options={{ 0: 'Everyone', ...Object.fromEntries(actors) }}
          selected={`${filter.user ?? 0}`}
        />
        <Select
          name="action"
          label="What"
          options={{
            '': 'Everything',
            ...Object.fromEntries(auditActions.map((action) => [action, labelOf(action)])),
          }}
          selected={filter.action}
        />
        <Field name="since" label="From (UTC)" type="date" value={filter.since} />
        <Field name="until" label="To (UTC)" type="date" value={filter.until} />
        <Submit>Show</Submit>
        <LinkButton href={pathWith(`${PATH}.csv`, filter)}>Download CSV</LinkButton>
      </form>
      {next && entries.length === 0 ? (
        <p class="empty">None on this page.</p>
      ) : (
        <AuditList entries={entries} heading="h2" />
      )}
      <Pager
        noun="entries"
        to={(page) => pathWith(PATH, { ...filter, ...page })}
        isFirstPage={isFirstPage}
        next={next !== undefined && { before: next }}
      />
    </OperationsPage>
  )
}

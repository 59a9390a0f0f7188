/** The page of the audit log, and its file. */
import * as z from 'zod'
import { Endpoints } from '../../http/endpoint.ts'
import { cursorText, idText } from '../../http/inputs.ts'
import { Field, LinkButton, Select, Submit } from '../../pages/components/forms.tsx'
import { Pager } from '../../pages/components/lists.tsx'
import type { Found } from '../../pages/components/request.ts'
import { pathWith } from '../../pages/components/text.ts'
import { shown } from '../../pages/page.tsx'
import { type AuditFilter, exportAudit, readAudit } from '../components/audit-entries.ts'
import { AuditList, auditActions, labelOf } from '../components/audit-list.tsx'
import { AdminLayout, adminPage } from '../components/layout.tsx'

const day = z.string().regex(/^\d{4}-\d\d-\d\d$/)
const Filter = z
  .object({ user: idText, action: z.enum(auditActions), since: day, until: day })
  .partial()

const { user, action, since, until } = Filter.shape

/** A field that is empty or wrong does not filter the page. */
const AuditQuery = z.object({
  user: user.catch(undefined),
  action: action.catch(undefined),
  since: since.catch(undefined),
  until: until.catch(undefined),
  before: cursorText.optional().catch(undefined),
})

export const auditRoutes = new Endpoints()
  .get('/operations/audit', shown.administrator({ query: AuditQuery }), async (c, { query }) => {
    const { before, ...filter } = query
    const { account, ...log } = await readAudit(c.var, { ...filter, before })
    return adminPage(c, { title: 'Audit log', account }, <Audit {...log} filter={filter} />)
  })
  .get('/operations/audit.csv', shown.administrator({ query: Filter }), async (c, { query }) =>
    c.body(await exportAudit(c.var, query), 200, {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': 'attachment; filename="audit.csv"',
    }),
  )

type AuditProps = Found<typeof readAudit> & { filter: AuditFilter }

const Audit = ({ entries, actors, next, filter }: AuditProps) => (
  <AdminLayout path="/operations/audit">
    <h1>Audit log</h1>
    <form method="get" class="panel inline-form">
      <Select
        name="user"
        label="Who"
        options={{ 0: 'Everyone', ...Object.fromEntries(actors.map(({ id, name }) => [id, name])) }}
        selected={`${filter.user ?? 0}`}
      />
      <Select
        name="action"
        label="What"
        options={{ '': 'Everything', ...actionLabels }}
        selected={filter.action}
      />
      <Field name="since" label="From (UTC)" type="date" value={filter.since} />
      <Field name="until" label="To (UTC)" type="date" value={filter.until} />
      <Submit>Show</Submit>
      <LinkButton href={pathWith('/operations/audit.csv', filter)}>Download CSV</LinkButton>
    </form>
    {next && entries.length === 0 ? (
      <p class="empty">None on this page.</p>
    ) : (
      <AuditList entries={entries} heading="h2" />
    )}
    <Pager noun="entries" path="/operations/audit" query={filter} next={{ before: next }} />
  </AdminLayout>
)

const actionLabels = Object.fromEntries(auditActions.map((action) => [action, labelOf(action)]))

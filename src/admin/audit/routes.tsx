/** The audit log, as a page and as a file. */
import * as z from 'zod'
import { Endpoints } from '../../http/endpoint.ts'
import { cursorText, idText } from '../../http/inputs.ts'
import { page } from '../../pages/page.tsx'
import { exportAudit } from './export.ts'
import { auditActions } from './list.tsx'
import { readAudit } from './read.ts'
import { Audit } from './views.tsx'

const day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .optional()
  .catch(undefined)

/** A field that is empty or wrong does not filter. */
const Filter = z.object({
  user: idText.optional().catch(undefined),
  action: z.enum(auditActions).optional().catch(undefined),
  since: day,
  until: day,
})
const AuditQuery = Filter.extend({ before: cursorText.optional().catch(undefined) })

const styles = ['operations.css']

export const auditRoutes = new Endpoints()
  .get(
    '/operations/audit',
    { access: 'administrator', reads: 'nearest', input: { query: AuditQuery } },
    async (c, { query: { before, ...filter } }) => {
      const { account, ...log } = await readAudit(c.var, { ...filter, before })
      return page(c, {
        title: 'Audit log',
        account,
        styles,
        children: <Audit {...log} filter={filter} isFirstPage={before === undefined} />,
      })
    },
  )
  .get(
    '/operations/audit.csv',
    { access: 'administrator', reads: 'nearest', input: { query: Filter } },
    async (c, { query }) =>
      c.body(await exportAudit(c.var, query), 200, {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': 'attachment; filename="audit.csv"',
      }),
  )

/** The audit log, as a page and as a file. */
import { Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../../http/context.ts'
import { requireAdministrator, validate } from '../../http/endpoint.ts'
import { cursorText, idText } from '../../http/inputs.ts'
import { readAudit } from '../../operations/audit.ts'
import { exportAudit } from '../../operations/audit-export.ts'
import { page } from '../page.tsx'
import { Audit } from './audit.tsx'
import { auditActions } from './audit-list.tsx'

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

export const auditRoutes = new Hono<App>()
  .get('/operations/audit', requireAdministrator(), validate('query', AuditQuery), async (c) => {
    const { before, ...filter } = c.req.valid('query')
    const { account, ...log } = await readAudit(c.var, { ...filter, before })
    return page(c, {
      title: 'Audit log',
      account,
      styles,
      children: <Audit {...log} filter={filter} isFirstPage={before === undefined} />,
    })
  })
  .get('/operations/audit.csv', requireAdministrator(), validate('query', Filter), async (c) =>
    c.body(await exportAudit(c.var, c.req.valid('query')), 200, {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': 'attachment; filename="audit.csv"',
    }),
  )

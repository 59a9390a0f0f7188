/** The audit log, as a page and as a file, and the administrators. */
import { Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../../http/context.ts'
import { requireAdministrator, validate } from '../../http/endpoint.ts'
import { cursorText, idText } from '../../http/ids.ts'
import { inputText } from '../../http/inputs.ts'
import { readAdministrators, setAdministrator } from '../../operations/administrators.ts'
import { exportAudit, readAudit } from '../../operations/audit.ts'
import { displayName } from '../components/names.ts'
import { notifyOwner } from '../notify-owner.ts'
import { page } from '../page.tsx'
import { Administrators } from './administrators.tsx'
import { Audit, auditActions } from './audit.tsx'

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

const Person = z.object({ person: inputText(255).trim().optional().catch(undefined) })
const Change = z.object({ userId: idText, to: z.enum(['appointed', 'dismissed']) })

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
  .get(
    '/operations/administrators',
    requireAdministrator(),
    validate('query', Person),
    async (c) => {
      const { person: text } = c.req.valid('query')
      const { account, ...found } = await readAdministrators(c.var, text)
      return page(c, {
        title: 'Administrators',
        account,
        styles,
        scripts: ['dialog.js'],
        children: <Administrators {...found} text={text} />,
      })
    },
  )
  .post(
    '/operations/administrators',
    requireAdministrator(),
    validate('form', Change),
    async (c) => {
      const { userId, to: type } = c.req.valid('form')
      const isAdministrator = type === 'appointed'
      const { person, ownEmail } = await setAdministrator(c.var, { userId, isAdministrator })
      // The session of the administrator may be stolen.
      for (const to of new Set([person.email, ownEmail]))
        notifyOwner(c, to, { type, name: displayName(person) })
      // Who has given up the role cannot see the page.
      const isOwn = !isAdministrator && userId === c.var.caller.userId
      return c.redirect(
        `${isOwn ? '/settings/profile' : '/operations/administrators'}?notice=${type}`,
        303,
      )
    },
  )

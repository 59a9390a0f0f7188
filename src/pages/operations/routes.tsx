/** The pages for operators. Only administrators see them. */
import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import {
  cancelTransfer,
  type Operator,
  retryTransfer,
  retryTransfers,
} from '../../delivery/admin/change.ts'
import { ReasonCode, TransferId } from '../../delivery/admin/input.ts'
import type { App } from '../../http/context.ts'
import { type AppWithCaller, requireAdministrator, validate } from '../../http/endpoint.ts'
import { cursorText } from '../../http/ids.ts'
import { readAudit } from '../../operations/audit.ts'
import { readOverview } from '../../operations/overview.ts'
import { onlyItemIn, search } from '../../operations/search.ts'
import { readTransfer } from '../../operations/transfer.ts'
import { page } from '../page.tsx'
import { Audit } from './audit.tsx'
import { OverviewPage } from './overview.tsx'
import { Results } from './search.tsx'
import { TransferPage } from './transfer.tsx'

const text = z.string().check(z.trim(), z.minLength(1), z.maxLength(255))

const OverviewQuery = z.object({
  range: z.catch(z._default(z.enum(['hours', 'days']), 'hours'), 'hours'),
  /** The number and the reason code of the transfers that the form before has retried. */
  retried: z.catch(
    z.optional(z.pipe(z.string().check(z.regex(/^\d{1,4}$/)), z.transform(Number))),
    undefined,
  ),
  code: z.catch(z.optional(ReasonCode), undefined),
})

const TransferNotice = z.object({
  notice: z.catch(z.optional(z.enum(['retried', 'cancelled'])), undefined),
})

const styles = ['operations.css']

export const operationRoutes = new Hono<App>()
  .get('/operations', requireAdministrator(), validate('query', OverviewQuery), async (c) => {
    const { db, caller, settings, now } = c.var
    const { range, retried: items, code } = c.req.valid('query')
    const { account, ...overview } = await readOverview(db, caller, settings, now)
    const retried = items !== undefined && code ? { items, code } : undefined
    return page(c, {
      title: 'Operations',
      account,
      styles,
      scripts: ['dialog.js', 'plots.js'],
      children: <OverviewPage {...overview} {...{ range, retried, settings, now }} />,
    })
  })
  .post(
    '/operations/retry',
    requireAdministrator(),
    validate('form', z.object({ code: ReasonCode })),
    async (c) => {
      const { code } = c.req.valid('form')
      const items = await retryTransfers(operatorOf(c), { status: 'failed', code })
      return c.redirect(`/operations?${new URLSearchParams({ retried: String(items), code })}`, 303)
    },
  )
  .get(
    '/operations/audit',
    requireAdministrator(),
    validate('query', z.object({ before: z.catch(z.optional(cursorText), undefined) })),
    async (c) => {
      const { db, caller, now } = c.var
      const { before } = c.req.valid('query')
      const { account, ...log } = await readAudit(db, caller, before)
      return page(c, {
        title: 'Audit log',
        account,
        styles,
        children: <Audit {...log} isFirstPage={before === undefined} now={now} />,
      })
    },
  )
  .get(
    '/operations/search',
    requireAdministrator(),
    validate('query', z.object({ q: text })),
    async (c) => {
      const { db, caller, settings } = c.var
      const { q } = c.req.valid('query')
      const found = await search(db, caller, q)
      const only = onlyItemIn(found)
      if (only) return c.redirect(`/operations/transfers/${only.id}`, 303)
      const { account, ...results } = found
      return page(c, {
        title: 'Search',
        account,
        styles,
        children: <Results {...results} q={q} settings={settings} />,
      })
    },
  )
  .get(
    '/operations/transfers/:id',
    requireAdministrator(),
    validate('param', TransferId),
    validate('query', TransferNotice),
    async (c) => {
      const { db, caller, settings, now } = c.var
      const { id } = c.req.valid('param')
      const { notice } = c.req.valid('query')
      const { account, ...history } = await readTransfer(db, caller, settings, id)
      return page(c, {
        title: `Transfer ${id}`,
        account,
        styles,
        scripts: ['dialog.js'],
        children: <TransferPage {...history} {...{ id, notice, settings, now }} />,
      })
    },
  )
  .post(
    '/operations/transfers/:id/retry',
    requireAdministrator(),
    validate('param', TransferId),
    async (c) => {
      const { id } = await retryTransfer(operatorOf(c), c.req.valid('param').id)
      return c.redirect(`/operations/transfers/${id}?notice=retried`, 303)
    },
  )
  .post(
    '/operations/transfers/:id/cancel',
    requireAdministrator(),
    validate('param', TransferId),
    async (c) => {
      const { id } = await cancelTransfer(operatorOf(c), c.req.valid('param').id)
      return c.redirect(`/operations/transfers/${id}?notice=cancelled`, 303)
    },
  )

function operatorOf(c: Context<AppWithCaller>): Operator {
  const { db, caller, now, settings } = c.var
  return { db, queue: c.env.DELIVERIES, caller, networks: settings.NETWORKS, now }
}

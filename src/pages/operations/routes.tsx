/** The pages for operators. Only administrators see them. */
import { type Context, Hono } from 'hono'
import * as z from 'zod'
import { changeTransfer, changeTransfers } from '../../delivery/admin/actions.ts'
import { ReasonCode, TransferId } from '../../delivery/admin/schema.ts'
import type { App } from '../../http/context.ts'
import { type AppWithCaller, requireAdministrator, validate } from '../../http/endpoint.ts'
import { inputText } from '../../http/inputs.ts'
import { readOverview } from '../../operations/overview.ts'
import { onlyItemIn, search } from '../../operations/search.ts'
import { readTransferHistory } from '../../operations/transfer-history.ts'
import { page } from '../page.tsx'
import { OverviewPage } from './overview.tsx'
import { Results } from './search.tsx'
import { TransferPage } from './transfer.tsx'

const text = inputText(255).trim().min(1)

const OverviewQuery = z.object({
  range: z.enum(['hours', 'days']).catch('hours'),
  /** The number and the reason code of the transfers that the form before has retried. */
  retried: z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number)
    .optional()
    .catch(undefined),
  code: ReasonCode.optional().catch(undefined),
})

const TransferNotice = z.object({
  notice: z.enum(['retried', 'cancelled', 'written-off']).optional().catch(undefined),
})

const styles = ['operations.css']

const transferId = validate('param', TransferId)

/** Routes of the pages for operators. */
export const operationRoutes = new Hono<App>()
  .get('/operations', requireAdministrator(), validate('query', OverviewQuery), async (c) => {
    const { range, retried: items, code } = c.req.valid('query')
    const { account, ...overview } = await readOverview(c.var)
    const retried = items !== undefined && code ? { items, code } : undefined
    return page(c, {
      title: 'Operations',
      account,
      styles,
      scripts: ['dialog.js', 'plots.js'],
      children: <OverviewPage {...overview} {...{ range, retried }} />,
    })
  })
  .post(
    '/operations/retry',
    requireAdministrator(),
    validate('form', z.object({ code: ReasonCode })),
    async (c) => {
      const { code } = c.req.valid('form')
      const items = await changeTransfers(withQueue(c), {
        action: 'retry',
        status: 'failed',
        code,
      })
      return c.redirect(`/operations?${new URLSearchParams({ retried: String(items), code })}`, 303)
    },
  )
  .get(
    '/operations/search',
    requireAdministrator(),
    validate('query', z.object({ q: text })),
    async (c) => {
      const { q } = c.req.valid('query')
      const found = await search(c.var, { text: q })
      const only = onlyItemIn(found)
      if (only) return c.redirect(`/operations/transfers/${only.id}`, 303)
      const { account, ...results } = found
      return page(c, {
        title: 'Search',
        account,
        styles,
        children: <Results {...results} q={q} />,
      })
    },
  )
  .get(
    '/operations/transfers/:id',
    requireAdministrator(),
    transferId,
    validate('query', TransferNotice),
    async (c) => {
      const { id } = c.req.valid('param')
      const { notice } = c.req.valid('query')
      const { account, ...history } = await readTransferHistory(c.var, { id })
      return page(c, {
        title: `Transfer ${id}`,
        account,
        styles,
        scripts: ['dialog.js'],
        children: <TransferPage {...history} {...{ id, notice }} />,
      })
    },
  )
  .post('/operations/transfers/:id/retry', requireAdministrator(), transferId, async (c) => {
    const { id } = c.req.valid('param')
    await changeTransfer(withQueue(c), { id, action: 'retry' })
    return c.redirect(`/operations/transfers/${id}?notice=retried`, 303)
  })
  .post('/operations/transfers/:id/cancel', requireAdministrator(), transferId, async (c) => {
    const { id } = c.req.valid('param')
    await changeTransfer(withQueue(c), { id, action: 'cancel' })
    return c.redirect(`/operations/transfers/${id}?notice=cancelled`, 303)
  })
  .post(
    '/operations/transfers/:id/write-off',
    requireAdministrator(),
    transferId,
    validate('form', z.object({ returnPieces: z.literal('on').optional() })),
    async (c) => {
      const { id } = c.req.valid('param')
      const { returnPieces } = c.req.valid('form')
      await changeTransfer(withQueue(c), { id, action: 'write_off', returnPieces: !!returnPieces })
      return c.redirect(`/operations/transfers/${id}?notice=written-off`, 303)
    },
  )

const withQueue = (c: Context<AppWithCaller>) => ({ ...c.var, queue: c.env.DELIVERIES })

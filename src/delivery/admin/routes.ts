import { type Context, Hono } from 'hono'
import { readAs } from '../../auth/access.ts'
import type { App } from '../../http/context.ts'
import { type AppWithCaller, requireMaster, validate } from '../../http/endpoint.ts'
import {
  cancelTransfer,
  cancelTransfers,
  type Operator,
  retryTransfer,
  retryTransfers,
} from './change.ts'
import { Cancellable, Retryable, TransferId, TransferQuery } from './input.ts'
import type { Transfer } from './openapi.ts'
import { pageOf, type View } from './operator.ts'

const toTransfer = (view: View): Transfer => ({
  ...view,
  transactions: JSON.parse(view.transactions),
})

const operatorOf = ({
  env,
  var: { db, caller, now, settings },
}: Context<AppWithCaller>): Operator => ({
  db,
  queue: env.DELIVERIES,
  caller,
  networks: settings.NETWORKS,
  now,
})

export const deliveryRoutes = new Hono<App>()
  .get('/api/admin/transfers', requireMaster(), validate('query', TransferQuery), async (c) => {
    const { db, caller } = c.var
    const { cursor = 0, limit, ...filter } = c.req.valid('query')
    const [rows] = await readAs(db, caller, [pageOf(db, { ...filter, cursor, limit: limit + 1 })])
    const page = rows.slice(0, limit)
    const nextCursor = rows.length > limit ? `${page.at(-1)?.id}` : null
    return c.json({ transfers: page.map(toTransfer), nextCursor })
  })
  .post('/api/admin/transfers/retry', requireMaster(), validate('query', Retryable), async (c) =>
    c.json({ changed: await retryTransfers(operatorOf(c), c.req.valid('query')) }),
  )
  .post('/api/admin/transfers/cancel', requireMaster(), validate('query', Cancellable), async (c) =>
    c.json({ changed: await cancelTransfers(operatorOf(c), c.req.valid('query')) }),
  )
  .post(
    '/api/admin/transfers/:id/retry',
    requireMaster(),
    validate('param', TransferId),
    async (c) => {
      const view = await retryTransfer(operatorOf(c), c.req.valid('param').id)
      return c.json({ transfer: toTransfer(view) })
    },
  )
  .post(
    '/api/admin/transfers/:id/cancel',
    requireMaster(),
    validate('param', TransferId),
    async (c) => {
      const view = await cancelTransfer(operatorOf(c), c.req.valid('param').id)
      return c.json({ transfer: toTransfer(view) })
    },
  )

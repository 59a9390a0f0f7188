import { Hono } from 'hono'
import { readAs, writeAs } from '../auth/access.ts'
import type { Database, Statement } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import type { App, Caller } from '../http/context.ts'
import { requireMaster, validate } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import { Cancellable, Retryable, TransferId, TransferQuery } from './input.ts'
import type { Transfer } from './openapi.ts'
import {
  cancel,
  isArchived,
  isMissing,
  type Objection,
  objectionsToCancel,
  objectionsToRetry,
  pageOf,
  retryStatements,
  type View,
  viewOf,
} from './operator.ts'
import { wake } from './wake.ts'

const toTransfer = (view: View): Transfer => ({
  ...view,
  transactions: JSON.parse(view.transactions),
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
  .post('/api/admin/transfers/retry', requireMaster(), validate('query', Retryable), async (c) => {
    const { db, caller, now, settings } = c.var
    const statements = retryStatements(db, c.req.valid('query'), settings.NETWORKS, now)
    const [changed] = await writeAs(db, caller, [], statements)
    await wakeChanged(c.env.DELIVERIES, changed)
    return c.json({ changed: changed.length })
  })
  .post(
    '/api/admin/transfers/cancel',
    requireMaster(),
    validate('query', Cancellable),
    async (c) => {
      const { db, caller, now, settings } = c.var
      const statement = cancel(db, c.req.valid('query'), settings.NETWORKS, now)
      const [changed] = await writeAs(db, caller, [], [statement])
      await wakeChanged(c.env.DELIVERIES, changed)
      return c.json({ changed: changed.length })
    },
  )
  .post(
    '/api/admin/transfers/:id/retry',
    requireMaster(),
    validate('param', TransferId),
    async (c) => {
      const { db, caller, now, settings } = c.var
      const { id } = c.req.valid('param')
      const statements = retryStatements(db, { id }, settings.NETWORKS, now)
      const objections = objectionsToRetry(id, settings.NETWORKS)
      const view = await change(db, caller, id, objections, statements)
      await wakeChanged(c.env.DELIVERIES, [view])
      return c.json({ transfer: toTransfer(view) })
    },
  )
  .post(
    '/api/admin/transfers/:id/cancel',
    requireMaster(),
    validate('param', TransferId),
    async (c) => {
      const { db, caller, now, settings } = c.var
      const { id } = c.req.valid('param')
      const statements = [cancel(db, { id }, settings.NETWORKS, now)]
      const objections = objectionsToCancel(id, settings.NETWORKS)
      const view = await change(db, caller, id, objections, statements)
      await wakeChanged(c.env.DELIVERIES, [view])
      return c.json({ transfer: toTransfer(view) })
    },
  )

const wakeChanged = (queue: Env['DELIVERIES'], rows: readonly { chainId: number | null }[]) =>
  wake(
    queue,
    rows.flatMap(({ chainId }) => chainId ?? []),
  )

/** Check, change and answer, in one trip. */
async function change(
  db: Database,
  caller: Caller,
  id: number,
  objections: readonly Objection[],
  statements: readonly Statement[],
): Promise<View> {
  const unknown = () => new ApiError('not_found', 'there is no transfer with this id')
  const conflict = ({ when, reason }: Objection): Guard => ({
    when,
    error: () => new ApiError('conflict', reason),
  })
  const guards = [
    conflict({ when: isArchived(id), reason: 'the order is archived' }),
    { when: isMissing(id), error: unknown },
    ...objections.map(conflict),
  ]
  const results = await writeAs(db, caller, guards, [...statements, viewOf(db, id)] as const)
  const view = results.at(-1)?.[0]
  if (!view) throw unknown()
  return view
}

/** What operators do with a master token. The id of a transfer is that of its order item. */
import { type Context, Hono } from 'hono'
import type { App } from '../../http/context.ts'
import { type AppWithCaller, requireMaster, validate } from '../../http/endpoint.ts'
import { changeTransfer, changeTransfers } from './actions.ts'
import { Selections, TransferId, TransferQuery, WriteOff } from './schema.ts'
import { listTransfers } from './transfers.ts'

const transferId = validate('param', TransferId)

export const deliveryRoutes = new Hono<App>().get(
  '/api/admin/transfers',
  requireMaster('listTransfers'),
  validate('query', TransferQuery),
  async (c) => c.json(await listTransfers(c.var, c.req.valid('query'))),
)

for (const action of ['retry', 'cancel'] as const)
  deliveryRoutes
    .post(
      `/api/admin/transfers/${action}`,
      requireMaster(`${action}Transfers`),
      validate('query', Selections[action]),
      async (c) => {
        const change = { ...c.req.valid('query'), action }
        return c.json({ changed: await changeTransfers(withQueue(c), change) })
      },
    )
    .post(
      `/api/admin/transfers/:id/${action}`,
      requireMaster(`${action}Transfer`),
      transferId,
      async (c) => {
        const change = { ...c.req.valid('param'), action }
        return c.json({ transfer: await changeTransfer(withQueue(c), change) })
      },
    )

deliveryRoutes.post(
  '/api/admin/transfers/:id/write-off',
  requireMaster('writeOffTransfer'),
  transferId,
  validate('json', WriteOff),
  async (c) => {
    const change = {
      ...c.req.valid('param'),
      ...c.req.valid('json'),
      action: 'write_off',
    } as const
    return c.json({ transfer: await changeTransfer(withQueue(c), change) })
  },
)

const withQueue = (c: Context<AppWithCaller>) => ({ ...c.var, queue: c.env.DELIVERIES })

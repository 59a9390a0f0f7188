/** What operators do with a master token. The id of a transfer is that of its order item. */
import type { Context } from 'hono'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { changeTransfer, changeTransfers } from './actions.ts'
import { Selections, TransferId, TransferQuery, WriteOff } from './schema.ts'
import { listTransfers } from './transfers.ts'

export const deliveryRoutes = new Endpoints().get(
  '/api/admin/transfers',
  {
    id: 'listTransfers',
    access: 'master',
    reads: 'nearest',
    isStrict: true,
    input: { query: TransferQuery },
  },
  async (c, { query }) => c.json(await listTransfers(c.var, query)),
)

for (const action of ['retry', 'cancel'] as const)
  deliveryRoutes
    .post(
      `/api/admin/transfers/${action}`,
      {
        id: `${action}Transfers`,
        access: 'master',
        reads: 'primary',
        isStrict: true,
        input: { query: Selections[action] },
      },
      async (c, { query }) => {
        const change = { ...query, action }
        return c.json({ changed: await changeTransfers(withQueue(c), change) })
      },
    )
    .post(
      `/api/admin/transfers/:id/${action}`,
      {
        id: `${action}Transfer`,
        access: 'master',
        reads: 'primary',
        isStrict: true,
        input: { param: TransferId },
      },
      async (c, { param }) => {
        const change = { ...param, action }
        return c.json({ transfer: await changeTransfer(withQueue(c), change) })
      },
    )

deliveryRoutes.post(
  '/api/admin/transfers/:id/write-off',
  {
    id: 'writeOffTransfer',
    access: 'master',
    reads: 'primary',
    isStrict: true,
    input: { param: TransferId, json: WriteOff },
  },
  async (c, { param, json }) => {
    const change = {
      ...param,
      ...json,
      action: 'write_off',
    } as const
    return c.json({ transfer: await changeTransfer(withQueue(c), change) })
  },
)

const withQueue = (c: Context<AppWithCaller>) => ({ ...c.var, queue: c.env.DELIVERIES })

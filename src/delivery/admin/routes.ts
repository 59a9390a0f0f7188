/** What operators do with a master token. The id of a transfer is that of its order item. */
import { type Context, Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../../http/context.ts'
import { type AppWithCaller, requireMaster, validate } from '../../http/endpoint.ts'
import { count, orNull, text } from '../../http/fields.ts'
import { describeOperations } from '../../http/openapi.ts'
import { changeTransfer, changeTransfers, MAX_CHANGED } from './actions.ts'
import { Cancellable, Retryable, Transfer, TransferId, TransferQuery, WriteOff } from './schema.ts'
import { listTransfers } from './transfers.ts'

const transferId = validate('param', TransferId)

export const deliveryRoutes = new Hono<App>()
  .get(
    '/api/admin/transfers',
    requireMaster('listTransfers'),
    validate('query', TransferQuery),
    async (c) => c.json(await listTransfers(c.var, c.req.valid('query'))),
  )
  .post(
    '/api/admin/transfers/retry',
    requireMaster('retryTransfers'),
    validate('query', Retryable),
    async (c) => {
      const change = { ...c.req.valid('query'), action: 'retry' } as const
      return c.json({ changed: await changeTransfers(withQueue(c), change) })
    },
  )
  .post(
    '/api/admin/transfers/cancel',
    requireMaster('cancelTransfers'),
    validate('query', Cancellable),
    async (c) => {
      const change = { ...c.req.valid('query'), action: 'cancel' } as const
      return c.json({ changed: await changeTransfers(withQueue(c), change) })
    },
  )
  .post('/api/admin/transfers/:id/retry', requireMaster('retryTransfer'), transferId, async (c) => {
    const change = { ...c.req.valid('param'), action: 'retry' } as const
    return c.json({ transfer: await changeTransfer(withQueue(c), change) })
  })
  .post(
    '/api/admin/transfers/:id/cancel',
    requireMaster('cancelTransfer'),
    transferId,
    async (c) => {
      const change = { ...c.req.valid('param'), action: 'cancel' } as const
      return c.json({ transfer: await changeTransfer(withQueue(c), change) })
    },
  )
  .post(
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

/* @__PURE__ */ describeOperations('Transfers', () => {
  const Transfers = z
    .object({
      transfers: z.array(Transfer).describe('The transfers, by id.'),
      nextCursor: orNull(text('The next `cursor`; null on the last page.')),
    })
    .meta({ id: 'Transfers', description: 'A page of transfers.' })
  const ChangedTransfers = z
    .object({ changed: count(`Number of items that were changed, at most ${MAX_CHANGED}.`) })
    .meta({ id: 'ChangedTransfers', description: 'How many items were changed.' })
  const ChangedTransfer = z
    .object({ transfer: Transfer })
    .meta({ id: 'ChangedTransfer', description: 'The transfer after the change.' })

  const retryDescription =
    'Queues failed items again; queued items are looked at immediately. An item that a transaction ' +
    'carries is not changed.'
  const cancelDescription =
    'Uses up the delivery key on the chain. The item becomes `cancelled` once that is final, and its ' +
    'pieces return to the stock; it becomes `transferred` if it was delivered before. Refund an ' +
    'order only when its item is cancelled.'
  const repeat = `Changes at most ${MAX_CHANGED} items: repeat the call until it changes none.`
  return {
    listTransfers: {
      summary: 'List transfers',
      description: 'Returns the deliveries of order items in the order of their ids, in pages.',
      answer: Transfers,
    },
    retryTransfers: {
      summary: 'Retry many transfers',
      description: `${retryDescription} ${repeat}`,
      answer: ChangedTransfers,
    },
    cancelTransfers: {
      summary: 'Cancel many transfers',
      description: `${cancelDescription} ${repeat}`,
      answer: ChangedTransfers,
    },
    retryTransfer: {
      summary: 'Retry a transfer',
      description: retryDescription,
      answer: ChangedTransfer,
      errors: ['not_found', 'conflict'],
    },
    cancelTransfer: {
      summary: 'Cancel a transfer',
      description: cancelDescription,
      answer: ChangedTransfer,
      errors: ['not_found', 'conflict'],
    },
    writeOffTransfer: {
      summary: 'Write off a transfer',
      description:
        'Closes a failed transfer whose delivery key is used up, with the `reasonCode` ' +
        '`key_used_for_other_delivery` or `token_moved_nothing`: neither retrying nor cancelling ' +
        'can change it. The item stays failed.',
      answer: ChangedTransfer,
      errors: ['not_found', 'conflict'],
    },
  }
})

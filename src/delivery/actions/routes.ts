/** What operators do with a master token. The id of a transfer is that of its order item. */
import type { Context } from 'hono'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { operatorLimits } from '../../limits.ts'
import { changeTransfer, changeTransfers } from './actions.ts'
import {
  ChangedTransfer,
  ChangedTransfers,
  Selections,
  TransferId,
  TransferQuery,
  Transfers,
  WriteOff,
} from './schema.ts'
import { listTransfers } from './transfers.ts'

const retryDescription =
  'Queues failed items again; queued items are looked at immediately. An item that a transaction ' +
  'carries is not changed.'
const cancelDescription =
  'Uses up the delivery key on the chain. The item becomes `cancelled` once that is final, and its ' +
  'pieces return to the stock; it becomes `transferred` if it was delivered before. Refund an ' +
  'order only when its item is cancelled.'
const repeat = `Changes at most ${operatorLimits.changed.max} items: repeat the call until it changes none.`

export const deliveryRoutes = new Endpoints({ tag: 'Transfers', isStrict: true })
  .get(
    '/api/admin/transfers',
    {
      id: 'listTransfers',
      summary: 'List transfers',
      description: 'Returns the deliveries of order items in the order of their ids, in pages.',
      access: 'master',
      reads: 'nearest',
      input: { query: TransferQuery },
      answer: Transfers,
    },
    (c, { query }) => listTransfers(c.var, query),
  )
  .post(
    '/api/admin/transfers/retry',
    {
      id: 'retryTransfers',
      summary: 'Retry many transfers',
      description: `${retryDescription} ${repeat}`,
      access: 'master',
      reads: 'primary',
      input: { query: Selections.retry },
      answer: ChangedTransfers,
    },
    async (c, { query }) => ({
      changed: await changeTransfers(withQueue(c), { ...query, action: 'retry' }),
    }),
  )
  .post(
    '/api/admin/transfers/:id/retry',
    {
      id: 'retryTransfer',
      summary: 'Retry a transfer',
      description: retryDescription,
      access: 'master',
      reads: 'primary',
      input: { param: TransferId },
      answer: ChangedTransfer,
      errors: ['not_found', 'conflict'],
    },
    async (c, { param: { id } }) => ({
      transfer: await changeTransfer(withQueue(c), { id, action: 'retry' }),
    }),
  )
  .post(
    '/api/admin/transfers/cancel',
    {
      id: 'cancelTransfers',
      summary: 'Cancel many transfers',
      description: `${cancelDescription} ${repeat}`,
      access: 'master',
      reads: 'primary',
      input: { query: Selections.cancel },
      answer: ChangedTransfers,
    },
    async (c, { query }) => ({
      changed: await changeTransfers(withQueue(c), { ...query, action: 'cancel' }),
    }),
  )
  .post(
    '/api/admin/transfers/:id/cancel',
    {
      id: 'cancelTransfer',
      summary: 'Cancel a transfer',
      description: cancelDescription,
      access: 'master',
      reads: 'primary',
      input: { param: TransferId },
      answer: ChangedTransfer,
      errors: ['not_found', 'conflict'],
    },
    async (c, { param: { id } }) => ({
      transfer: await changeTransfer(withQueue(c), { id, action: 'cancel' }),
    }),
  )
  .post(
    '/api/admin/transfers/:id/write-off',
    {
      id: 'writeOffTransfer',
      summary: 'Write off a transfer',
      description:
        'Closes a failed transfer whose delivery key is used up, with the `reasonCode` ' +
        '`key_used_for_other_delivery` or `token_moved_nothing`: neither retrying nor cancelling ' +
        'can change it. The item stays failed.',
      access: 'master',
      reads: 'primary',
      input: { param: TransferId, json: WriteOff },
      answer: ChangedTransfer,
      errors: ['not_found', 'conflict'],
    },
    async (c, { param: { id }, json: { returnPieces } }) => ({
      transfer: await changeTransfer(withQueue(c), { id, action: 'write_off', returnPieces }),
    }),
  )

const withQueue = (c: Context<AppWithCaller>) => ({ ...c.var, queue: c.env.DELIVERIES })

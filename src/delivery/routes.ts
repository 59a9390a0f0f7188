import { Hono } from 'hono'
import * as z from 'zod'
import { readAs, writeAs } from '../auth/access.ts'
import type { Database, Statement } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import { deliveryStates } from '../db/schema.ts'
import type { App, Caller } from '../http/context.ts'
import { requireMaster, validate } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import {
  address,
  bool,
  count,
  hash,
  id,
  orNull,
  positive,
  text,
  time,
  timestamps,
} from '../http/fields.ts'
import { cursorText, idText, limitText } from '../http/ids.ts'
import { lazy } from '../http/lazy.ts'
import {
  cancel,
  isMissing,
  MAX_CHANGED,
  type Objection,
  objectionsToCancel,
  objectionsToRetry,
  pageOf,
  retryStatements,
  type View,
  viewOf,
} from './operator.ts'
import { wake } from './wake.ts'

const tag = 'Transfers'

const Transaction = lazy(() =>
  z
    .object({
      hash: hash('Transaction hash.'),
      contract: address('Address of the Delivery contract.'),
      signer: address('Address of the relayer.'),
      nonce: count('Nonce of the relayer.'),
      block: orNull(count('Number of its block; null while it has none.')),
      isOpen: bool('Whether the transaction is not final yet.'),
      createdAt: time('Time of signing.'),
    })
    .meta({ id: 'Transaction', description: 'A transaction of the Delivery contract.' }),
)
const TransferStatus = z.enum(deliveryStates).meta({
  id: 'TransferStatus',
  description:
    '`awaiting_wallet`: the buyer has no wallet. `queued`: to be sent. `in_flight`: sent, not ' +
    'final yet. `transferred`: the buyer has the NFT. `failed`: cancelled, or not deliverable.',
})
const Transfer = lazy(() =>
  z
    .object({
      id: id('The id of the order item.'),
      orderId: id('Id of the order.'),
      network: text('Name of the network, as in `contractNetwork` of the NFT.'),
      chainId: orNull(positive('Id of the chain; null if it was not configured.')),
      quantity: positive('Number of pieces.'),
      status: TransferStatus.describe('State of the delivery.'),
      key: hash('The delivery key: the contract uses it at most once.'),
      contract: orNull(
        address('Address of the Delivery contract; null before the first transaction.'),
      ),
      wish: z.enum(['deliver', 'cancel']).describe('What is to be done with the key.'),
      reason: orNull(text('Why the item failed, or what it waits for.')),
      tries: count('Transactions in which the transfer failed.'),
      txId: orNull(hash('Hash of the newest transaction with the item.')),
      failingSince: orNull(time('Since when the item cannot be delivered.')),
      dueAt: orNull(time('Time of the next step; null if none is planned.')),
      ...timestamps(),
      transactions: z
        .array(Transaction())
        .describe('The newest transaction with the item, if any.'),
    })
    .meta({ id: 'Transfer', description: 'The delivery of an order item.' }),
)
const toTransfer = (view: View): z.infer<ReturnType<typeof Transfer>> => ({
  ...view,
  transactions: JSON.parse(view.transactions),
})

const Id = z.object({ id: idText.describe('The id of the order item.') })
const selectsStatus = 'Selects items with this status.'
const Query = z.object({
  status: TransferStatus.optional().describe(selectsStatus),
  reason: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Selects items whose reason begins with this text.'),
  cursor: cursorText.optional().describe('The `nextCursor` of the previous page.'),
  limit: limitText(50).describe('Transfers per page.'),
})
const Retryable = Query.pick({ reason: true }).extend({
  status: TransferStatus.extract(['queued', 'failed']).describe(selectsStatus),
})
const Cancellable = Query.pick({ reason: true }).extend({
  status: TransferStatus.exclude(['transferred']).describe(selectsStatus),
})

const changedAnswer = lazy(() =>
  z
    .object({
      changed: count(`Number of items that were changed, at most ${MAX_CHANGED}.`),
    })
    .meta({ id: 'ChangedTransfers', description: 'How many items were changed.' }),
)
const transferAnswer = lazy(() =>
  z
    .object({ transfer: Transfer() })
    .meta({ id: 'ChangedTransfer', description: 'The transfer after the change.' }),
)
const repeat = `Changes at most ${MAX_CHANGED} items: repeat the call until it changes none.`

const retryDescription =
  'Queues failed items again; queued items are looked at immediately. An item that a transaction ' +
  'carries is not changed.'
const cancelDescription =
  'Uses up the delivery key on the chain. The item becomes `failed` with the reason `cancelled` ' +
  'once that is final, and its pieces return to the stock; it becomes `transferred` if it was ' +
  'delivered before. Refund an order only when its item is cancelled.'

export const deliveryRoutes = new Hono<App>()
  .get(
    '/api/admin/transfers',
    requireMaster({
      tag,
      operationId: 'listTransfers',
      summary: 'List transfers',
      description: 'Returns the deliveries of order items in the order of their ids, in pages.',
      answer: () =>
        z
          .object({
            transfers: z.array(Transfer()).describe('The transfers, by id.'),
            nextCursor: orNull(text('The next `cursor`; null on the last page.')),
          })
          .meta({ id: 'Transfers', description: 'A page of transfers.' }),
    }),
    validate('query', Query),
    async (c) => {
      const { db, caller } = c.var
      const { cursor = 0, limit, ...filter } = c.req.valid('query')
      const [rows] = await readAs(db, caller, [pageOf(db, { ...filter, cursor, limit: limit + 1 })])
      const page = rows.slice(0, limit)
      const nextCursor = rows.length > limit ? `${page.at(-1)?.id}` : null
      return c.json({ transfers: page.map(toTransfer), nextCursor })
    },
  )
  .post(
    '/api/admin/transfers/retry',
    requireMaster({
      tag,
      operationId: 'retryTransfers',
      summary: 'Retry many transfers',
      description: `${retryDescription} ${repeat}`,
      answer: changedAnswer,
    }),
    validate('query', Retryable),
    async (c) => {
      const { db, caller, now, settings } = c.var
      const statements = retryStatements(db, c.req.valid('query'), settings.NETWORKS, now)
      const [changed] = await writeAs(db, caller, [], statements)
      await wakeChanged(c.env.DELIVERIES, changed)
      return c.json({ changed: changed.length })
    },
  )
  .post(
    '/api/admin/transfers/cancel',
    requireMaster({
      tag,
      operationId: 'cancelTransfers',
      summary: 'Cancel many transfers',
      description: `${cancelDescription} ${repeat}`,
      answer: changedAnswer,
    }),
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
    requireMaster({
      tag,
      operationId: 'retryTransfer',
      summary: 'Retry a transfer',
      description: retryDescription,
      answer: transferAnswer,
      errors: ['not_found', 'conflict'],
    }),
    validate('param', Id),
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
    requireMaster({
      tag,
      operationId: 'cancelTransfer',
      summary: 'Cancel a transfer',
      description: cancelDescription,
      answer: transferAnswer,
      errors: ['not_found', 'conflict'],
    }),
    validate('param', Id),
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
  const guards: Guard[] = [
    { when: isMissing(id), error: unknown },
    ...objections.map(({ when, reason }) => ({
      when,
      error: () => new ApiError('conflict', reason),
    })),
  ]
  const results = await writeAs(db, caller, guards, [...statements, viewOf(db, id)] as const)
  const view = results.at(-1)?.[0]
  if (!view) throw unknown()
  return view
}

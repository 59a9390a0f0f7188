import { Hono } from 'hono'
import * as z from 'zod'
import { readAs, writeAs } from '../auth/access.ts'
import type { Database, Statement } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import { deliveryStates } from '../db/schema.ts'
import type { App, Caller } from '../http/context.ts'
import { requireMaster, validate } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import { idText } from '../http/ids.ts'
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

const tag = 'Operation'

const Transaction = lazy(() =>
  z.object({
    hash: z.string().describe('Transaction hash.'),
    contract: z.string().describe('Address of the Delivery contract.'),
    signer: z.string().describe('Address of the relayer.'),
    nonce: z.int().describe('Nonce of the relayer.'),
    block: z.int().nullable().describe('Number of its block; null while it has none.'),
    isOpen: z.boolean().describe('Whether the transaction is not final yet.'),
    createdAt: z.string().describe('Time of signing.'),
  }),
)
const Transfer = lazy(() =>
  z
    .object({
      id: z.int().describe('The id of the order item.'),
      orderId: z.int().describe('Id of the order.'),
      network: z.string().describe('Name of the network, as in `contractNetwork` of the NFT.'),
      chainId: z.int().nullable().describe('Id of the chain; null if it was not configured.'),
      quantity: z.int().describe('Number of pieces.'),
      status: z.enum(deliveryStates).describe('State of the delivery.'),
      key: z.string().describe('The delivery key: the contract uses it at most once.'),
      contract: z
        .string()
        .nullable()
        .describe('Address of the Delivery contract; null before the first transaction.'),
      wish: z.enum(['deliver', 'cancel']).describe('What is to be done with the key.'),
      reason: z.string().nullable().describe('Why the item failed, or what it waits for.'),
      tries: z.int().describe('Transactions in which the transfer failed.'),
      txId: z.string().nullable().describe('Hash of the newest transaction with the item.'),
      failingSince: z.string().nullable().describe('Since when the item cannot be delivered.'),
      dueAt: z.string().nullable().describe('Time of the next step; null if none is planned.'),
      createdAt: z.string().describe('Time of creation.'),
      updatedAt: z.string().describe('Time of the last change.'),
      transactions: z
        .array(Transaction())
        .describe('The newest transaction with the item, if any.'),
    })
    .meta({ id: 'Transfer', description: 'The delivery of an order item.' }),
)
const toTransfer = (view: View): z.infer<ReturnType<typeof Transfer>> => ({
  ...view,
  transactions: z.array(Transaction()).parse(JSON.parse(view.transactions)),
})

const Id = z.object({ id: idText.describe('The id of the order item.') })
const Query = z.object({
  status: z.enum(deliveryStates).optional().describe('Selects items with this status.'),
  reason: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Selects items whose reason begins with this text.'),
  cursor: idText.optional().describe('The `nextCursor` of the previous page.'),
  limit: idText.pipe(z.int().max(100)).optional().describe('Transfers per page; 50 by default.'),
})
const Retryable = Query.pick({ reason: true }).extend({
  status: z.enum(['queued', 'failed']).describe('Selects items with this status.'),
})
const Cancellable = Query.pick({ reason: true }).extend({
  status: z
    .enum(deliveryStates)
    .exclude(['transferred'])
    .describe('Selects items with this status.'),
})

const changedAnswer = () =>
  z.object({
    changed: z.int().describe(`Number of items that were changed, at most ${MAX_CHANGED}.`),
  })
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
      summary: 'List transfers',
      description: 'Returns the deliveries of order items in the order of their ids, in pages.',
      answer: () =>
        z.object({
          transfers: z.array(Transfer()).describe('The transfers, by id.'),
          nextCursor: z.string().nullable().describe('The next `cursor`; null on the last page.'),
        }),
    }),
    validate('query', Query),
    async (c) => {
      const { db, caller } = c.var
      const { cursor = 0, limit = 50, ...filter } = c.req.valid('query')
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
      summary: 'Retry a transfer',
      description: retryDescription,
      answer: () => z.object({ transfer: Transfer() }),
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
      summary: 'Cancel a transfer',
      description: cancelDescription,
      answer: () => z.object({ transfer: Transfer() }),
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

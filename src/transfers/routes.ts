import { Hono } from 'hono'
import * as z from 'zod'
import { readAs, writeAs } from '../auth/access.ts'
import type { Database, Statement } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import { transferStatuses } from '../db/schema.ts'
import type { App, Caller } from '../http/context.ts'
import { requireMaster, validate } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import { idText } from '../http/ids.ts'
import { lazy } from '../http/lazy.ts'
import { announce } from './message.ts'
import {
  beginAgain,
  cancel,
  filters,
  isMissing,
  type Objection,
  objectionsToCancel,
  objectionsToRetry,
  pageOf,
  type View,
  viewOf,
} from './operator.ts'

const tag = 'Operation'

const Transaction = lazy(() =>
  z.object({
    hash: z.string().describe('Transaction hash.'),
    chainId: z.int().describe('Id of the chain.'),
    nonce: z.int().describe('Nonce of the signer.'),
    generation: z.int().describe('The generation of the transfer when the transaction was signed.'),
    attempt: z.int().describe('Counts the transactions of one nonce. Each has a higher fee.'),
    kind: z.enum(['transfer', 'cancel']).describe('What the transaction does.'),
    createdAt: z.string().describe('Time of signing.'),
  }),
)
const Transfer = lazy(() =>
  z
    .object({
      id: z.int().describe('The id of the order item.'),
      orderId: z.int().describe('Id of the order.'),
      network: z.string().describe('Name of the network, as in `contractNetwork` of the NFT.'),
      quantity: z.int().describe('Number of pieces.'),
      status: z.enum(transferStatuses).describe('State of the transfer.'),
      generation: z.int().describe('Counts the retries; each has a nonce of its own.'),
      reason: z.string().nullable().describe('Why the transfer failed or needs a review.'),
      txId: z.string().nullable().describe('Hash of the transaction that is sent or mined.'),
      dueAt: z.string().nullable().describe('Time of the next step; null if there is none.'),
      cancelRequestedAt: z.string().nullable().describe('Time of a request to cancel.'),
      deadLetteredAt: z.string().nullable().describe('Time at which the queue gave up.'),
      createdAt: z.string().describe('Time of creation.'),
      updatedAt: z.string().describe('Time of the last change.'),
      transactions: z.array(Transaction()).describe('The signed transactions, oldest first.'),
    })
    .meta({ id: 'Transfer', description: 'A transfer.' }),
)
const present = (view: View): z.infer<ReturnType<typeof Transfer>> => ({
  ...view,
  transactions: z.array(Transaction()).parse(JSON.parse(view.transactions)),
})

const Id = z.object({ id: idText.describe('The id of the order item.') })
const Query = z.object({
  status: z.enum(filters).optional().describe('Returns only transfers with this status.'),
  cursor: idText.optional().describe('The `nextCursor` of the previous page.'),
  limit: idText.pipe(z.int().max(100)).optional().describe('Transfers per page; 50 by default.'),
})

export const transferRoutes = new Hono<App>()
  .get(
    '/api/admin/transfers',
    requireMaster({
      tag,
      summary: 'List transfers',
      description:
        'Returns transfers in the order of their ids, in pages. ' +
        '`status=dead_lettered` selects transfers whose queue message failed.',
      answer: () =>
        z.object({
          transfers: z.array(Transfer()).describe('The transfers, by id.'),
          nextCursor: z.string().nullable().describe('The next `cursor`; null on the last page.'),
        }),
    }),
    validate('query', Query),
    async (c) => {
      const { db, caller } = c.var
      const { status, cursor = 0, limit = 50 } = c.req.valid('query')
      const [rows] = await readAs(db, caller, [pageOf(db, { status, cursor, limit: limit + 1 })])
      const page = rows.slice(0, limit)
      const nextCursor = rows.length > limit ? `${page.at(-1)?.id}` : null
      return c.json({ transfers: page.map(present), nextCursor })
    },
  )
  .post(
    '/api/admin/transfers/:id/retry',
    requireMaster({
      tag,
      summary: 'Retry a transfer',
      description:
        'One that failed, or is in review, begins again with a new nonce. One that is on its ' +
        'way, or that the queue gave up on, is looked at again and not changed.',
      answer: () => z.object({ transfer: Transfer() }),
      errors: ['not_found', 'conflict'],
    }),
    validate('param', Id),
    async (c) => {
      const { db, caller, now } = c.var
      const { id } = c.req.valid('param')
      const view = await change(db, caller, id, objectionsToRetry(id), beginAgain(db, id, now))
      await announce(c.env.TRANSFERS, [id])
      return c.json({ transfer: present(view) })
    },
  )
  .post(
    '/api/admin/transfers/:id/cancel',
    requireMaster({
      tag,
      summary: 'Cancel a transfer',
      description:
        'One that is not signed fails at once. For one that is, a transaction that does nothing ' +
        'is sent at the same nonce; whichever of the two is mined decides.',
      answer: () => z.object({ transfer: Transfer() }),
      errors: ['not_found', 'conflict'],
    }),
    validate('param', Id),
    async (c) => {
      const { db, caller, now } = c.var
      const { id } = c.req.valid('param')
      const view = await change(db, caller, id, objectionsToCancel(id), cancel(db, id, now))
      if (view.status !== 'failed') await announce(c.env.TRANSFERS, [id])
      return c.json({ transfer: present(view) })
    },
  )

/** Check, change and answer, in one trip. */
async function change(
  db: Database,
  caller: Caller,
  id: number,
  objections: readonly Objection[],
  statement: Statement,
): Promise<View> {
  const unknown = () => new ApiError('not_found', 'there is no transfer with this id')
  const guards: Guard[] = [
    { when: isMissing(id), error: unknown },
    ...objections.map(({ when, reason }) => ({
      when,
      error: () => new ApiError('conflict', reason),
    })),
  ]
  const [, [view]] = await writeAs(db, caller, guards, [statement, viewOf(db, id)])
  if (!view) throw unknown()
  return view
}

import { Hono } from 'hono'
import * as z from 'zod'
import type { Database, Statement } from '../db/client.ts'
import type { Refusal } from '../db/guard.ts'
import { transferStatuses } from '../db/schema.ts'
import type { App, Caller } from '../http/context.ts'
import { masters, valid } from '../http/door.ts'
import { ApiError } from '../http/errors.ts'
import { idText } from '../http/ids.ts'
import { once } from '../http/once.ts'
import { liveness, readAs, writeAs } from '../identity/caller.ts'
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

const Transaction = once(() =>
  z.object({
    hash: z.string(),
    chainId: z.int(),
    nonce: z.int(),
    generation: z.int(),
    attempt: z.int(),
    kind: z.enum(['transfer', 'cancel']),
    createdAt: z.string(),
  }),
)
const Transfer = once(() =>
  z
    .object({
      id: z.int().describe('The id of the order item.'),
      orderId: z.int(),
      network: z.string(),
      quantity: z.int(),
      status: z.enum(transferStatuses),
      generation: z.int().describe('Counts the retries; each has a nonce of its own.'),
      reason: z.string().nullable(),
      txId: z.string().nullable(),
      dueAt: z.string().nullable(),
      cancelRequestedAt: z.string().nullable(),
      deadLetteredAt: z.string().nullable(),
      createdAt: z.string(),
      updatedAt: z.string(),
      transactions: z.array(Transaction()),
    })
    .meta({ id: 'Transfer' }),
)
const present = (view: View): z.infer<ReturnType<typeof Transfer>> => ({
  ...view,
  transactions: z.array(Transaction()).parse(JSON.parse(view.transactions)),
})

const Id = z.object({ id: idText.describe('The id of the order item.') })
const Query = z.object({
  status: z.enum(filters).optional().describe('Only those.'),
  cursor: idText.optional().describe('Only those after it.'),
  limit: idText.pipe(z.int().max(100)).optional().describe('At most so many; 50 unless said.'),
})

export const transfers = new Hono<App>()
  .get(
    '/api/admin/transfers',
    masters({
      tag,
      summary: 'List transfers',
      description:
        'By id, 50 or `limit` of them; `cursor` is the `nextCursor` of the page before. ' +
        '`status=dead_lettered` are those on which the queue gave up.',
      answer: () => z.object({ transfers: z.array(Transfer()), nextCursor: z.string().nullable() }),
    }),
    valid('query', Query),
    async (c) => {
      const { db, caller } = c.var
      const { status, cursor = 0, limit = 50 } = c.req.valid('query')
      const [, rows] = await readAs(db, [
        liveness(db, caller, {}),
        pageOf(db, { status, cursor, limit: limit + 1 }),
      ])
      const page = rows.slice(0, limit)
      const nextCursor = rows.length > limit ? `${page.at(-1)?.id}` : null
      return c.json({ transfers: page.map(present), nextCursor })
    },
  )
  .post(
    '/api/admin/transfers/:id/retry',
    masters({
      tag,
      summary: 'Try a transfer again',
      description:
        'One that failed, or is in review, begins again with a new nonce. One that is on its ' +
        'way, or that the queue gave up on, is looked at again and not changed.',
      answer: () => z.object({ transfer: Transfer() }),
      errors: ['not_found', 'conflict'],
    }),
    valid('param', Id),
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
    masters({
      tag,
      summary: 'Cancel a transfer',
      description:
        'One that is not signed fails at once. For one that is, a transaction that does nothing ' +
        'is sent at the same nonce; whichever of the two is mined decides.',
      answer: () => z.object({ transfer: Transfer() }),
      errors: ['not_found', 'conflict'],
    }),
    valid('param', Id),
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
  const refusals: Refusal[] = [
    { when: isMissing(id), because: unknown },
    ...objections.map(({ when, reason }) => ({
      when,
      because: () => new ApiError('conflict', reason),
    })),
  ]
  const [, [view]] = await writeAs(db, caller, refusals, [statement, viewOf(db, id)])
  if (!view) throw unknown()
  return view
}

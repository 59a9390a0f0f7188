import { Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../http/context.ts'
import { callers, valid } from '../http/door.ts'
import { idText } from '../http/ids.ts'
import { subjectOf, UserParam } from '../identity/subject.ts'
import { deleteAddress, updateAddress } from './change.ts'
import { createAddress, kindOf } from './create.ts'
import { answers, billing, delivery, type Kind } from './kinds.ts'
import { listAddresses } from './list.ts'

const tag = 'Addresses'
const Id = z.object({ id: idText.describe('The address.') })
const Owner = {
  userId: z.int().positive().optional().describe('The caller, unless a master token asks.'),
}

const bookOf = (kind: Kind) =>
  new Hono<App>()
    .get(
      kind.listPath,
      callers({
        tag,
        summary: `List a user's ${kind.name} addresses`,
        answer: () => z.object({ [kind.list]: z.array(answers()[kind.name]) }),
        errors: ['forbidden', 'not_found'],
      }),
      valid('param', UserParam),
      async (c) => {
        const { db, caller } = c.var
        const userId = subjectOf(caller, c.req.valid('param').user_id)
        const rows = await listAddresses(db, caller, kind, userId)
        return c.json({ [kind.list]: rows.map((row) => kind.present(row)) })
      },
    )
    .put(
      kind.path,
      callers({
        tag,
        summary: `Update a ${kind.name} address`,
        description: 'A key that is absent stays as it is; null clears.',
        answer: () => z.object({ [kind.updated]: answers()[kind.name] }),
        errors: ['not_found'],
      }),
      valid('query', Id),
      valid('json', kind.changes),
      async (c) => {
        const { db, caller, now } = c.var
        const { id } = c.req.valid('query')
        const row = await updateAddress(db, caller, kind, id, c.req.valid('json'), now)
        return c.json({ [kind.updated]: kind.present(row) })
      },
    )
    .delete(
      kind.path,
      callers({
        tag,
        summary: `Delete a ${kind.name} address`,
        answer: () => z.object({ [kind.updated]: answers()[kind.name] }),
        errors: ['not_found'],
      }),
      valid('query', Id),
      async (c) => {
        const { db, caller, now } = c.var
        const row = await deleteAddress(db, caller, kind, c.req.valid('query').id, now)
        return c.json({ [kind.updated]: kind.present(row) })
      },
    )

export const addresses = new Hono<App>()
  .post(
    delivery.path,
    callers({
      tag,
      summary: 'Create a delivery or a billing address',
      description:
        'A body with a field that both kinds have and none that only a delivery address has ' +
        '(`name`, `email`, `mobilePhone`) makes a billing address. `type` says it outright. An ' +
        '`id` in the query is ignored.',
      answer: () =>
        z.union([
          z.object({ [delivery.created]: answers().delivery }),
          z.object({ [billing.created]: answers().billing }),
        ]),
      errors: ['forbidden', 'too_many_addresses'],
    }),
    valid(
      'query',
      z.object({
        type: z.enum(['delivery', 'billing']).optional().describe('The kind, outright.'),
      }),
    ),
    valid('json', delivery.fields.extend(Owner)),
    async (c) => {
      const { db, caller, now } = c.var
      const { type } = c.req.valid('query')
      const body = c.req.valid('json')
      const kind = type ? { delivery, billing }[type] : kindOf(body)
      // Cut to the fields that the kind has.
      const address = { userId: body.userId, ...kind.fields.parse(body) }
      const row = await createAddress(db, caller, kind, address, now)
      return c.json({ [kind.created]: kind.present(row) })
    },
  )
  .post(
    billing.path,
    callers({
      tag,
      summary: 'Create a billing address',
      answer: () => z.object({ [billing.created]: answers().billing }),
      errors: ['forbidden', 'too_many_addresses'],
    }),
    valid(
      'query',
      z.object({ type: z.literal('billing').optional().describe('Goes without saying.') }),
    ),
    valid('json', billing.fields.extend(Owner)),
    async (c) => {
      const { db, caller, now } = c.var
      const row = await createAddress(db, caller, billing, c.req.valid('json'), now)
      return c.json({ [billing.created]: billing.present(row) })
    },
  )
  .route('/', bookOf(delivery))
  .route('/', bookOf(billing))

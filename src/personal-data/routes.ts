import { Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../http/context.ts'
import { requireMaster, validate } from '../http/endpoint.ts'
import { docs } from '../http/fields.ts'
import { cursorText, idText } from '../http/inputs.ts'
import { readPersonalData } from './data.ts'
import { forgetPerson } from './forget.ts'

const PersonParam = z.object({ id: idText.describe(docs('The id of the user.')) })
const DataQuery = z.object({
  cursor: cursorText.optional().describe(docs('The `nextCursor` of the previous answer.')),
})

const ForgetQuery = z.object({
  dryRun: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe(docs('Whether to only check that the data can be removed.')),
})

const person = validate('param', PersonParam)

export const personalDataRoutes = new Hono<App>()
  .get(
    '/api/admin/users/:id/data',
    requireMaster('getPersonalData'),
    person,
    validate('query', DataQuery),
    async (c) => {
      const { id: userId } = c.req.valid('param')
      return c.json(await readPersonalData(c.var, { userId, ...c.req.valid('query') }))
    },
  )
  .post(
    '/api/admin/users/:id/forget',
    requireMaster('forgetPerson'),
    person,
    validate('query', ForgetQuery),
    async (c) => {
      const ctx = { ...c.var, bucket: c.env.AVATARS }
      const { dryRun: isDryRun } = c.req.valid('query')
      return c.json(await forgetPerson(ctx, { userId: c.req.valid('param').id, isDryRun }))
    },
  )

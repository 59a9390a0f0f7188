import * as z from 'zod'
import { Endpoints } from '../http/endpoint.ts'
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

export const personalDataRoutes = new Endpoints()
  .get(
    '/api/admin/users/:id/data',
    {
      id: 'getPersonalData',
      access: 'master',
      reads: 'nearest',
      isStrict: true,
      input: { param: PersonParam, query: DataQuery },
    },
    async (c, { param: { id: userId }, query }) => {
      return c.json(await readPersonalData(c.var, { userId, ...query }))
    },
  )
  .post(
    '/api/admin/users/:id/forget',
    {
      id: 'forgetPerson',
      access: 'master',
      reads: 'primary',
      isStrict: true,
      input: { param: PersonParam, query: ForgetQuery },
    },
    async (c, { param, query: { dryRun: isDryRun } }) => {
      const ctx = { ...c.var, bucket: c.env.AVATARS }
      return c.json(await forgetPerson(ctx, { userId: param.id, isDryRun }))
    },
  )

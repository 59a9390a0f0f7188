import { Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../http/context.ts'
import { requireMaster, validate } from '../http/endpoint.ts'
import { docs } from '../http/fields.ts'
import { cursorText, idText } from '../http/ids.ts'
import { describeOperations } from '../http/openapi.ts'
import { readPersonalData } from './data.ts'
import { forgetPerson } from './forget.ts'
import { ForgottenUser, PersonalData } from './schema.ts'

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

/* @__PURE__ */ describeOperations('Retention', () => ({
  getPersonalData: {
    summary: 'Get the data of a person',
    description:
      'Returns everything that is stored of a person, except responses that are stored for 24 hours, ' +
      'and whether the hash of the e-mail address is among those that want no mails about orders. ' +
      'Orders come in pages: repeat the call with `nextCursor` until that is null.',
    answer: PersonalData,
    errors: ['not_found'],
  },
  forgetPerson: {
    summary: 'Remove the data of a person',
    description:
      'Closes the account and removes its personal data: names, e-mail address, wallet, addresses, ' +
      'avatar, tokens and webhooks. Orders stay, with ids and amounts. A later sign-in with the same ' +
      'wallet or e-mail address makes a new account. Answers `conflict` for an administrator, and ' +
      'while an NFT may still be delivered to or from the user. The call can be repeated safely.',
    answer: ForgottenUser,
    errors: ['not_found', 'conflict'],
  },
}))

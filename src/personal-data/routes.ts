import * as z from 'zod'
import { Endpoints } from '../http/endpoint.ts'
import { cursorText, flagText, idText } from '../http/inputs.ts'
import { readPersonalData } from './data.ts'
import { forgetPerson } from './forget.ts'
import { ForgottenUser, PersonalData } from './schema.ts'

const PersonParam = z.object({ id: idText.describe('The id of the user.') })
const DataQuery = z.object({
  cursor: cursorText.optional().describe('The `nextCursor` of the previous answer.'),
})

const ForgetQuery = z.object({
  dryRun: flagText
    .prefault('false')
    .describe('Whether to only check that the data can be removed.'),
})

export const personalDataRoutes = new Endpoints({ tag: 'Retention', isStrict: true })
  .get(
    '/api/admin/users/:id/data',
    {
      id: 'getPersonalData',
      summary: 'Get the data of a person',
      description:
        'Returns everything that is stored of a person, except responses that are stored for 24 hours. ' +
        'Orders come in pages: repeat the call with `nextCursor` until that is null.',
      access: 'master',
      reads: 'nearest',
      input: { param: PersonParam, query: DataQuery },
      answer: PersonalData,
      errors: ['not_found'],
    },
    (c, { param: { id: userId }, query: { cursor } }) =>
      readPersonalData(c.var, { userId, cursor }),
  )
  .post(
    '/api/admin/users/:id/forget',
    {
      id: 'forgetPerson',
      summary: 'Remove the data of a person',
      description:
        'Closes the account and removes its personal data: names, e-mail address, wallet, addresses, ' +
        'avatar, tokens and webhooks. Orders stay, with ids and amounts. A later sign-in with the same ' +
        'wallet or e-mail address makes a new account. Items that wait to be delivered to the user are ' +
        'cancelled. Answers `conflict` for an administrator, while a transaction carries an item to ' +
        'or from the user, and while an item that the user sells waits. The call can be repeated safely.',
      access: 'master',
      reads: 'primary',
      input: { param: PersonParam, query: ForgetQuery },
      answer: ForgottenUser,
      errors: ['not_found', 'conflict'],
    },
    (c, { param: { id: userId }, query: { dryRun: isDryRun } }) =>
      forgetPerson({ ...c.var, bucket: c.env.AVATARS }, { userId, isDryRun }),
  )

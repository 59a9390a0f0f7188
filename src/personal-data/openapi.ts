import type { EndpointInfos } from '../http/openapi.ts'
import { ForgottenUser, PersonalData } from './answer.ts'

const tag = 'Retention'

export const personalDataEndpoints = {
  'GET /api/admin/users/:id/data': {
    tag,
    operationId: 'getPersonalData',
    summary: 'Get the data of a person',
    description:
      'Returns everything that is stored of a person, except responses that are stored for 24 hours. ' +
      'Orders come in pages: repeat the call with `nextCursor` until that is null.',
    answer: PersonalData,
    errors: ['not_found'],
  },
  'POST /api/admin/users/:id/forget': {
    tag,
    operationId: 'forgetPerson',
    summary: 'Remove the data of a person',
    description:
      'Closes the account and removes its personal data: names, e-mail address, wallet, addresses, ' +
      'avatar, tokens and webhooks. Orders stay, with ids and amounts. A later sign-in with the same ' +
      'wallet or e-mail address makes a new account. Answers `conflict` for an administrator, and ' +
      'while an NFT may still be delivered to or from the user. The call can be repeated safely.',
    answer: ForgottenUser,
    errors: ['not_found', 'conflict'],
  },
} satisfies EndpointInfos

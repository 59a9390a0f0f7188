import { ForgottenUser, PersonalData } from '../../../src/personal-data/schema.ts'
import type { Operations } from '../operation.ts'

export const personalDataOperations: Operations = {
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
}

import * as z from 'zod'
import { id, orNull, text, time } from '../../../src/http/fields.ts'
import { Order } from '../../../src/orders/schema.ts'
import type { readPersonalData } from '../../../src/personal-data/data.ts'
import type { forgetPerson } from '../../../src/personal-data/forget.ts'
import {
  AdministratorAction,
  BookEntry,
  MailLink,
  Person,
  TokenRecord,
  WebhookRecord,
} from '../../../src/personal-data/schema.ts'
import { type Answer, describes } from '../answer.ts'
import type { Operations } from '../operation.ts'

const PersonalData = describes<Answer<typeof readPersonalData>>()(
  z
    .object({
      user: Person,
      addresses: z.array(BookEntry).describe('All addresses, deleted ones too.'),
      tokens: z.array(TokenRecord).describe('API tokens and sessions.'),
      mailLinks: z.array(MailLink).describe('Mailed links.'),
      webhooks: z.array(WebhookRecord).describe('Webhook endpoints.'),
      actions: z.array(AdministratorAction).describe('Entries of the audit log.'),
      orders: z
        .array(Order)
        .describe(
          'Orders that the person bought or sold, newest first, as a token of the person reads them.',
        ),
      nextCursor: orNull(text('The next `cursor`; null on the last page.')),
    })
    .meta({ id: 'PersonalData', description: 'What the instance stores of a person.' }),
)

const ForgottenUser = describes<Answer<typeof forgetPerson>>()(
  z
    .object({
      id: id('Id of the user.'),
      removedAt: time('Time when the account was closed.'),
    })
    .meta({ id: 'ForgottenUser', description: 'An account without personal data.' }),
)

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

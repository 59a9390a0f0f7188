import * as z from 'zod'
import type { EndpointInfos } from '../http/openapi.ts'
import { BillingAddress, DeliveryAddress } from './answer.ts'
import { MAX_ADDRESSES } from './limit.ts'

const tag = 'Addresses'
const updateDescription = 'An absent field stays as it is; null clears it.'
const createDescription = `A user has at most ${MAX_ADDRESSES} live addresses of each kind, without those of orders.`

/** An answer with the only key `key`. The first letter of its component is upper case. */
const answerOf = <K extends string, T extends z.ZodType>(key: K, value: T, of: string) =>
  z
    .object({ [key]: value } as Record<K, T>)
    .meta({ id: `${key[0]?.toUpperCase()}${key.slice(1)}Answer`, description: of })

const list = 'The live addresses of the user, by id.'
const Deliveries = answerOf(
  'deliveryAddresses',
  z.array(DeliveryAddress).describe(list),
  'The delivery addresses of a user.',
)
const Created = 'The new address.'
const Changed = 'The address after the change.'
const NewDelivery = answerOf('newDeliveryAddress', DeliveryAddress, Created)
const UpdatedDelivery = answerOf('updatedDeliveryAddress', DeliveryAddress, Changed)
const Billings = answerOf(
  'billingAddresses',
  z.array(BillingAddress).describe(list),
  'The billing addresses of a user.',
)
const NewBilling = answerOf('newBillingAddress', BillingAddress, Created)
const UpdatedBilling = answerOf('updatedBillingAddress', BillingAddress, Changed)

export const addressEndpoints = {
  'GET /api/public/user/:user_id/deliveryAddresses': {
    tag,
    operationId: 'listDeliveryAddresses',
    summary: 'List the delivery addresses of a user',
    answer: Deliveries,
    errors: ['forbidden', 'not_found'],
  },
  'POST /api/public/deliveryAddress': {
    tag,
    operationId: 'createAddress',
    summary: 'Create a delivery or a billing address',
    description:
      `${createDescription} Without \`type\`, a body with at least one address field or ` +
      '`isDefault`, and none of `name`, `email`, `mobilePhone` and `default`, creates a billing ' +
      'address. An `id` in the query is ignored.',
    answer: z.union([NewDelivery, NewBilling]).describe('The new address, of the kind created.'),
    errors: ['user_not_found', 'forbidden', 'too_many_addresses'],
  },
  'PUT /api/public/deliveryAddress': {
    tag,
    operationId: 'updateDeliveryAddress',
    summary: 'Update a delivery address',
    description: updateDescription,
    answer: UpdatedDelivery,
    errors: ['not_found'],
  },
  'DELETE /api/public/deliveryAddress': {
    tag,
    operationId: 'deleteDeliveryAddress',
    summary: 'Delete a delivery address',
    answer: UpdatedDelivery,
    errors: ['not_found'],
  },
  'GET /api/public/user/:user_id/billingAddresses': {
    tag,
    operationId: 'listBillingAddresses',
    summary: 'List the billing addresses of a user',
    answer: Billings,
    errors: ['forbidden', 'not_found'],
  },
  'POST /api/public/billingAddress': {
    tag,
    operationId: 'createBillingAddress',
    summary: 'Create a billing address',
    description: createDescription,
    answer: NewBilling,
    errors: ['user_not_found', 'forbidden', 'too_many_addresses'],
  },
  'PUT /api/public/billingAddress': {
    tag,
    operationId: 'updateBillingAddress',
    summary: 'Update a billing address',
    description: updateDescription,
    answer: UpdatedBilling,
    errors: ['not_found'],
  },
  'DELETE /api/public/billingAddress': {
    tag,
    operationId: 'deleteBillingAddress',
    summary: 'Delete a billing address',
    answer: UpdatedBilling,
    errors: ['not_found'],
  },
} satisfies EndpointInfos

import * as z from 'zod'
import { MAX_ADDRESSES } from '../../../src/addresses/limit.ts'
import {
  type AddressKind,
  BillingAddress,
  BillingFields,
  DeliveryAddress,
  DeliveryFields,
} from '../../../src/addresses/schema.ts'
import type { Operations } from '../operation.ts'

const deliveryOnly = Object.keys(DeliveryFields.shape)
  .filter((name) => !(name in BillingFields.shape))
  .map((name) => `\`${name}\``)
const createDescription = `A user has at most ${MAX_ADDRESSES} live addresses of each kind, without those of orders.`
const shown = { delivery: DeliveryAddress, billing: BillingAddress }

/** An answer with the only key `key`. The first letter of its component is upper case. */
const singleKey = (key: string, value: z.ZodType, of: string) =>
  z
    .object({ [key]: value })
    .meta({ id: `${key[0]?.toUpperCase()}${key.slice(1)}Answer`, description: of })

const NewDelivery = singleKey('newDeliveryAddress', DeliveryAddress, 'The new address.')
const NewBilling = singleKey('newBillingAddress', BillingAddress, 'The new address.')

const ofKind = (kind: AddressKind, name: string) => {
  const list = z.array(shown[kind]).describe('The live addresses of the user, by id.')
  const Updated = singleKey(`updated${name}Address`, shown[kind], 'The address after the change.')
  return {
    [`list${name}Addresses`]: {
      summary: `List the ${kind} addresses of a user`,
      answer: singleKey(`${kind}Addresses`, list, `The ${kind} addresses of a user.`),
      errors: ['forbidden', 'not_found'],
    },
    [`update${name}Address`]: {
      summary: `Update a ${kind} address`,
      description: 'An absent field stays as it is; null clears it.',
      answer: Updated,
      errors: ['not_found'],
    },
    [`delete${name}Address`]: {
      summary: `Delete a ${kind} address`,
      answer: Updated,
      errors: ['not_found'],
    },
  } satisfies Operations
}

export const addressOperations: Operations = {
  ...ofKind('delivery', 'Delivery'),
  ...ofKind('billing', 'Billing'),
  createAddress: {
    summary: 'Create a delivery or a billing address',
    description:
      `${createDescription} Without \`type\`, a body with at least one address field or ` +
      `\`isDefault\`, and none of ${deliveryOnly.join(', ')} and \`default\`, creates a billing ` +
      'address. An `id` in the query is ignored.',
    answer: z.union([NewDelivery, NewBilling]).describe('The new address, of the kind created.'),
    errors: ['user_not_found', 'forbidden', 'too_many_addresses'],
  },
  createBillingAddress: {
    summary: 'Create a billing address',
    description: createDescription,
    answer: NewBilling,
    errors: ['user_not_found', 'forbidden', 'too_many_addresses'],
  },
}

import { Hono } from 'hono'
import * as z from 'zod'
import { resolveUserId, UserParam } from '../auth/user-param.ts'
import { addressKinds } from '../db/schema/users.ts'
import type { App } from '../http/context.ts'
import { requireToken, validate } from '../http/endpoint.ts'
import { docs } from '../http/fields.ts'
import { idText } from '../http/ids.ts'
import { deleteAddress, updateAddress } from './change.ts'
import { createAddress, detectKind } from './create.ts'
import { MAX_ADDRESSES } from './limit.ts'
import { listAddresses } from './list.ts'
import {
  BillingAddress,
  BillingChanges,
  BillingFields,
  DeliveryAddress,
  DeliveryChanges,
  DeliveryFields,
  description,
  flag,
} from './schema.ts'

const AddressId = z.object({ id: idText.describe(docs('Id of the address.')) })
const Owner = {
  userId: z
    .int()
    .positive()
    .nullish()
    .transform((id) => id ?? undefined)
    .describe('Id of the owner: by default the user of a user token. A master token must send it.'),
}

const NewAddress = DeliveryFields.extend({
  ...Owner,
  default: flag(description.default),
  isDefault: flag(description.isDefault),
}).meta({ id: 'NewAddress', description: docs('The fields of a new address of either kind.') })
const NewBillingAddress = BillingChanges.extend(Owner).meta({
  id: 'NewBillingAddress',
  description: docs('The fields of a new billing address.'),
})
const BillingAddressChanges = BillingChanges.meta({
  id: 'BillingAddressChanges',
  description: docs('The fields to change.'),
})

const tag = 'Addresses'
const deliveryOnly = Object.keys(DeliveryFields.shape)
  .filter((name) => !(name in BillingFields.shape))
  .map((name) => `\`${name}\``)
const updateDescription = docs('An absent field stays as it is; null clears it.')
const createDescription = `A user has at most ${MAX_ADDRESSES} live addresses of each kind, without those of orders.`

/** An answer with the only key `key`. The first letter of its component is upper case. */
const singleKey = <K extends string, T extends z.ZodType>(key: K, value: T, of: string) =>
  z
    .object({ [key]: value } as Record<K, T>)
    .meta({ id: `${key[0]?.toUpperCase()}${key.slice(1)}Answer`, description: of })

const list = docs('The live addresses of the user, by id.')
const Deliveries = singleKey(
  'deliveryAddresses',
  z.array(DeliveryAddress).describe(list),
  docs('The delivery addresses of a user.'),
)
const Created = docs('The new address.')
const Changed = docs('The address after the change.')
const NewDelivery = singleKey('newDeliveryAddress', DeliveryAddress, Created)
const UpdatedDelivery = singleKey('updatedDeliveryAddress', DeliveryAddress, Changed)
const Billings = singleKey(
  'billingAddresses',
  z.array(BillingAddress).describe(list),
  docs('The billing addresses of a user.'),
)
const NewBilling = singleKey('newBillingAddress', BillingAddress, Created)
const UpdatedBilling = singleKey('updatedBillingAddress', BillingAddress, Changed)

export const addressRoutes = new Hono<App>()
  .get(
    '/api/public/user/:user_id/deliveryAddresses',
    requireToken({
      tag,
      operationId: 'listDeliveryAddresses',
      summary: docs('List the delivery addresses of a user'),
      answer: Deliveries,
      errors: ['forbidden', 'not_found'],
    }),
    validate('param', UserParam),
    async (c) => {
      const userId = resolveUserId(c.var.caller, c.req.valid('param').user_id)
      const deliveryAddresses = await listAddresses(c.var, { kind: 'delivery', userId })
      return c.json({ deliveryAddresses })
    },
  )
  .post(
    '/api/public/deliveryAddress',
    requireToken({
      tag,
      operationId: 'createAddress',
      summary: docs('Create a delivery or a billing address'),
      description:
        `${createDescription} Without \`type\`, a body with at least one address field or ` +
        `\`isDefault\`, and none of ${deliveryOnly.join(', ')} and \`default\`, creates a billing ` +
        'address. An `id` in the query is ignored.',
      answer: z.union([NewDelivery, NewBilling]).describe('The new address, of the kind created.'),
      errors: ['user_not_found', 'forbidden', 'too_many_addresses'],
    }),
    validate(
      'query',
      z.object({
        type: z
          .enum(addressKinds)
          .optional()
          .describe(docs('Address kind. Overrides detection from the body.')),
      }),
    ),
    validate('json', NewAddress),
    async (c) => {
      const body = c.req.valid('json')
      const kind = c.req.valid('query').type ?? detectKind(body)
      const { default: isDefault, ...fields } = body
      if (kind === 'billing')
        return c.json({ newBillingAddress: await createAddress(c.var, { kind, ...fields }) })
      const address = await createAddress(c.var, { kind, ...fields, isDefault })
      return c.json({ newDeliveryAddress: address })
    },
  )
  .put(
    '/api/public/deliveryAddress',
    requireToken({
      tag,
      operationId: 'updateDeliveryAddress',
      summary: docs('Update a delivery address'),
      description: updateDescription,
      answer: UpdatedDelivery,
      errors: ['not_found'],
    }),
    validate('query', AddressId),
    validate('json', DeliveryChanges),
    async (c) => {
      const { id } = c.req.valid('query')
      const changes = c.req.valid('json')
      const address = await updateAddress(c.var, { kind: 'delivery', id, changes })
      return c.json({ updatedDeliveryAddress: address })
    },
  )
  .delete(
    '/api/public/deliveryAddress',
    requireToken({
      tag,
      operationId: 'deleteDeliveryAddress',
      summary: docs('Delete a delivery address'),
      answer: UpdatedDelivery,
      errors: ['not_found'],
    }),
    validate('query', AddressId),
    async (c) => {
      const address = await deleteAddress(c.var, { kind: 'delivery', ...c.req.valid('query') })
      return c.json({ updatedDeliveryAddress: address })
    },
  )
  .get(
    '/api/public/user/:user_id/billingAddresses',
    requireToken({
      tag,
      operationId: 'listBillingAddresses',
      summary: docs('List the billing addresses of a user'),
      answer: Billings,
      errors: ['forbidden', 'not_found'],
    }),
    validate('param', UserParam),
    async (c) => {
      const userId = resolveUserId(c.var.caller, c.req.valid('param').user_id)
      return c.json({ billingAddresses: await listAddresses(c.var, { kind: 'billing', userId }) })
    },
  )
  .post(
    '/api/public/billingAddress',
    requireToken({
      tag,
      operationId: 'createBillingAddress',
      summary: docs('Create a billing address'),
      description: createDescription,
      answer: NewBilling,
      errors: ['user_not_found', 'forbidden', 'too_many_addresses'],
    }),
    validate(
      'query',
      z.object({
        type: z.literal('billing').optional().describe(docs('Always `billing`.')),
      }),
    ),
    validate('json', NewBillingAddress),
    async (c) => {
      const fields = c.req.valid('json')
      return c.json({
        newBillingAddress: await createAddress(c.var, { kind: 'billing', ...fields }),
      })
    },
  )
  .put(
    '/api/public/billingAddress',
    requireToken({
      tag,
      operationId: 'updateBillingAddress',
      summary: docs('Update a billing address'),
      description: updateDescription,
      answer: UpdatedBilling,
      errors: ['not_found'],
    }),
    validate('query', AddressId),
    validate('json', BillingAddressChanges),
    async (c) => {
      const { id } = c.req.valid('query')
      const changes = c.req.valid('json')
      const address = await updateAddress(c.var, { kind: 'billing', id, changes })
      return c.json({ updatedBillingAddress: address })
    },
  )
  .delete(
    '/api/public/billingAddress',
    requireToken({
      tag,
      operationId: 'deleteBillingAddress',
      summary: docs('Delete a billing address'),
      answer: UpdatedBilling,
      errors: ['not_found'],
    }),
    validate('query', AddressId),
    async (c) => {
      const address = await deleteAddress(c.var, { kind: 'billing', ...c.req.valid('query') })
      return c.json({ updatedBillingAddress: address })
    },
  )

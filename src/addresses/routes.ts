import * as z from 'zod'
import { resolveUserId, UserParam } from '../auth/access.ts'
import { addressKinds } from '../db/schema/users.ts'
import { Endpoints } from '../http/endpoint.ts'
import { idText } from '../http/inputs.ts'
import { peopleLimits } from '../limits.ts'
import { createAddress, deleteAddress, updateAddress } from './change.ts'
import { listAddresses } from './list.ts'
import {
  type AddressKind,
  BillingAddresses,
  BillingChanges,
  BillingFields,
  CreatedBilling,
  CreatedDelivery,
  DeliveryAddresses,
  DeliveryChanges,
  DeliveryFields,
  description,
  flag,
  toBilling,
  toDelivery,
  UpdatedBilling,
  UpdatedDelivery,
} from './schema.ts'

const AddressId = z.object({ id: idText.describe('Id of the address.') })
const Owner = {
  userId: z
    .int()
    .min(1)
    .nullish()
    .transform((id) => id ?? undefined)
    .describe('Id of the owner: by default the user of a user token. A master token must send it.'),
}

const NewAddress = DeliveryFields.extend({
  ...Owner,
  default: flag(description.default),
  isDefault: flag(description.isDefault),
}).meta({ id: 'NewAddress', description: 'The fields of a new address of either kind.' })
const NewBillingAddress = BillingChanges.extend(Owner).meta({
  id: 'NewBillingAddress',
  description: 'The fields of a new billing address.',
})

const AnyKind = z.object({
  type: z
    .enum(addressKinds)
    .optional()
    .describe('Address kind. Overrides detection from the body.'),
})
const BillingKind = z.object({
  type: z.literal('billing').optional().describe('Always `billing`.'),
})

const deliveryOnly = Object.keys(DeliveryFields.shape)
  .filter((name) => !(name in BillingFields.shape))
  .map((name) => `\`${name}\``)
/**
 * The kind that a body describes, if the request does not say it: a billing address has at least
 * one address field or `isDefault`, and nothing that only a delivery address has.
 */
function detectKind(body: object): AddressKind {
  const given = Object.keys(body).filter((name) => name in NewAddress.shape && name !== 'userId')
  const isBilling = given.every((name) => name in BillingFields.shape || name === 'isDefault')
  return given.length > 0 && isBilling ? 'billing' : 'delivery'
}

const createDescription = `A user has at most ${peopleLimits.addresses.max} live addresses of each kind, without those of orders.`

/** What the endpoints of both kinds have in common. */
const listsAddresses = {
  access: 'token',
  reads: 'nearest',
  input: { param: UserParam },
  errors: ['not_found'],
} as const
const changesAddress = { access: 'token', reads: 'primary', errors: ['not_found'] } as const

export const addressRoutes = new Endpoints({ tag: 'Addresses' })
  .get(
    '/api/public/user/:user_id/deliveryAddresses',
    {
      id: 'listDeliveryAddresses',
      summary: 'List the delivery addresses of a user',
      ...listsAddresses,
      answer: DeliveryAddresses,
    },
    async (c, { param }) => {
      const userId = resolveUserId(c.var.caller, param.user_id)
      const deliveryAddresses = await listAddresses(c.var, { kind: 'delivery', userId })
      return { deliveryAddresses: deliveryAddresses.map(toDelivery) }
    },
  )
  .put(
    '/api/public/deliveryAddress',
    {
      id: 'updateDeliveryAddress',
      summary: 'Update a delivery address',
      description: 'An absent field stays as it is; null clears it.',
      ...changesAddress,
      input: { query: AddressId, json: DeliveryChanges },
      answer: UpdatedDelivery,
    },
    async (c, { query: { id }, json: changes }) => ({
      updatedDeliveryAddress: toDelivery(
        await updateAddress(c.var, { kind: 'delivery', id, changes }),
      ),
    }),
  )
  .delete(
    '/api/public/deliveryAddress',
    {
      id: 'deleteDeliveryAddress',
      summary: 'Delete a delivery address',
      ...changesAddress,
      input: { query: AddressId },
      answer: UpdatedDelivery,
    },
    async (c, { query: { id } }) => ({
      updatedDeliveryAddress: toDelivery(await deleteAddress(c.var, { kind: 'delivery', id })),
    }),
  )
  .get(
    '/api/public/user/:user_id/billingAddresses',
    {
      id: 'listBillingAddresses',
      summary: 'List the billing addresses of a user',
      ...listsAddresses,
      answer: BillingAddresses,
    },
    async (c, { param }) => {
      const userId = resolveUserId(c.var.caller, param.user_id)
      const billingAddresses = await listAddresses(c.var, { kind: 'billing', userId })
      return { billingAddresses: billingAddresses.map(toBilling) }
    },
  )
  .put(
    '/api/public/billingAddress',
    {
      id: 'updateBillingAddress',
      summary: 'Update a billing address',
      description: 'An absent field stays as it is; null clears it.',
      ...changesAddress,
      input: { query: AddressId, json: BillingChanges },
      answer: UpdatedBilling,
    },
    async (c, { query: { id }, json: changes }) => ({
      updatedBillingAddress: toBilling(
        await updateAddress(c.var, { kind: 'billing', id, changes }),
      ),
    }),
  )
  .delete(
    '/api/public/billingAddress',
    {
      id: 'deleteBillingAddress',
      summary: 'Delete a billing address',
      ...changesAddress,
      input: { query: AddressId },
      answer: UpdatedBilling,
    },
    async (c, { query: { id } }) => ({
      updatedBillingAddress: toBilling(await deleteAddress(c.var, { kind: 'billing', id })),
    }),
  )
  .post(
    '/api/public/deliveryAddress',
    {
      id: 'createAddress',
      summary: 'Create a delivery or a billing address',
      description:
        `${createDescription} Without \`type\`, a body with at least one address field or ` +
        `\`isDefault\`, and none of ${deliveryOnly.join(', ')} and \`default\`, creates a billing ` +
        'address. An `id` in the query is ignored.',
      access: 'token',
      reads: 'primary',
      input: { query: AnyKind, json: NewAddress },
      answer: z
        .union([CreatedDelivery, CreatedBilling])
        .describe('The new address, of the kind created.'),
      errors: ['user_not_found', 'too_many_addresses'],
    },
    async (c, { query, json }) => {
      const kind = query.type ?? detectKind(json)
      const { default: isDefault, ...fields } = json
      if (kind === 'billing')
        return { newBillingAddress: toBilling(await createAddress(c.var, { kind, ...fields })) }
      const address = await createAddress(c.var, { kind, ...fields, isDefault })
      return { newDeliveryAddress: toDelivery(address) }
    },
  )
  .post(
    '/api/public/billingAddress',
    {
      id: 'createBillingAddress',
      summary: 'Create a billing address',
      description: createDescription,
      access: 'token',
      reads: 'primary',
      input: { query: BillingKind, json: NewBillingAddress },
      answer: CreatedBilling,
      errors: ['user_not_found', 'too_many_addresses'],
    },
    async (c, { json }) => ({
      newBillingAddress: toBilling(await createAddress(c.var, { kind: 'billing', ...json })),
    }),
  )

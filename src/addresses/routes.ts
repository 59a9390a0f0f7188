import * as z from 'zod'
import { resolveUserId, UserParam } from '../auth/access.ts'
import { addressKinds } from '../db/schema/users.ts'
import { Endpoints } from '../http/endpoint.ts'
import { model } from '../http/fields.ts'
import { idText } from '../http/inputs.ts'
import { peopleLimits } from '../http/limits.ts'
import { createAddress, deleteAddress, updateAddress } from './change.ts'
import { listAddresses } from './list.ts'
import {
  type AddressKind,
  BillingChanges,
  BillingFields,
  DeliveryFields,
  description,
  flag,
  kinds,
} from './schema.ts'

const AddressId = z.object({ id: idText.describe('Id of the address.') })
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

const changesAddress = { access: 'token', reads: 'primary', errors: ['not_found'] } as const

export const addressRoutes = new Endpoints({ tag: 'Addresses' })
for (const kind of addressKinds) addEndpoints(kind)

function addEndpoints(kind: AddressKind): void {
  const { title, Address, Changes, show } = kinds[kind]
  const Updated = model(`Updated${title}AddressAnswer`, 'The address after the change.', {
    [`updated${title}Address`]: Address,
  })
  addressRoutes
    .get(
      `/api/public/user/:user_id/${kind}Addresses`,
      {
        id: `list${title}Addresses`,
        summary: `List the ${kind} addresses of a user`,
        access: 'token',
        reads: 'nearest',
        input: { param: UserParam },
        answer: model(`${title}AddressesAnswer`, `The ${kind} addresses of a user.`, {
          [`${kind}Addresses`]: z.array(Address).describe('The live addresses of the user, by id.'),
        }),
        errors: ['not_found'],
      },
      async (c, { param }) => {
        const userId = resolveUserId(c.var.caller, param.user_id)
        const addresses = await listAddresses(c.var, { kind, userId })
        return { [`${kind}Addresses`]: addresses.map((address) => show(address)) }
      },
    )
    .put(
      `/api/public/${kind}Address`,
      {
        id: `update${title}Address`,
        summary: `Update a ${kind} address`,
        description: 'An absent field stays as it is; null clears it.',
        ...changesAddress,
        input: { query: AddressId, json: Changes },
        answer: Updated,
      },
      async (c, { query: { id }, json: changes }) => {
        const address = await updateAddress(c.var, { kind, id, changes })
        return { [`updated${title}Address`]: show(address) }
      },
    )
    .delete(
      `/api/public/${kind}Address`,
      {
        id: `delete${title}Address`,
        summary: `Delete a ${kind} address`,
        ...changesAddress,
        input: { query: AddressId },
        answer: Updated,
      },
      async (c, { query: { id } }) => {
        const address = await deleteAddress(c.var, { kind, id })
        return { [`updated${title}Address`]: show(address) }
      },
    )
}

const CreatedDelivery = model('NewDeliveryAddressAnswer', 'The new address.', {
  newDeliveryAddress: kinds.delivery.Address,
})
const CreatedBilling = model('NewBillingAddressAnswer', 'The new address.', {
  newBillingAddress: kinds.billing.Address,
})
const createsAddress = {
  access: 'token',
  reads: 'primary',
  errors: ['user_not_found', 'too_many_addresses'],
} as const

addressRoutes
  .post(
    '/api/public/deliveryAddress',
    {
      id: 'createAddress',
      summary: 'Create a delivery or a billing address',
      description:
        `${createDescription} Without \`type\`, a body with at least one address field or ` +
        `\`isDefault\`, and none of ${deliveryOnly.join(', ')} and \`default\`, creates a billing ` +
        'address. An `id` in the query is ignored.',
      ...createsAddress,
      input: { query: AnyKind, json: NewAddress },
      answer: z
        .union([CreatedDelivery, CreatedBilling])
        .describe('The new address, of the kind created.'),
    },
    async (c, { query, json }) => {
      const kind = query.type ?? detectKind(json)
      const { default: isDefault, ...fields } = json
      if (kind === 'billing')
        return {
          newBillingAddress: kinds.billing.show(await createAddress(c.var, { kind, ...fields })),
        }
      const address = await createAddress(c.var, { kind, ...fields, isDefault })
      return { newDeliveryAddress: kinds.delivery.show(address) }
    },
  )
  .post(
    '/api/public/billingAddress',
    {
      id: 'createBillingAddress',
      summary: 'Create a billing address',
      description: createDescription,
      ...createsAddress,
      input: { query: BillingKind, json: NewBillingAddress },
      answer: CreatedBilling,
    },
    async (c, { json }) => ({
      newBillingAddress: kinds.billing.show(
        await createAddress(c.var, { kind: 'billing', ...json }),
      ),
    }),
  )

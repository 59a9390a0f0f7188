import * as z from 'zod'
import { resolveUserId, UserParam } from '../auth/user-param.ts'
import { addressKinds } from '../db/schema/users.ts'
import { Endpoints } from '../http/endpoint.ts'
import { docs } from '../http/fields.ts'
import { idText } from '../http/inputs.ts'
import { deleteAddress, updateAddress } from './change.ts'
import { createAddress, detectKind } from './create.ts'
import { listAddresses } from './list.ts'
import { BillingChanges, DeliveryChanges, DeliveryFields, description, flag } from './schema.ts'

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
/** The name of each kind in operation ids and keys of answers, and the fields to change. */
const kinds = {
  delivery: { name: 'Delivery', Changes: DeliveryChanges },
  billing: {
    name: 'Billing',
    Changes: BillingChanges.meta({
      id: 'BillingAddressChanges',
      description: docs('The fields to change.'),
    }),
  },
}

export const addressRoutes = new Endpoints()

for (const kind of addressKinds) {
  const { name, Changes } = kinds[kind]
  addressRoutes
    .get(
      `/api/public/user/:user_id/${kind}Addresses`,
      {
        id: `list${name}Addresses`,
        access: 'token',
        reads: 'nearest',
        input: { param: UserParam },
      },
      async (c, { param }) => {
        const userId = resolveUserId(c.var.caller, param.user_id)
        return c.json({ [`${kind}Addresses`]: await listAddresses(c.var, { kind, userId }) })
      },
    )
    .put(
      `/api/public/${kind}Address`,
      {
        id: `update${name}Address`,
        access: 'token',
        reads: 'primary',
        input: { query: AddressId, json: Changes },
      },
      async (c, { query: { id }, json }) => {
        const address = await updateAddress(c.var, { kind, id, changes: json })
        return c.json({ [`updated${name}Address`]: address })
      },
    )
    .delete(
      `/api/public/${kind}Address`,
      {
        id: `delete${name}Address`,
        access: 'token',
        reads: 'primary',
        input: { query: AddressId },
      },
      async (c, { query }) => {
        const address = await deleteAddress(c.var, { kind, ...query })
        return c.json({ [`updated${name}Address`]: address })
      },
    )
}

addressRoutes
  .post(
    '/api/public/deliveryAddress',
    {
      id: 'createAddress',
      access: 'token',
      reads: 'primary',
      input: {
        query: z.object({
          type: z
            .enum(addressKinds)
            .optional()
            .describe(docs('Address kind. Overrides detection from the body.')),
        }),
        json: NewAddress,
      },
    },
    async (c, { query, json }) => {
      const body = json
      const kind = query.type ?? detectKind(body)
      const { default: isDefault, ...fields } = body
      if (kind === 'billing')
        return c.json({ newBillingAddress: await createAddress(c.var, { kind, ...fields }) })
      const address = await createAddress(c.var, { kind, ...fields, isDefault })
      return c.json({ newDeliveryAddress: address })
    },
  )
  .post(
    '/api/public/billingAddress',
    {
      id: 'createBillingAddress',
      access: 'token',
      reads: 'primary',
      input: {
        query: z.object({
          type: z.literal('billing').optional().describe(docs('Always `billing`.')),
        }),
        json: NewBillingAddress,
      },
    },
    async (c, { json }) => {
      const address = await createAddress(c.var, { kind: 'billing', ...json })
      return c.json({ newBillingAddress: address })
    },
  )

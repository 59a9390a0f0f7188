import { Hono } from 'hono'
import * as z from 'zod'
import { resolveUserId, UserParam } from '../auth/user-param.ts'
import { addressKinds } from '../db/schema/users.ts'
import type { App } from '../http/context.ts'
import { requireToken, validate } from '../http/endpoint.ts'
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

const addressId = validate('query', AddressId)

export const addressRoutes = new Hono<App>()

for (const kind of addressKinds) {
  const { name, Changes } = kinds[kind]
  addressRoutes
    .get(
      `/api/public/user/:user_id/${kind}Addresses`,
      requireToken(`list${name}Addresses`),
      validate('param', UserParam),
      async (c) => {
        const userId = resolveUserId(c.var.caller, c.req.valid('param').user_id)
        return c.json({ [`${kind}Addresses`]: await listAddresses(c.var, { kind, userId }) })
      },
    )
    .put(
      `/api/public/${kind}Address`,
      requireToken(`update${name}Address`),
      addressId,
      validate('json', Changes),
      async (c) => {
        const { id } = c.req.valid('query')
        const address = await updateAddress(c.var, { kind, id, changes: c.req.valid('json') })
        return c.json({ [`updated${name}Address`]: address })
      },
    )
    .delete(
      `/api/public/${kind}Address`,
      requireToken(`delete${name}Address`),
      addressId,
      async (c) => {
        const address = await deleteAddress(c.var, { kind, ...c.req.valid('query') })
        return c.json({ [`updated${name}Address`]: address })
      },
    )
}

addressRoutes
  .post(
    '/api/public/deliveryAddress',
    requireToken('createAddress'),
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
  .post(
    '/api/public/billingAddress',
    requireToken('createBillingAddress'),
    validate(
      'query',
      z.object({ type: z.literal('billing').optional().describe(docs('Always `billing`.')) }),
    ),
    validate('json', NewBillingAddress),
    async (c) => {
      const address = await createAddress(c.var, { kind: 'billing', ...c.req.valid('json') })
      return c.json({ newBillingAddress: address })
    },
  )

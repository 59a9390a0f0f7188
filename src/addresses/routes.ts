import { Hono } from 'hono'
import * as z from 'zod'
import { UserParam, userIdOf } from '../auth/user-param.ts'
import { addressKinds } from '../db/schema.ts'
import type { App } from '../http/context.ts'
import { requireToken, validate } from '../http/endpoint.ts'
import { idText } from '../http/ids.ts'
import { deleteAddress, updateAddress } from './change.ts'
import { createAddress, kindOf } from './create.ts'
import { MAX_ADDRESSES } from './limit.ts'
import { listAddresses } from './list.ts'
import {
  BillingAddress,
  BillingChanges,
  BillingFields,
  DeliveryAddress,
  DeliveryChanges,
  DeliveryFields,
} from './schema.ts'

const tag = 'Addresses'
const AddressId = z.object({ id: idText.describe('Id of the address.') })
const Owner = {
  userId: z
    .int()
    .positive()
    .optional()
    .describe('Id of the user who owns the address. Required with a master token.'),
}
const updateDescription = 'An absent field stays as it is; null clears it.'
const createDescription = `Only the owner is required. A user has at most ${MAX_ADDRESSES} live addresses of each kind, without those of orders.`

const list = 'The live addresses of the user, by id.'
const Deliveries = () => z.object({ deliveryAddresses: z.array(DeliveryAddress()).describe(list) })
const NewDelivery = () => z.object({ newDeliveryAddress: DeliveryAddress() })
const UpdatedDelivery = () => z.object({ updatedDeliveryAddress: DeliveryAddress() })
const Billings = () => z.object({ billingAddresses: z.array(BillingAddress()).describe(list) })
const NewBilling = () => z.object({ newBillingAddress: BillingAddress() })
const UpdatedBilling = () => z.object({ updatedBillingAddress: BillingAddress() })

export const addressRoutes = new Hono<App>()
  .get(
    '/api/public/user/:user_id/deliveryAddresses',
    requireToken({
      tag,
      summary: 'List the delivery addresses of a user',
      answer: Deliveries,
      errors: ['forbidden', 'not_found'],
    }),
    validate('param', UserParam),
    async (c) => {
      const { db, caller } = c.var
      const userId = userIdOf(caller, c.req.valid('param').user_id)
      return c.json({ deliveryAddresses: await listAddresses(db, caller, 'delivery', userId) })
    },
  )
  .post(
    '/api/public/deliveryAddress',
    requireToken({
      tag,
      summary: 'Create a delivery or a billing address',
      description:
        `${createDescription} Without \`type\`, a body with at least one address field and none ` +
        'of `name`, `email` and `mobilePhone` creates a billing address. An `id` in the query is ' +
        'ignored.',
      answer: () => z.union([NewDelivery(), NewBilling()]),
      errors: ['forbidden', 'too_many_addresses'],
    }),
    validate(
      'query',
      z.object({
        type: z
          .enum(addressKinds)
          .optional()
          .describe('Address kind. Overrides detection from the body.'),
      }),
    ),
    validate('json', DeliveryFields.extend(Owner)),
    async (c) => {
      const { db, caller, now } = c.var
      const body = c.req.valid('json')
      const kind = c.req.valid('query').type ?? kindOf(body)
      if (kind === 'delivery')
        return c.json({ newDeliveryAddress: await createAddress(db, caller, kind, body, now) })
      const { name, email, mobilePhone, ...fields } = body
      return c.json({ newBillingAddress: await createAddress(db, caller, kind, fields, now) })
    },
  )
  .put(
    '/api/public/deliveryAddress',
    requireToken({
      tag,
      summary: 'Update a delivery address',
      description: updateDescription,
      answer: UpdatedDelivery,
      errors: ['not_found'],
    }),
    validate('query', AddressId),
    validate('json', DeliveryChanges),
    async (c) => {
      const { db, caller, now } = c.var
      const { id } = c.req.valid('query')
      const changes = c.req.valid('json')
      const address = await updateAddress(db, caller, 'delivery', id, changes, now)
      return c.json({ updatedDeliveryAddress: address })
    },
  )
  .delete(
    '/api/public/deliveryAddress',
    requireToken({
      tag,
      summary: 'Delete a delivery address',
      answer: UpdatedDelivery,
      errors: ['not_found'],
    }),
    validate('query', AddressId),
    async (c) => {
      const { db, caller, now } = c.var
      const address = await deleteAddress(db, caller, 'delivery', c.req.valid('query').id, now)
      return c.json({ updatedDeliveryAddress: address })
    },
  )
  .get(
    '/api/public/user/:user_id/billingAddresses',
    requireToken({
      tag,
      summary: 'List the billing addresses of a user',
      answer: Billings,
      errors: ['forbidden', 'not_found'],
    }),
    validate('param', UserParam),
    async (c) => {
      const { db, caller } = c.var
      const userId = userIdOf(caller, c.req.valid('param').user_id)
      return c.json({ billingAddresses: await listAddresses(db, caller, 'billing', userId) })
    },
  )
  .post(
    '/api/public/billingAddress',
    requireToken({
      tag,
      summary: 'Create a billing address',
      description: createDescription,
      answer: NewBilling,
      errors: ['forbidden', 'too_many_addresses'],
    }),
    validate(
      'query',
      z.object({ type: z.literal('billing').optional().describe('Always `billing`.') }),
    ),
    validate('json', BillingFields.extend(Owner)),
    async (c) => {
      const { db, caller, now } = c.var
      const body = c.req.valid('json')
      return c.json({ newBillingAddress: await createAddress(db, caller, 'billing', body, now) })
    },
  )
  .put(
    '/api/public/billingAddress',
    requireToken({
      tag,
      summary: 'Update a billing address',
      description: updateDescription,
      answer: UpdatedBilling,
      errors: ['not_found'],
    }),
    validate('query', AddressId),
    validate('json', BillingChanges),
    async (c) => {
      const { db, caller, now } = c.var
      const { id } = c.req.valid('query')
      const changes = c.req.valid('json')
      const address = await updateAddress(db, caller, 'billing', id, changes, now)
      return c.json({ updatedBillingAddress: address })
    },
  )
  .delete(
    '/api/public/billingAddress',
    requireToken({
      tag,
      summary: 'Delete a billing address',
      answer: UpdatedBilling,
      errors: ['not_found'],
    }),
    validate('query', AddressId),
    async (c) => {
      const { db, caller, now } = c.var
      const address = await deleteAddress(db, caller, 'billing', c.req.valid('query').id, now)
      return c.json({ updatedBillingAddress: address })
    },
  )

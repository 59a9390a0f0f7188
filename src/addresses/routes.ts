import { Hono } from 'hono'
import * as z from 'zod/mini'
import { UserParam, userIdOf } from '../auth/user-param.ts'
import { addressKinds } from '../db/schema/users.ts'
import type { App } from '../http/context.ts'
import { requireToken, validate } from '../http/endpoint.ts'
import { idText } from '../http/ids.ts'
import { deleteAddress, updateAddress } from './change.ts'
import { createAddress, kindOf } from './create.ts'
import { listAddresses } from './list.ts'
import { BillingChanges, DeliveryChanges, DeliveryFields, description, flag } from './schema.ts'

const AddressId = z.object({ id: idText.check(z.describe('Id of the address.')) })
const Owner = {
  userId: z
    .pipe(
      z.nullish(z.int().check(z.positive())),
      z.transform((id) => id ?? undefined),
    )
    .check(
      z.describe(
        'Id of the owner: by default the user of a user token. A master token must send it.',
      ),
    ),
}

const NewAddress = z
  .extend(DeliveryFields, {
    ...Owner,
    default: flag(description.default),
    isDefault: flag(description.isDefault),
  })
  .check(z.meta({ id: 'NewAddress', description: 'The fields of a new address of either kind.' }))
const NewBillingAddress = z
  .extend(BillingChanges, Owner)
  .check(z.meta({ id: 'NewBillingAddress', description: 'The fields of a new billing address.' }))
const BillingAddressChanges = BillingChanges.check(
  z.meta({ id: 'BillingAddressChanges', description: 'The fields to change.' }),
)

export const addressRoutes = new Hono<App>()
  .get(
    '/api/public/user/:user_id/deliveryAddresses',
    requireToken(),
    validate('param', UserParam),
    async (c) => {
      const { db, caller } = c.var
      const userId = userIdOf(caller, c.req.valid('param').user_id)
      return c.json({ deliveryAddresses: await listAddresses(db, caller, 'delivery', userId) })
    },
  )
  .post(
    '/api/public/deliveryAddress',
    requireToken(),
    validate(
      'query',
      z.object({
        type: z
          .optional(z.enum(addressKinds))
          .check(z.describe('Address kind. Overrides detection from the body.')),
      }),
    ),
    validate('json', NewAddress),
    async (c) => {
      const { db, caller, now } = c.var
      const body = c.req.valid('json')
      const kind = c.req.valid('query').type ?? kindOf(body)
      const { default: isDefault, ...delivery } = body
      if (kind === 'delivery') {
        const address = await createAddress(db, caller, kind, { ...delivery, isDefault }, now)
        return c.json({ newDeliveryAddress: address })
      }
      const { name, email, mobilePhone, ...fields } = delivery
      return c.json({ newBillingAddress: await createAddress(db, caller, kind, fields, now) })
    },
  )
  .put(
    '/api/public/deliveryAddress',
    requireToken(),
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
    requireToken(),
    validate('query', AddressId),
    async (c) => {
      const { db, caller, now } = c.var
      const address = await deleteAddress(db, caller, 'delivery', c.req.valid('query').id, now)
      return c.json({ updatedDeliveryAddress: address })
    },
  )
  .get(
    '/api/public/user/:user_id/billingAddresses',
    requireToken(),
    validate('param', UserParam),
    async (c) => {
      const { db, caller } = c.var
      const userId = userIdOf(caller, c.req.valid('param').user_id)
      return c.json({ billingAddresses: await listAddresses(db, caller, 'billing', userId) })
    },
  )
  .post(
    '/api/public/billingAddress',
    requireToken(),
    validate(
      'query',
      z.object({
        type: z.optional(z.literal('billing')).check(z.describe('Always `billing`.')),
      }),
    ),
    validate('json', NewBillingAddress),
    async (c) => {
      const { db, caller, now } = c.var
      const body = c.req.valid('json')
      return c.json({ newBillingAddress: await createAddress(db, caller, 'billing', body, now) })
    },
  )
  .put(
    '/api/public/billingAddress',
    requireToken(),
    validate('query', AddressId),
    validate('json', BillingAddressChanges),
    async (c) => {
      const { db, caller, now } = c.var
      const { id } = c.req.valid('query')
      const changes = c.req.valid('json')
      const address = await updateAddress(db, caller, 'billing', id, changes, now)
      return c.json({ updatedBillingAddress: address })
    },
  )
  .delete('/api/public/billingAddress', requireToken(), validate('query', AddressId), async (c) => {
    const { db, caller, now } = c.var
    const address = await deleteAddress(db, caller, 'billing', c.req.valid('query').id, now)
    return c.json({ updatedBillingAddress: address })
  })

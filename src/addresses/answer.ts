/** Addresses, as responses show them. */
import * as z from 'zod'
import { bool, id, orNull, text, time, timestamps } from '../http/fields.ts'
import { description } from './schema.ts'

const nullable = (of: keyof typeof description) => orNull(text(description[of]))

const ids = {
  id: id('Id of the address.'),
  userId: id('Id of the user who owns the address.'),
}
const place = {
  street: nullable('street'),
  postal: nullable('postal'),
  city: nullable('city'),
  country: nullable('country'),
  companyName: nullable('companyName'),
  taxId: nullable('taxId'),
}
const times = {
  ...timestamps(),
  deletedAt: orNull(time('Time of deletion; null while the address is live.')),
}

/** A delivery address, as responses show it. */
export const DeliveryAddress = z
  .object({
    ...ids,
    name: nullable('name'),
    ...place,
    email: nullable('email'),
    mobilePhone: nullable('mobilePhone'),
    default: bool(description.default),
    ...times,
  })
  .meta({ id: 'DeliveryAddress', description: 'An address to which a shop delivers.' })

/** A billing address, as responses show it. */
export const BillingAddress = z
  .object({
    ...ids,
    isDefault: bool(description.isDefault),
    ...place,
    ...times,
  })
  .meta({ id: 'BillingAddress', description: 'An address for invoices. Each order has one.' })

export type Addresses = {
  delivery: z.infer<typeof DeliveryAddress>
  billing: z.infer<typeof BillingAddress>
}

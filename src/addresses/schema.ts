/**
 * The two kinds of address: the fields that requests may set. Both kinds are in the table
 * `addresses`.
 */
import { and, isNull, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { addresses, type addressKinds } from '../db/schema/users.ts'

export type AddressKind = (typeof addressKinds)[number]

/**
 * The addresses of the book: not deleted, and not from an order of a seller's token. In the spelling
 * of the index `addresses_live`, so that SQLite uses it.
 */
export const isLive = and(isNull(addresses.deletedAt), sql`${addresses.origin} <> 'seller_order'`)

// Bidirectional overrides would turn round the text beside it.
const isLine = z.regex(
  /^[^\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]{0,255}$/u,
  'must be at most 255 characters without control characters',
)
const orNull = z.transform((text: string) => text || null)

/** One line of text. It is trimmed, and an empty one is stored as null. */
const line = (description: string, text = z.string().check(z.trim())) =>
  z.nullish(z.pipe(text.check(isLine), orNull)).check(z.describe(description))

export const description = {
  name: 'Name of the recipient.',
  street: 'Street and house number.',
  postal: 'Postal code.',
  city: 'City.',
  country: 'Country, as text or as a code.',
  companyName: 'Name of the company.',
  taxId: 'Tax id of the company.',
  email: 'E-mail address of the recipient.',
  mobilePhone: 'Phone number of the recipient.',
  default: 'Whether this is the default delivery address of the user. A user has at most one.',
  isDefault: 'Whether this is the default billing address of the user. A user has at most one.',
}

/** Shops send several lines, which become one. */
const street = z.string().check(
  z.trim(),
  z.overwrite((text) => text.replaceAll(/\s*[\r\n]+\s*/g, ', ')),
)

const email = z
  .string()
  .check(z.trim(), z.regex(/^([^\s@]+@[^\s@]+\.[^\s@]+)?$/, 'must be an e-mail address'))

/** The fields that a request may set on a billing address. */
export const BillingFields = z.object({
  street: line(description.street, street),
  postal: line(description.postal),
  city: line(description.city),
  country: line(description.country),
  companyName: line(description.companyName),
  taxId: line(description.taxId),
})

/** The fields that a request may set on a delivery address. */
export const DeliveryFields = z.object({
  name: line(description.name),
  ...BillingFields.shape,
  email: line(description.email, email),
  mobilePhone: line(description.mobilePhone),
})

/** The fields of an address. An absent field stays as it is, null clears it. */
export type AddressFields = z.infer<typeof DeliveryFields>

export const flag = (text: string) => z.optional(z.boolean()).check(z.describe(text))

export const DeliveryChanges = z.pipe(
  z
    .extend(DeliveryFields, { default: flag(description.default) })
    .check(z.meta({ id: 'DeliveryAddressChanges', description: 'The fields to change.' })),
  z.transform(({ default: isDefault, ...fields }) => ({ ...fields, isDefault })),
)

export const BillingChanges = z.extend(BillingFields, { isDefault: flag(description.isDefault) })

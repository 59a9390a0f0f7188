/**
 * The two kinds of address: the fields that requests may set, and the answers. Both kinds are in
 * the table `addresses`.
 */
import { and, isNull, sql } from 'drizzle-orm'
import * as z from 'zod'
import { columnsOf } from '../db/columns.ts'
import { addresses, type addressKinds } from '../db/schema.ts'
import { lazy } from '../http/lazy.ts'

export type AddressKind = (typeof addressKinds)[number]

/**
 * The addresses of the book: not deleted, and not from an order of a seller's token. In the spelling
 * of the index `addresses_live`, so that SQLite uses it.
 */
export const isLive = and(isNull(addresses.deletedAt), sql`${addresses.origin} <> 'seller_order'`)

/** One line of text. It is trimmed, and an empty one is stored as null. */
const line = (description: string) =>
  z
    .string()
    .trim()
    // Bidirectional overrides would turn round the text beside it.
    .regex(
      /^[^\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]{0,255}$/u,
      'must be at most 255 characters without control characters',
    )
    .transform((text) => text || null)
    .nullable()
    .optional()
    .describe(description)

const description = {
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

/** The fields that a request may set on a billing address. */
export const BillingFields = z.object({
  street: line(description.street),
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
  email: line(description.email)
    .refine((text) => !text || /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text), 'must be an e-mail address')
    // Zod does not copy descriptions to refined schemas.
    .describe(description.email),
  mobilePhone: line(description.mobilePhone),
})

/** The fields of an address. An absent field stays as it is, null clears it. */
export type AddressFields = z.infer<typeof DeliveryFields>

const flag = (text: string) => z.boolean().optional().describe(text)

export const DeliveryChanges = DeliveryFields.extend({
  default: flag(description.default),
}).transform(({ default: isDefault, ...fields }) => ({ ...fields, isDefault }))

export const BillingChanges = BillingFields.extend({ isDefault: flag(description.isDefault) })

const text = (of: keyof typeof description) => z.string().nullable().describe(description[of])

const ids = () => ({
  id: z.int().describe('Id of the address.'),
  userId: z.int().describe('Id of the user who owns the address.'),
})
const place = () => ({
  street: text('street'),
  postal: text('postal'),
  city: text('city'),
  country: text('country'),
  companyName: text('companyName'),
  taxId: text('taxId'),
})
const timestamps = () => ({
  createdAt: z.iso.datetime({ precision: 3 }).describe('Time of creation.'),
  updatedAt: z.iso.datetime({ precision: 3 }).describe('Time of the last change.'),
  deletedAt: z.iso
    .datetime({ precision: 3 })
    .nullable()
    .describe('Time of deletion; null while the address is live.'),
})

/** A delivery address, as responses show it. */
export const DeliveryAddress = lazy(() =>
  z
    .object({
      ...ids(),
      name: text('name'),
      ...place(),
      email: text('email'),
      mobilePhone: text('mobilePhone'),
      default: z.boolean().describe(description.default),
      ...timestamps(),
    })
    .meta({ id: 'DeliveryAddress', description: 'A delivery address.' }),
)

/** A billing address, as responses show it. */
export const BillingAddress = lazy(() =>
  z
    .object({
      ...ids(),
      isDefault: z.boolean().describe(description.isDefault),
      ...place(),
      ...timestamps(),
    })
    .meta({ id: 'BillingAddress', description: 'A billing address.' }),
)

export type Addresses = {
  delivery: z.infer<ReturnType<typeof DeliveryAddress>>
  billing: z.infer<ReturnType<typeof BillingAddress>>
}

/** The columns to select for each kind. */
export const addressColumns = {
  delivery: lazy(() => ({
    ...columnsOf(addresses, DeliveryAddress()),
    default: addresses.isDefault,
  })),
  billing: lazy(() => columnsOf(addresses, BillingAddress())),
}

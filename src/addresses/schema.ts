/**
 * Addresses: their kinds, the fields that requests send, and the fields that responses show. Both
 * kinds are in the table `addresses`.
 */
import { and, eq, isNull, ne, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { type RowOf, shownColumns } from '../db/columns.ts'
import { addresses, type addressKinds } from '../db/schema/users.ts'
import { bool, id, model, orNull, text, time, timestamps } from '../http/fields.ts'
import { optionalEmail, writtenText } from '../http/inputs.ts'
import { toLine } from '../http/text.ts'

export type AddressKind = (typeof addressKinds)[number]

/**
 * The addresses of the book: not deleted, and not from an order of a seller's token. In the spelling
 * of the index `addresses_live`, so that SQLite uses it.
 */
export const isLiveSql = and(
  isNull(addresses.deletedAt),
  sql`${addresses.origin} <> 'seller_order'`,
)

/** An address in the book of its owner, deleted or not. */
export const isOwnSql = ({ kind, id, userId }: { kind: AddressKind; id: number; userId: number }) =>
  and(
    eq(addresses.id, id),
    eq(addresses.kind, kind),
    eq(addresses.userId, userId),
    ne(addresses.origin, 'seller_order'),
  )

/**
 * Selects the ids of all addresses of a user: those of the book, deleted ones, and those of sellers'
 * orders. In the spelling of the indexes, so that SQLite uses them.
 */
export const selectAddressIds = (userIds: number | SQL): SQL => sql`(SELECT id FROM addresses
    WHERE userId IN (${userIds}) AND deletedAt IS NULL AND origin <> 'seller_order'
  UNION ALL SELECT id FROM addresses
    WHERE userId IN (${userIds}) AND (deletedAt IS NOT NULL OR origin = 'seller_order'))`

const oneDefault = (kind: AddressKind) =>
  `Whether this is the default ${kind} address of the user. A user has at most one.`
export const description = { default: oneDefault('delivery'), isDefault: oneDefault('billing') }

const addressLine = writtenText(255)

/** One line of text. One that shows nothing is stored as null. */
const line = (description: string, text = addressLine) =>
  text
    .transform((value) => value || null)
    .nullish()
    .register(z.globalRegistry, { description })

/** The fields that a request may set on a billing address. */
export const BillingFields = z.object({
  // Shops send several lines.
  street: line(
    'Street and house number.',
    writtenText(255, 0, (text) => toLine(text, ', ')),
  ),
  postal: line('Postal code.'),
  city: line('City.'),
  country: line('Country, as text or as a code.'),
  companyName: line('Name of the company.'),
  taxId: line('Tax id of the company.'),
})

/** The fields that a request may set on a delivery address. */
export const DeliveryFields = z.object({
  name: line('Name of the recipient.'),
  ...BillingFields.shape,
  email: line('E-mail address of the recipient.', optionalEmail),
  mobilePhone: line('Phone number of the recipient.'),
})

/** The fields of an address. An absent field stays as it is, null clears it. */
export type AddressFields = z.infer<typeof DeliveryFields>

export const flag = (text: string) => z.boolean().optional().describe(text)

export const DeliveryChanges = DeliveryFields.extend({ default: flag(description.default) })
  .meta({ id: 'DeliveryAddressChanges', description: 'The fields to change.' })
  .transform(({ default: isDefault, ...fields }) => ({ ...fields, isDefault }))

export const BillingChanges = BillingFields.extend({ isDefault: flag(description.isDefault) }).meta(
  {
    id: 'BillingAddressChanges',
    description: 'The fields to change.',
  },
)

/** The fields that a request may set, as responses show them. */
const shown = <Name extends string>({ shape }: { shape: Record<Name, z.ZodType> }) =>
  Object.fromEntries(
    Object.entries<z.ZodType>(shape).map(([name, field]) => [
      name,
      orNull(text(field.description ?? '')),
    ]),
  ) as Record<Name, z.ZodNullable<z.ZodString>>

const ids = {
  id: id('Id of the address.'),
  userId: id('Id of the user who owns the address.'),
}

/** What people write into an address, as responses show it. */
export const addressTexts = shown(DeliveryFields)

export const addressTimes = {
  ...timestamps(),
  deletedAt: orNull(time('Time of deletion; null while the address is live.')),
}

const DeliveryAddress = model('DeliveryAddress', 'An address to which a shop delivers.', () => ({
  ...ids,
  ...addressTexts,
  default: bool(description.default),
  ...addressTimes,
}))

const { street, postal, city, country, companyName, taxId } = addressTexts
const billingFields = {
  ...ids,
  isDefault: bool(description.isDefault),
  street,
  postal,
  city,
  country,
  companyName,
  taxId,
  ...addressTimes,
}
const BillingAddress = model(
  'BillingAddress',
  'An address for invoices. Each order has one.',
  () => billingFields,
)

/** The columns that answers show. A column that no answer names is never read. */
export const addressColumns = shownColumns(addresses, {
  shape: { ...ids, isDefault: true, ...addressTexts, ...addressTimes },
})

/** An address of either kind. */
export type Address = RowOf<typeof addressColumns>

/** Returns an address as responses show those of deliveries. */
export const toDelivery = ({ isDefault, ...address }: Address) => ({
  ...address,
  default: isDefault,
})

const billingNames = z.object(billingFields).keyof().options

/** Returns an address as responses show those of invoices: with these fields, and no others. */
export const toBilling = (address: Address) =>
  Object.fromEntries(billingNames.map((name) => [name, address[name]])) as Pick<
    Address,
    (typeof billingNames)[number]
  >

const ofList = 'The live addresses of the user, by id.'
export const DeliveryAddresses = model(
  'DeliveryAddressesAnswer',
  'The delivery addresses of a user.',
  () => ({ deliveryAddresses: z.array(DeliveryAddress).describe(ofList) }),
)
export const BillingAddresses = model(
  'BillingAddressesAnswer',
  'The billing addresses of a user.',
  () => ({ billingAddresses: z.array(BillingAddress).describe(ofList) }),
)

export const CreatedDelivery = model('NewDeliveryAddressAnswer', 'The new address.', () => ({
  newDeliveryAddress: DeliveryAddress,
}))
export const CreatedBilling = model('NewBillingAddressAnswer', 'The new address.', () => ({
  newBillingAddress: BillingAddress,
}))

export const UpdatedDelivery = model(
  'UpdatedDeliveryAddressAnswer',
  'The address after the change.',
  () => ({ updatedDeliveryAddress: DeliveryAddress }),
)
export const UpdatedBilling = model(
  'UpdatedBillingAddressAnswer',
  'The address after the change.',
  () => ({ updatedBillingAddress: BillingAddress }),
)

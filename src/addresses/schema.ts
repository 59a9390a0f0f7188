/**
 * Addresses: their kinds, the fields that requests send, and the fields that responses show. Both
 * kinds are in the table `addresses`. One that was deleted can be restored for an hour, and is removed
 * after 30 days.
 */
import { and, eq, gt, isNull, ne, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Database } from '../db/client.ts'
import { type RowOf, shownColumns } from '../db/columns.ts'
import { addresses, type addressKinds } from '../db/schema/users.ts'
import { prune } from '../db/statements.ts'
import { bool, id, model, orNull, text, time, timestamps } from '../http/fields.ts'
import { optionalEmail, toLine, writtenText } from '../http/inputs.ts'
import { peopleLimits } from '../http/limits.ts'

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
export const selectAddressIds = (userId: number | SQL): SQL => sql`(SELECT id FROM addresses
    WHERE userId = ${userId} AND deletedAt IS NULL AND origin <> 'seller_order'
  UNION ALL SELECT id FROM addresses
    WHERE userId = ${userId} AND (deletedAt IS NOT NULL OR origin = 'seller_order'))`

const oneDefault = (kind: AddressKind) =>
  `Whether this is the default ${kind} address of the user. A user has at most one.`
export const description = { default: oneDefault('delivery'), isDefault: oneDefault('billing') }

/** One line of text. One that shows nothing is stored as null. */
const line = (description: string, text = writtenText(255)) =>
  text
    .transform((value) => value || null)
    .nullish()
    .describe(description)

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

export const DeliveryFields = z.object({
  name: line('Name of the recipient.'),
  ...BillingFields.shape,
  email: line('E-mail address of the recipient.', optionalEmail),
  mobilePhone: line('Phone number of the recipient.'),
})

/** The fields of an address. An absent field stays as it is, null clears it. */
export type AddressFields = z.infer<typeof DeliveryFields>

export const flag = (text: string) => z.boolean().optional().describe(text)

const DeliveryChanges = DeliveryFields.extend({ default: flag(description.default) })
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

const DeliveryAddress = model('DeliveryAddress', 'An address to which a shop delivers.', {
  ...ids,
  ...addressTexts,
  default: bool(description.default),
  ...addressTimes,
})

const BillingAddress = model('BillingAddress', 'An address for invoices. Each order has one.', {
  ...ids,
  isDefault: bool(description.isDefault),
  ...shown(BillingFields),
  ...addressTimes,
})

/** The columns that answers show. A column that no answer names is never read. */
export const addressColumns = shownColumns(addresses, {
  shape: { ...ids, isDefault: true, ...addressTexts, ...addressTimes },
})

export type Address = RowOf<typeof addressColumns>

export const toDelivery = ({ isDefault, ...address }: Address) => ({
  ...address,
  default: isDefault,
})

const billingNames = BillingAddress.keyof().options

/** Returns an address as responses show those of invoices: with these fields, and no others. */
const toBilling = (address: Address) =>
  Object.fromEntries(billingNames.map((name) => [name, address[name]])) as Pick<
    Address,
    (typeof billingNames)[number]
  >

/** The kinds of addresses, as paths, summaries and answers have them. */
export const kinds = {
  delivery: {
    title: 'Delivery',
    Address: DeliveryAddress,
    Changes: DeliveryChanges,
    show: toDelivery,
  },
  billing: { title: 'Billing', Address: BillingAddress, Changes: BillingChanges, show: toBilling },
} as const

const before = (now: Date, age: number) => new Date(now.getTime() - age).toISOString()

/** Whether the address was deleted a short time ago, so that this can be undone. */
export const isUndoableSql = (now: Date): SQL =>
  gt(addresses.deletedAt, before(now, peopleLimits.undo.max))

/**
 * Deletes addresses that were deleted 30 days ago and that no order uses. Those that orders use are
 * looked at for 30 days more, and then never again. The newest row of all stays, so that its id is
 * not used again.
 */
export function sweepAddresses(db: Database, now: Date) {
  const { max: lifetime } = peopleLimits.deletedAddress
  return prune(
    db,
    addresses,
    sql`deletedAt BETWEEN ${before(now, 2 * lifetime)} AND ${before(now, lifetime)}
      AND id < (SELECT max(id) FROM addresses)
      AND NOT EXISTS (SELECT 1 FROM orders o
        WHERE o.buyerId = addresses.userId AND o.billingAddressId = addresses.id)`,
  )
}

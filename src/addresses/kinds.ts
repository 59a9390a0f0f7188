/**
 * The two kinds of address. All that tells them apart stands here (contract, "Delivery address"
 * and "Billing address"); the rest of this folder is written once for both.
 */

import { getTableColumns } from 'drizzle-orm'
import * as z from 'zod'
import { packed } from '../db/packed.ts'
import { addresses } from '../db/schema.ts'
import { once } from '../http/once.ts'

/** One line of text; what is empty once trimmed is stored as null. */
const line = z
  .string()
  .trim()
  .regex(/^\P{Cc}{0,255}$/u, 'must be at most 255 characters, none of them a control one')
  .transform((text) => text || null)
  .nullable()
  .optional()

const email = line.refine(
  (text) => !text || /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text),
  'must be an e-mail address',
)

const place = {
  street: line,
  postal: line,
  city: line,
  country: line,
  companyName: line,
  taxId: line,
}

/** An address as it is stored: what is to be selected of it, and the row. */
export const address = packed('address', getTableColumns(addresses))
export type Row = typeof addresses.$inferSelect

const deliveryFields = z.object({ name: line, ...place, email, mobilePhone: line })
const billingFields = z.object(place)
const flag = z.boolean().optional()

export const delivery = {
  name: 'delivery',
  type: 'DeliveryAddress',
  /** What a body may say of an address, and the names of that. */
  fields: deliveryFields,
  texts: deliveryFields.keyof().options,
  /** What the body of an update may say; `isDefault` has a name of its own in each kind. */
  changes: deliveryFields
    .extend({ default: flag })
    .transform(({ default: isDefault, ...texts }) => ({ ...texts, isDefault })),
  flag: 'default',
  /** An address with the keys that it has in the contract. */
  present: ({ kind, isDefault, ...row }: Row) => ({ ...row, default: isDefault }),
  path: '/api/public/deliveryAddress',
  listPath: '/api/public/user/:user_id/deliveryAddresses',
  /** The keys of the answers. */
  list: 'deliveryAddresses',
  created: 'newDeliveryAddress',
  updated: 'updatedDeliveryAddress',
} as const

export const billing = {
  name: 'billing',
  type: 'BillingAddress',
  fields: billingFields,
  texts: billingFields.keyof().options,
  changes: billingFields.extend({ isDefault: flag }),
  flag: 'isDefault',
  present: ({ kind, name, email, mobilePhone, ...row }: Row) => row,
  path: '/api/public/billingAddress',
  listPath: '/api/public/user/:user_id/billingAddresses',
  list: 'billingAddresses',
  created: 'newBillingAddress',
  updated: 'updatedBillingAddress',
} as const

export type Kind = typeof delivery | typeof billing

/** The texts of a body: a key that is absent says nothing, null clears. */
export type Texts = z.infer<typeof delivery.fields>

const answerOf = (kind: Kind) => {
  const timestamp = z.iso.datetime({ precision: 3 })
  return z
    .object({
      id: z.int(),
      userId: z.int(),
      ...Object.fromEntries(kind.texts.map((field) => [field, z.string().nullable()])),
      [kind.flag]: z.boolean(),
      createdAt: timestamp,
      updatedAt: timestamp,
      deletedAt: timestamp.nullable(),
    })
    .meta({ id: kind.type })
}

/** What the `present` of each kind gives. */
export const answers = once(() => ({ delivery: answerOf(delivery), billing: answerOf(billing) }))

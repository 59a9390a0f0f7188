/** What the order endpoints take. */
import * as z from 'zod/mini'

import { BillingFields } from '../addresses/schema.ts'
import { cursorText, idText, limitText } from '../http/ids.ts'
import { deliveryStatuses } from './list.ts'

/** The number of orders that one call may place or read. */
export const MAX_ORDERS = 100

const positiveInteger = (description: string) => {
  const error = ({ input }: { input?: unknown }) =>
    input === undefined ? 'is required' : 'must be a positive integer'
  return z.int({ error }).check(z.positive({ error }), z.describe(description))
}

const ProviderId = z
  .string()
  .check(
    z.trim(),
    z.regex(/^[^\p{Cc}\p{Cs}]{1,255}$/u, 'must be 1 to 255 characters without control characters'),
  )

const BillingData = BillingFields.check(
  z.meta({ id: 'BillingData', description: 'A billing address.' }),
)

const OrderInput = z
  .object({
    nftId: positiveInteger('Id of the NFT.'),
    listingId: positiveInteger('Id of the listing that sells the NFT.'),
    quantity: positiveInteger('Number of pieces.'),
    buyerUserId: positiveInteger('User id of the buyer.'),
    buyerBillingData: z
      .nullish(BillingData)
      .check(
        z.describe(
          'Billing address of the buyer. With city, country, postal code and street a new address is ' +
            'created; otherwise ' +
            'the first billing address of the buyer is used. From a master token the new address is ' +
            'added to the addresses of the buyer; from a user token it is kept for this order only.',
        ),
      ),
    providerId: z
      .nullish(ProviderId)
      .check(
        z.describe('Order number of the shop. Each number can be used once under a token name.'),
      ),
  })
  .check(z.meta({ id: 'NewOrder', description: 'An order to place.' }))

/** One order to place. */
export type OrderInput = z.infer<typeof OrderInput>

export const OrderInputs = z
  .array(OrderInput, { error: 'the body must be an array of orders' })
  .check(
    z.minLength(1, 'the body must have at least one order'),
    z.maxLength(MAX_ORDERS, `the body may have at most ${MAX_ORDERS} orders`),
    z.meta({ id: 'NewOrders', description: 'The orders to place.' }),
  )

export const IdempotencyHeader = z.object({
  'idempotency-key': z
    .optional(z.string().check(z.regex(/^.{1,255}$/, 'must be 1 to 255 characters')))
    .check(
      z.describe(
        'A key of your choice for this call, unique under a token name. If the call is sent again ' +
          'within 24 hours, it gets the first response again and places nothing.',
      ),
    ),
})

const commaSeparated = z.pipe(
  z.string(),
  z.transform((text) => text.split(',').map((value) => value.trim())),
)

/** The path parameter `<order_ids>`, as digits: a number may be larger than any id. */
export const OrderIds = z.object({
  order_ids: commaSeparated.check(
    z.superRefine((values, context) => {
      for (const [i, value] of values.entries())
        if (!/^[1-9]\d*$/.test(value)) {
          const message = `"${value.slice(0, 80)}" is not a number, please check the URL`
          context.addIssue({ code: 'custom', path: [i], message })
        }
      if (new Set(values).size > MAX_ORDERS)
        context.addIssue(`at most ${MAX_ORDERS} orders can be read at once`)
    }),
    z.meta({
      description: `1 to ${MAX_ORDERS} order ids. An id that is given twice counts once.`,
      param: { style: 'simple', explode: false },
    }),
  ),
})

/** The query of a list of orders. */
export const OrderQuery = z
  .object({
    limit: limitText(20).check(z.describe('Orders per page.')),
    cursor: z.optional(cursorText).check(z.describe('The `nextCursor` of the previous page.')),
    providerId: z
      .optional(ProviderId)
      .check(z.describe('Selects orders with this order number of the shop.')),
    deliveryStatus: z
      .optional(z.enum(deliveryStatuses))
      .check(z.describe('Selects orders whose item has this status; `pending` stands for null.')),
    buyerUserId: z
      .optional(idText)
      .check(z.describe('Selects orders of the buyer with this user id.')),
  })
  .check(
    z.superRefine(({ providerId, deliveryStatus, buyerUserId }, context) => {
      const filters = Object.entries({ providerId, deliveryStatus, buyerUserId })
      const [, ...others] = filters.filter(([, value]) => value !== undefined)
      for (const [name] of others)
        context.addIssue({ code: 'custom', path: [name], message: 'must be the only filter' })
    }),
  )

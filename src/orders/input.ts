/** What the order endpoints take. */
import * as z from 'zod'
import { BillingFields } from '../addresses/schema.ts'

/** The number of orders that one call may place or read. */
export const MAX_ORDERS = 100

const positiveInteger = (description: string) => {
  const error = ({ input }: { input?: unknown }) =>
    input === undefined ? 'is required' : 'must be a positive integer'
  return z.int({ error }).positive({ error }).describe(description)
}

const OrderInput = z.object({
  nftId: positiveInteger('Id of the NFT.'),
  listingId: positiveInteger('Id of the listing that sells the NFT.'),
  quantity: positiveInteger('Number of pieces.'),
  buyerUserId: positiveInteger('User id of the buyer.'),
  buyerBillingData: BillingFields.pick({ city: true, country: true, postal: true, street: true })
    .nullish()
    .describe(
      'Billing address of the buyer. With all four fields a new address is created; otherwise ' +
        'the first billing address of the buyer is used. From a master token the new address is ' +
        'added to the addresses of the buyer; from a user token it is kept for this order only.',
    ),
  providerId: z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]{1,255}$/u, 'must be 1 to 255 characters without control characters')
    .nullish()
    .describe('Order number of the shop. Each number can be used once under a token name.'),
})

/** One order to place. */
export type OrderInput = z.infer<typeof OrderInput>

export const OrderInputs = z
  .array(OrderInput, { error: 'the body must be an array of orders' })
  .min(1, 'the body must have at least one order')
  .max(MAX_ORDERS, `the body may have at most ${MAX_ORDERS} orders`)

export const IdempotencyHeader = z.object({
  'idempotency-key': z
    .string()
    .regex(/^.{1,255}$/, 'must be 1 to 255 characters')
    .optional()
    .describe(
      'A key of your choice for this call, unique under a token name. If the call is sent again ' +
        'within 24 hours, it gets the first response again and places nothing.',
    ),
})

/** The path parameter `<order_ids>`, as digits: a number may be larger than any id. */
export const OrderIds = z.object({
  order_ids: z
    .string()
    .transform((text, context) => {
      const values = [...new Set(text.split(','))]
      const wrong = values.find((value) => !/^[1-9]\d*$/.test(value))
      if (wrong !== undefined)
        context.addIssue(`"${wrong.slice(0, 80)}" is not a number, please check the URL`)
      else if (values.length > MAX_ORDERS)
        context.addIssue(`at most ${MAX_ORDERS} orders can be read at once`)
      return values
    })
    .describe(`1 to ${MAX_ORDERS} order ids, separated by commas.`),
})

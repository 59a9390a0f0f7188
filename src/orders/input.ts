/** What the order endpoints take (contract, "Orders"; decisions, "Orders"). */
import * as z from 'zod'
import { billing } from '../addresses/kinds.ts'

/** How many orders one call may place or read. */
const MOST_ORDERS = 100

const positiveInteger = () => {
  const error = ({ input }: { input?: unknown }) =>
    input === undefined ? 'is required' : 'must be a positive integer'
  return z.int({ error }).positive({ error })
}

/** One order to place. Unknown keys are ignored. */
const Element = z.object({
  nftId: positiveInteger(),
  listingId: positiveInteger(),
  quantity: positiveInteger(),
  buyerUserId: positiveInteger(),
  buyerBillingData: billing.fields
    .pick({ city: true, country: true, postal: true, street: true })
    .nullish(),
  /** The shop's own order number. */
  providerId: z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]{1,255}$/u, 'must be 1 to 255 characters, none of them a control one')
    .nullish(),
})

export type Element = z.infer<typeof Element>

export const Elements = z
  .array(Element, { error: 'the body must be an array of orders' })
  .min(1, 'the body must have at least one order')
  .max(MOST_ORDERS, `the body may have at most ${MOST_ORDERS} orders`)

export const RepeatHeader = z.object({
  'idempotency-key': z
    .string()
    .regex(/^.{1,255}$/, 'must be 1 to 255 characters')
    .optional()
    .describe(
      'Of your choice, for this call: sent again within 24 hours, it gets this answer again.',
    ),
})

/** The path's `<order_ids>`: as digits, because a number that no order can have is one as well. */
export const OrderIds = z.object({
  order_ids: z
    .string()
    .transform((text, context) => {
      const values = [...new Set(text.split(','))]
      const wrong = values.find((value) => !/^[1-9]\d*$/.test(value))
      if (wrong !== undefined)
        context.addIssue(`"${wrong.slice(0, 80)}" is not a number, please check the URL`)
      else if (values.length > MOST_ORDERS)
        context.addIssue(`at most ${MOST_ORDERS} orders can be read at once`)
      return values
    })
    .describe('1 to 100 ids, separated by commas.'),
})

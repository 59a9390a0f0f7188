/** One thing that is wrong with a request: what programs get of it, by its code. */
import * as z from 'zod'
import { type ErrorCode, errorStatus } from '../../../src/http/errors.ts'

const codes = Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]

export const Code = z.enum(codes).meta({
  id: 'ErrorCode',
  description: 'What is wrong, for programs. The page `/docs/errors` explains each code.',
})

const path = z
  .string()
  .describe('The field, such as `orders[2].quantity`; empty for the request as a whole.')
const message = z.string().describe('What is wrong with the field, as a sentence.')

/** Returns what every issue has. */
const issueOf = <Code extends z.ZodType>(code: Code) =>
  z.object({ path, code: code.describe('What is wrong with the field, for programs.'), message })

const ProviderIdUsed = issueOf(z.literal('provider_id_used'))
  .extend({
    orderId: z
      .int()
      .min(1)
      .optional()
      .describe('The order that has the number; missing if another order of the call has it.'),
  })
  .meta({ id: 'ProviderIdUsedIssue', description: 'An order has the number already.' })

const PriceChanged = issueOf(z.enum(['price_changed', 'confirmation_required']))
  .extend({
    expectedPriceCents: z.int().describe('The price that the request expects, or sets.'),
    expectedCurrency: z.string().describe('The currency that the request expects, or sets.'),
    priceCents: z.int().describe('Price of one piece now, in minor units.'),
    priceCurrency: z.string().describe('Currency of `priceCents`, ISO 4217.'),
  })
  .meta({ id: 'PriceChangedIssue', description: 'The price is not the one of the request.' })

const OrderDiffers = issueOf(z.literal('order_differs'))
  .extend({
    orderId: z.int().min(1).describe('The order that has the number.'),
    stored: z
      .union([
        z.int(),
        z.string(),
        z.record(z.string(), z.union([z.int(), z.string(), z.null()])),
        z.null(),
      ])
      .describe('What the order has: the id of a listing, an NFT or a buyer, or the value.'),
  })
  .meta({ id: 'OrderDiffersIssue', description: 'The stored order has another value.' })

const others = z
  .enum(codes)
  .exclude(['provider_id_used', 'price_changed', 'confirmation_required', 'order_differs'])
const Other = issueOf(others).meta({
  id: 'OtherIssue',
  description: 'Everything else that is wrong with a request.',
})

export const Issue = z
  .union([ProviderIdUsed, PriceChanged, OrderDiffers, Other])
  .meta({ id: 'Issue', description: 'One thing that is wrong with a request.' })

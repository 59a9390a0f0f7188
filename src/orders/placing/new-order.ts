/** What a shop sends to place orders. */
import * as z from 'zod'
import { BillingFields } from '../../addresses/schema.ts'
import { currencyCode } from '../../catalogue/currency.ts'
import { EmailAddress, identifier, uuid, wellFormed, without } from '../../http/inputs.ts'
import { WalletAddress } from '../../identity/wallet-address.ts'
import { orderLimits } from '../../limits.ts'
import { toLocale } from '../../texts/texts.ts'
import { ProviderId } from '../reading/schema.ts'

const requiredId = (description: string) => {
  const error = ({ input }: { input?: unknown }) =>
    input === undefined ? 'is required' : 'must be a positive integer'
  return z.int({ error }).min(1, { error }).describe(description)
}

/** The operator's own id of a listing or an NFT, from the catalogue. */
const externalId = (description: string) => identifier(200).optional().describe(description)

const BillingData = BillingFields.meta({
  id: 'BillingData',
  description: 'A billing address.',
})

/** The JSON schema of a rule that an object has exactly one of these fields. */
const exactlyOne = (fields: readonly string[]) => ({
  oneOf: fields.map((field) => ({ required: [field] })),
})

/** Checks fields together also if one of them has the wrong form, so that all issues are listed. */
const evenIfInvalid = {
  when: ({ value }: { value: unknown }) => Object(value) === value && !Array.isArray(value),
}

/** No order is refused for the language of mails: what is no locale is as if it was absent. */
const Locale = z
  .unknown()
  .transform((given) => (typeof given === 'string' ? (toLocale(given) ?? undefined) : undefined))
  .meta({ override: { type: ['string', 'null'] } })

const buyerKeys = ['userId', 'email', 'wallet'] as const

const GivenBuyer = z
  .object({
    userId: requiredId('User id.').optional(),
    email: EmailAddress.optional().describe('E-mail address.'),
    wallet: WalletAddress.optional().describe('Address of a wallet.'),
    locale: Locale.optional().describe(
      'Language of a buyer who gets an account by this order, as `de-AT` or `de_AT`: that of mails and ' +
        'pages, or the nearest one. Ignored for all others, and if it is no locale.',
    ),
  })
  .refine((buyer) => buyerKeys.filter((key) => buyer[key] !== undefined).length === 1, {
    error: 'must have exactly one of userId, email and wallet',
    ...evenIfInvalid,
  })
  .meta({
    id: 'GivenBuyer',
    allOf: [exactlyOne(buyerKeys)],
    description:
      'A buyer. Give one of `userId`, `email` and `wallet`. A person with an e-mail address or a wallet that nobody has yet gets ' +
      'an account, which belongs to whoever first proves to have the address.',
  })

const CustomKey = z.string().check(without(/[\p{Cc}\p{Cs}]/u))

const Custom = z
  .record(z.string(), z.string().check(wellFormed))
  .superRefine((custom, context) => {
    const names = Object.keys(custom)
    if (names.length > orderLimits.customKeys.max)
      context.addIssue(`must have at most ${orderLimits.customKeys.max} keys`)
    if (!names.every((name) => /^.{1,64}$/su.test(name)))
      context.addIssue('must have keys of 1 to 64 characters')
    for (const name of names)
      for (const issue of CustomKey.safeParse(name).error?.issues ?? [])
        context.addIssue({ ...issue, message: `${issue.message} of a key` })
    if (new TextEncoder().encode(JSON.stringify(custom)).length > orderLimits.custom.max)
      context.addIssue(`must have at most ${orderLimits.custom.max} bytes of JSON`)
  })
  .meta({ maxProperties: orderLimits.customKeys.max })

/** An amount in minor units of the currency beside it. */
const amount = z.int().nonnegative()

const orNull = <T extends z.ZodType>(field: T) => field.nullable().default(null)

const GivenPayment = z
  .strictObject({
    grossCents: amount.describe('What was paid: with taxes, and after discounts.'),
    taxCents: orNull(amount).describe('The taxes in it.'),
    discountCents: orNull(amount).describe('The discounts that were given.'),
    currency: currencyCode.describe('Currency of these amounts, ISO 4217.'),
    invoiceNumber: orNull(identifier(255)).describe('Number of your invoice.'),
  })
  .refine(({ grossCents, taxCents }) => taxCents === null || taxCents <= grossCents, {
    error: 'must not be more than grossCents',
    path: ['taxCents'],
  })
  .meta({
    id: 'GivenPayment',
    description: 'What the customer has really paid, in minor units of the currency.',
  })

/** What an order names by an id or in another way. */
const alternatives = [
  ['nftId', 'nft'],
  ['listingId', 'listing'],
  ['buyerUserId', 'buyer'],
] as const

/** Reports a pair of which not exactly one is given, and a price without its currency. */
const checkTogether =
  (pairs: readonly (typeof alternatives)[number][]) =>
  (order: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
    const report = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message })
    for (const [id, other] of pairs)
      if (order[id] === undefined && order[other] === undefined)
        report(id, `is required, or ${other} in its place`)
      else if (order[id] !== undefined && order[other] !== undefined)
        report(other, `must not be given together with ${id}`)
    const hasPrice = order.expectedPriceCents !== undefined
    if (hasPrice === (order.expectedCurrency !== undefined)) return
    if (hasPrice) report('expectedCurrency', 'is required with a price')
    else report('expectedPriceCents', 'is required with a currency')
  }

/**
 * An object with these fields, of which one of each pair of `alternatives` is given, and a price with its
 * currency. `notArray`: the message for an array. Default: that of every value that is no object.
 */
export function withRules<S extends z.ZodRawShape>(
  shape: S,
  meta: { id: string; description: string },
  notArray?: string,
) {
  const pairs = alternatives.filter(([id]) => id in shape)
  return z
    .object(shape, { error: ({ input }) => (Array.isArray(input) ? notArray : undefined) })
    .superRefine(checkTogether(pairs), evenIfInvalid)
    .meta({
      ...meta,
      allOf: pairs.map(exactlyOne),
      dependentRequired: {
        expectedPriceCents: ['expectedCurrency'],
        expectedCurrency: ['expectedPriceCents'],
      },
    })
}

export const NewOrder = withRules(
  {
    nftId: requiredId('Id of the NFT. Give this or `nft`.').optional(),
    nft: externalId('Your own id of the NFT, from the catalogue. Give this or `nftId`.'),
    listingId: requiredId(
      'Id of the listing that sells the NFT. Give this or `listing`.',
    ).optional(),
    listing: externalId(
      'Your own id of the listing, from the catalogue. Give this or `listingId`.',
    ),
    quantity: requiredId('Number of pieces.'),
    expectedPriceCents: z
      .int()
      .nonnegative()
      .optional()
      .describe(
        'Price of one piece in minor units, as the shop has shown it. If the listing asks something else, the call fails.',
      ),
    expectedCurrency: currencyCode
      .optional()
      .describe('Currency of `expectedPriceCents`, ISO 4217.'),
    buyerUserId: requiredId('User id of the buyer. Give this or `buyer`.').optional(),
    buyer: GivenBuyer.optional().describe('The buyer, if not by `buyerUserId`.'),
    buyerBillingData: BillingData.nullish().describe(
      'Billing address of the buyer. With city, country, postal code and street a new address is ' +
        'created (the postal code may be absent if `country` is the ISO 3166-1 code of one without postal ' +
        'codes, such as `HK`); otherwise the first billing address of the buyer is used. From a master token (without `orders`) the ' +
        'new address is added to the addresses of the buyer; else it is kept for this order only.',
    ),
    providerId: ProviderId.nullish().describe(
      'Order number of the shop. Each number can be used once under a token name.',
    ),
    custom: Custom.nullish().describe(
      `Texts of your own: at most ${orderLimits.customKeys.max} keys of up to 64 characters, together ` +
        `${orderLimits.custom.max} bytes of JSON. Events and transfers show them, also to the buyer.`,
    ),
    paid: GivenPayment.nullish().describe(
      'What the customer has really paid, for your books: summaries and exports show it, and buyer ' +
        'and seller see it. Nothing is computed from it: the price of the order is that of the listing.',
    ),
    reservationId: uuid
      .optional()
      .describe(
        'A reservation of this listing and quantity, which becomes the order. Its price is that of ' +
          'the order.',
      ),
  },
  { id: 'NewOrder', description: 'An order to place.' },
)
export type NewOrder = z.infer<typeof NewOrder>

export const NumberedOrder = withRules(
  {
    ...NewOrder.shape,
    providerId: ProviderId.nullish().describe('May repeat the number of the path.'),
  },
  { id: 'NumberedOrder', description: 'An order whose number is in the path.' },
  'the body must be an order, not an array',
)

export const NewOrders = z
  .array(NewOrder, { error: 'the body must be an array of orders' })
  .min(1, 'the body must have at least one order')
  .max(orderLimits.perCall.max, `the body may have at most ${orderLimits.perCall.max} orders`)
  .meta({ id: 'NewOrders', description: 'The orders to place.' })

export const IdempotencyHeader = z.object({
  // What is not UTF-8 in a header arrives as U+FFFD: two keys would be one.
  'idempotency-key': identifier(255, /[\p{Cc}\uFFFD]/u)
    .optional()
    .describe(
      'A key of your choice for this call, unique under a token name. If the call is sent again ' +
        'within 24 hours, it changes nothing and gets the orders of the first call, as they are now, or ' +
        'the reservations of the first call. A refusal is not stored. Use ASCII.',
    ),
})

/**
 * What a shop sends to place orders, and the orders of responses. The schemas of responses are
 * allow-lists: types, selected columns and the OpenAPI document follow from them.
 */
import * as z from 'zod'
import { BillingFields } from '../addresses/schema.ts'
import { itemStatuses } from '../db/schema/delivery.ts'
import {
  address,
  always,
  currency,
  decimal,
  docs,
  hash,
  id,
  money,
  orNull,
  positive,
  text,
  time,
  timestamps,
} from '../http/fields.ts'
import { inputText } from '../http/inputs.ts'
import { WalletAddress } from '../identity/address.ts'
import { EmailAddress } from '../identity/email-link.ts'
import { Buyer } from './buyer.ts'
import { Listing, Nft } from './nft.ts'

/** The number of orders that one call may place or read. */
export const MAX_ORDERS = 100

const requiredId = (description: string) => {
  const error = ({ input }: { input?: unknown }) =>
    input === undefined ? 'is required' : 'must be a positive integer'
  return z.int({ error }).positive({ error }).describe(description)
}

const notProviderId = 'must be 1 to 255 characters without control characters'

/** The shop's own order number. */
export const ProviderId = inputText(1000, notProviderId)
  .trim()
  .regex(/^[^\p{Cc}\p{Cs}]{1,255}$/u, notProviderId)

const notExternalId = 'must be 1 to 200 characters without control characters'

/** The operator's own id of a listing or an NFT, from the catalogue. */
const externalId = (description: string) =>
  inputText(1000, notExternalId)
    .regex(/^[^\p{Cc}\p{Cs}]{1,200}$/u, notExternalId)
    .optional()
    .describe(description)

const BillingData = BillingFields.meta({
  id: 'BillingData',
  description: docs('A billing address.'),
})

/** The JSON schema of a rule that an object has exactly one of these fields. */
const exactlyOne = (fields: readonly string[]) => ({
  oneOf: fields.map((field) => ({ required: [field] })),
})

/** Checks fields together also if one of them has the wrong form, so that all issues are listed. */
export const evenIfInvalid = { when: ({ value }: { value: unknown }) => Object(value) === value }

const GivenBuyer = z
  .object({
    userId: requiredId(docs('User id.')).optional(),
    email: EmailAddress.optional().describe(docs('E-mail address.')),
    wallet: WalletAddress.optional().describe(docs('Address of a wallet.')),
  })
  .refine((buyer) => Object.values(buyer).filter((value) => value !== undefined).length === 1, {
    error: 'must have exactly one of userId, email and wallet',
    ...evenIfInvalid,
  })
  .meta({
    id: 'GivenBuyer',
    allOf: [exactlyOne(['userId', 'email', 'wallet'])],
    description:
      'A buyer. Give one field. A person with an e-mail address or a wallet that nobody has yet gets ' +
      'an account, which belongs to whoever first proves to have the address.',
  })

const MAX_CUSTOM_KEYS = 20
/** Of the JSON in UTF-8. */
const MAX_CUSTOM_BYTES = 4096

const Custom = z
  .record(z.string(), z.string())
  .superRefine((custom, context) => {
    const names = Object.keys(custom)
    if (names.length > MAX_CUSTOM_KEYS)
      context.addIssue(`must have at most ${MAX_CUSTOM_KEYS} keys`)
    if (!names.every((name) => /^[^\p{Cc}\p{Cs}]{1,64}$/u.test(name)))
      context.addIssue('must have keys of 1 to 64 characters without control characters')
    if (new TextEncoder().encode(JSON.stringify(custom)).length > MAX_CUSTOM_BYTES)
      context.addIssue(`must have at most ${MAX_CUSTOM_BYTES} bytes of JSON`)
  })
  .meta({ maxProperties: MAX_CUSTOM_KEYS })

/** Fields of which exactly one is given. */
type Alternatives = readonly (readonly [id: string, other: string])[]

/** What an order names by an id or in another way. */
const alternatives: Alternatives = [
  ['nftId', 'nft'],
  ['listingId', 'listing'],
  ['buyerUserId', 'buyer'],
]

/** Reports a pair of which not exactly one is given, and a price without its currency. */
export const checkTogether =
  (pairs: Alternatives) =>
  (order: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
    const report = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message })
    for (const [id, other] of pairs)
      if (order[id] === undefined && order[other] === undefined) report(id, 'is required')
      else if (order[id] !== undefined && order[other] !== undefined)
        report(other, `must not be given together with ${id}`)
    const hasPrice = order.expectedPriceCents !== undefined
    if (hasPrice === (order.expectedCurrency !== undefined)) return
    if (hasPrice) report('expectedCurrency', 'is required with a price')
    else report('expectedPriceCents', 'is required with a currency')
  }

/** The JSON schema of the same rules. */
export const together = (pairs: Alternatives) => ({
  allOf: pairs.map(exactlyOne),
  dependentRequired: {
    expectedPriceCents: ['expectedCurrency'],
    expectedCurrency: ['expectedPriceCents'],
  },
})

export const NewOrder = z
  .object({
    nftId: requiredId(docs('Id of the NFT. Give this or `nft`.')).optional(),
    nft: externalId('Your own id of the NFT, from the catalogue. Give this or `nftId`.'),
    listingId: requiredId(
      docs('Id of the listing that sells the NFT. Give this or `listing`.'),
    ).optional(),
    listing: externalId(
      'Your own id of the listing, from the catalogue. Give this or `listingId`.',
    ),
    quantity: requiredId(docs('Number of pieces.')),
    expectedPriceCents: z
      .int()
      .nonnegative()
      .optional()
      .describe(
        'Price of one piece in minor units, as the shop has shown it. If the listing asks something else, the call fails.',
      ),
    expectedCurrency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'must be three capital letters, as in "EUR"')
      .optional()
      .describe(docs('Currency of `expectedPriceCents`, ISO 4217.')),
    buyerUserId: requiredId(docs('User id of the buyer. Give this or `buyer`.')).optional(),
    buyer: GivenBuyer.optional().describe(docs('The buyer, if not by `buyerUserId`.')),
    buyerBillingData: BillingData.nullish().describe(
      docs(
        'Billing address of the buyer. With city, country, postal code and street a new address is ' +
          'created; otherwise ' +
          'the first billing address of the buyer is used. From a master token the new address is ' +
          'added to the addresses of the buyer; from a user token it is kept for this order only.',
      ),
    ),
    providerId: ProviderId.nullish().describe(
      docs('Order number of the shop. Each number can be used once under a token name.'),
    ),
    custom: Custom.nullish().describe(
      `Texts of your own: at most ${MAX_CUSTOM_KEYS} keys of up to 64 characters, together ` +
        `${MAX_CUSTOM_BYTES} bytes of JSON. Events and transfers show them, also to the buyer.`,
    ),
    reservationId: z
      .uuid()
      .optional()
      .describe(
        'A reservation of this listing and quantity, which becomes the order. Its price is that of ' +
          'the order.',
      ),
  })
  .superRefine(checkTogether(alternatives), evenIfInvalid)
  .meta({ id: 'NewOrder', description: docs('An order to place.'), ...together(alternatives) })
export type NewOrder = z.infer<typeof NewOrder>

const { providerId: _, ...unnumbered } = NewOrder.shape

export const NumberedOrder = z
  .object(unnumbered)
  .superRefine(checkTogether(alternatives), evenIfInvalid)
  .meta({
    id: 'NumberedOrder',
    description: docs('An order whose number is in the path.'),
    ...together(alternatives),
  })

export const NewOrders = z
  .array(NewOrder, { error: 'the body must be an array of orders' })
  .min(1, 'the body must have at least one order')
  .max(MAX_ORDERS, `the body may have at most ${MAX_ORDERS} orders`)
  .meta({ id: 'NewOrders', description: docs('The orders to place.') })

/** Why pieces cannot be sold or reserved. */
export const saleErrors = [
  'listing_not_found',
  'listing_inactive',
  'listing_ended',
  'nft_not_found',
  'nft_not_released',
  'sold_out',
  'quantity_too_large',
  'quantity_above_limit',
  'not_your_listing',
  'price_changed',
  'too_many_open_orders',
  'request_in_progress',
] as const

export const IdempotencyHeader = z.object({
  'idempotency-key': z
    .string()
    .regex(/^.{1,255}$/, 'must be 1 to 255 characters')
    .optional()
    .describe(
      'A key of your choice for this call, unique under a token name. If the call is sent again ' +
        'within 24 hours, it gets the first response again and changes nothing.',
    ),
})

const ItemStatus = z.enum(itemStatuses).meta({
  id: 'ItemStatus',
  description:
    '`awaiting_wallet`: the buyer has no wallet yet, and the transfer starts when one is linked. ' +
    '`transferring`: a transaction was sent. `transferred`: the buyer has the NFT. `failed`: it ' +
    'was cancelled or cannot be delivered; `failReason` of the order says why.',
})

/** An order item without its NFT and listing. */
export const OrderItemFields = z.object({
  id: id(docs('Id of the order item.')),
  orderId: id(docs('Id of the order.')),
  nftId: id(docs('Id of the NFT.')),
  listingId: id(docs('Id of the listing.')),
  quantity: positive(docs('Number of pieces.')),
  priceCents: money(docs('Price of one piece')),
  priceEths: decimal(docs('Price of one piece in ETH.')),
  ethRecipient: orNull(address(docs('Wallet of the recipient; null until the buyer has one.'))),
  priceCurrency: currency(docs('Currency of `priceCents`, ISO 4217.')),
  paymentProvider: orNull(always(docs('Always `external`.'), 'external')),
  ...timestamps(),
  ProductType: always(docs('Always `nft`.'), 'nft'),
  status: ItemStatus.nullable().describe(
    docs('State of the delivery; null while no transaction was sent.'),
  ),
  txId: orNull(hash(docs('Transaction that transfers the NFT; null before one is sent.'))),
})

/** An order without its buyer and items. */
export const OrderFields = z.object({
  id: id(docs('Id of the order.')),
  buyerId: id(docs('User id of the buyer.')),
  billingAddressId: id(docs('Id of the billing address.')),
  paymentMethod: always(docs('Always `external`: the shop has the payment.'), 'external'),
  provider: always(docs('Always `external`.'), 'external'),
  providerId: orNull(text(docs('Order number of the shop; null if it sent none.'))),
  payprovStxTransactionId: orNull(text(docs('Transaction id of a payment provider.'))),
  payprovPciTransactionId: orNull(text(docs('Transaction id of a payment provider.'))),
  payprovWebhookToken: z
    .uuid()
    .describe(
      'Token for webhooks of a payment provider. Only for master tokens; otherwise the nil UUID.',
    ),
  totalPriceCents: money(docs('Price of all pieces')),
  totalPriceCurrency: currency(docs('Currency of the total price, ISO 4217.')),
  totalPriceEth: decimal(docs('Price of all pieces in ETH.')),
  status: orNull(always('State of the payment. The items have the state of the delivery.', 'paid')),
  failReason: orNull(
    text(docs('Why an item is `failed`; `cancelled` after a cancellation. Otherwise null.')),
  ),
  feesCollectedAt: orNull(time(docs('Time when the fees were collected.'))),
  ...timestamps(),
  ProductType: always(docs('Always `nft`.'), 'nft'),
})

const OrderItem = OrderItemFields.extend({
  nft: Nft.describe(docs('The NFT that is sold.')),
  listing: Listing.describe(docs('The listing that sells it.')),
}).meta({ id: 'OrderItem', description: docs('An NFT of an order, and its delivery.') })

const items = { orderItems: z.array(OrderItem).describe(docs('The items: one per order.')) }

/** An order in the response that places it: without the buyer. */
const PlacedOrder = OrderFields.extend(items).meta({
  id: 'PlacedOrder',
  description: docs('A new order, without its buyer.'),
})

const Order = OrderFields.extend({ ...items, buyer: Buyer.describe(docs('The buyer.')) }).meta({
  id: 'Order',
  description: docs('An order and its delivery.'),
})

const orders = <T extends z.ZodType>(order: T) =>
  z.object({
    orders: z.array(order).describe(docs('The orders, in the order of the request.')),
    error: z.null().describe(docs('Always null.')),
  })

export const CheckedOrder = OrderItemFields.pick({
  nftId: true,
  listingId: true,
  quantity: true,
  priceCents: true,
  priceCurrency: true,
  priceEths: true,
})
  .extend(OrderFields.pick({ totalPriceCents: true, totalPriceEth: true }).shape)
  .meta({ id: 'CheckedOrder', description: docs('What an order would cost.') })

export const CheckedOrders = orders(CheckedOrder).meta({
  id: 'CheckedOrders',
  description: docs('The orders that could be placed.'),
})
export const PlacedOrders = orders(PlacedOrder).meta({
  id: 'PlacedOrders',
  description: docs('The new orders.'),
})
export const Orders = orders(Order).meta({
  id: 'Orders',
  description: docs('The orders and their deliveries.'),
})
export const OrderPage = Orders.extend({
  orders: z.array(Order).describe(docs('The orders, newest first.')),
  nextCursor: orNull(text(docs('The next `cursor`; null on the last page.'))),
}).meta({ id: 'OrderPage', description: docs('A page of orders.') })

export type PlacedOrder = z.infer<typeof PlacedOrder>
export type Order = z.infer<typeof Order>

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
  count,
  currency,
  decimal,
  hash,
  id,
  orNull,
  positive,
  text,
  time,
  timestamps,
} from '../http/fields.ts'
import { inputText } from '../http/inputs.ts'
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

const BillingData = BillingFields.meta({ id: 'BillingData', description: 'A billing address.' })

const NewOrder = z
  .object({
    nftId: requiredId('Id of the NFT.'),
    listingId: requiredId('Id of the listing that sells the NFT.'),
    quantity: requiredId('Number of pieces.'),
    buyerUserId: requiredId('User id of the buyer.'),
    buyerBillingData: BillingData.nullish().describe(
      'Billing address of the buyer. With city, country, postal code and street a new address is ' +
        'created; otherwise ' +
        'the first billing address of the buyer is used. From a master token the new address is ' +
        'added to the addresses of the buyer; from a user token it is kept for this order only.',
    ),
    providerId: ProviderId.nullish().describe(
      'Order number of the shop. Each number can be used once under a token name.',
    ),
  })
  .meta({ id: 'NewOrder', description: 'An order to place.' })
export type NewOrder = z.infer<typeof NewOrder>

export const NewOrders = z
  .array(NewOrder, { error: 'the body must be an array of orders' })
  .min(1, 'the body must have at least one order')
  .max(MAX_ORDERS, `the body may have at most ${MAX_ORDERS} orders`)
  .meta({ id: 'NewOrders', description: 'The orders to place.' })

const ItemStatus = z.enum(itemStatuses).meta({
  id: 'ItemStatus',
  description:
    '`awaiting_wallet`: the buyer has no wallet yet, and the transfer starts when one is linked. ' +
    '`transferring`: a transaction was sent. `transferred`: the buyer has the NFT. `failed`: it ' +
    'was cancelled or cannot be delivered; `failReason` of the order says why.',
})

/** An order item without its NFT and listing. */
export const OrderItemFields = z.object({
  id: id('Id of the order item.'),
  orderId: id('Id of the order.'),
  nftId: id('Id of the NFT.'),
  listingId: id('Id of the listing.'),
  quantity: positive('Number of pieces.'),
  priceCents: count('Price of one piece, in cents.'),
  priceEths: decimal('Price of one piece in ETH.'),
  ethRecipient: orNull(address('Wallet of the recipient; null until the buyer has one.')),
  priceCurrency: currency('Currency of `priceCents`, ISO 4217.'),
  paymentProvider: orNull(always('Always `external`.', 'external')),
  ...timestamps(),
  ProductType: always('Always `nft`.', 'nft'),
  status: ItemStatus.nullable().describe(
    'State of the delivery; null while no transaction was sent.',
  ),
  txId: orNull(hash('Transaction that transfers the NFT; null before one is sent.')),
})

/** An order without its buyer and items. */
export const OrderFields = z.object({
  id: id('Id of the order.'),
  buyerId: id('User id of the buyer.'),
  billingAddressId: id('Id of the billing address.'),
  paymentMethod: always('Always `external`: the shop has the payment.', 'external'),
  provider: always('Always `external`.', 'external'),
  providerId: orNull(text('Order number of the shop; null if it sent none.')),
  payprovStxTransactionId: orNull(text('Transaction id of a payment provider.')),
  payprovPciTransactionId: orNull(text('Transaction id of a payment provider.')),
  payprovWebhookToken: z
    .uuid()
    .describe(
      'Token for webhooks of a payment provider. Only for master tokens; otherwise the nil UUID.',
    ),
  totalPriceCents: count('Price of all pieces, in cents.'),
  totalPriceCurrency: currency('Currency of the total price, ISO 4217.'),
  totalPriceEth: decimal('Price of all pieces in ETH.'),
  status: orNull(always('State of the payment. The items have the state of the delivery.', 'paid')),
  failReason: orNull(
    text('Why an item is `failed`; `cancelled` after a cancellation. Otherwise null.'),
  ),
  feesCollectedAt: orNull(time('Time when the fees were collected.')),
  ...timestamps(),
  ProductType: always('Always `nft`.', 'nft'),
})

const OrderItem = OrderItemFields.extend({
  nft: Nft.describe('The NFT that is sold.'),
  listing: Listing.describe('The listing that sells it.'),
}).meta({ id: 'OrderItem', description: 'An NFT of an order, and its delivery.' })

const items = { orderItems: z.array(OrderItem).describe('The items: one per order.') }

/** An order in the response that places it: without the buyer. */
const PlacedOrder = OrderFields.extend(items).meta({
  id: 'PlacedOrder',
  description: 'A new order, without its buyer.',
})

const Order = OrderFields.extend({ ...items, buyer: Buyer.describe('The buyer.') }).meta({
  id: 'Order',
  description: 'An order and its delivery.',
})

const orders = <T extends z.ZodType>(order: T) =>
  z.object({
    orders: z.array(order).describe('The orders, in the order of the request.'),
    error: z.null().describe('Always null.'),
  })

export const PlacedOrders = orders(PlacedOrder).meta({
  id: 'PlacedOrders',
  description: 'The new orders.',
})
export const Orders = orders(Order).meta({
  id: 'Orders',
  description: 'The orders and their deliveries.',
})
export const OrderPage = Orders.extend({
  orders: z.array(Order).describe('The orders, newest first.'),
  nextCursor: orNull(text('The next `cursor`; null on the last page.')),
}).meta({ id: 'OrderPage', description: 'A page of orders.' })

export type PlacedOrder = z.infer<typeof PlacedOrder>
export type Order = z.infer<typeof Order>

/**
 * The orders of responses. Their schemas are allow-lists: types, selected columns and the OpenAPI
 * document follow from them.
 */
import * as z from 'zod'
import { itemStatuses, reasonCodes } from '../db/schema/delivery.ts'
import {
  address,
  always,
  count,
  currency,
  decimal,
  deliveryFields,
  hash,
  id,
  model,
  money,
  orNull,
  positive,
  shopFields,
  text,
  time,
  timestamps,
} from '../http/fields.ts'
import { Listing, Nft } from './nft.ts'
import { Buyer } from './viewer.ts'

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
  priceCents: money('Price of one piece'),
  priceEths: decimal('Price of one piece in ETH.'),
  ethRecipient: orNull(address('Wallet of the recipient; null until the buyer has one.')),
  priceCurrency: currency('Currency of `priceCents`, ISO 4217.'),
  paymentProvider: orNull(always('Always `external`.', 'external')),
  ...timestamps(),
  ProductType: always('Always `nft`.', 'nft'),
  status: ItemStatus.nullable().describe(
    'State of the delivery; null while no transaction was sent.',
  ),
  txId: orNull(
    hash(
      'Newest transaction: a transfer, or the cancellation of it. Null before one is sent. It may ' +
        'carry many orders, so several may have the same one.',
    ),
  ),
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
      'Token for webhooks of a payment provider. Only for master tokens (without `orders`); otherwise the nil UUID.',
    ),
  totalPriceCents: money('Price of all pieces'),
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
export const PlacedOrder = OrderFields.extend(items).meta({
  id: 'PlacedOrder',
  description: 'A new order, without its buyer.',
})

export const Order = OrderFields.extend({
  ...items,
  buyer: Buyer.describe('The buyer.'),
}).meta({
  id: 'Order',
  description: 'An order and its delivery.',
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
  .meta({ id: 'CheckedOrder', description: 'What an order would cost.' })

export type PlacedOrder = z.infer<typeof PlacedOrder>
export type Order = z.infer<typeof Order>

export const Payment = model('Payment', 'What the customer has really paid.', {
  grossCents: money('What was paid: with taxes, and after discounts'),
  taxCents: orNull(count('The taxes in it; null if the shop has not told.')),
  discountCents: orNull(count('The discounts that were given; null if the shop has not told.')),
  currency: currency('Currency of these amounts, ISO 4217.'),
  invoiceNumber: orNull(text('Number of the invoice; null if the shop has not told.')),
})

/** What summaries show of the row of an order, and of that of its item. */
export const SummaryOrder = OrderFields.pick({
  id: true,
  totalPriceCents: true,
  totalPriceEth: true,
  buyerId: true,
  createdAt: true,
}).extend({
  paid: orNull(
    Payment.describe('What the customer has really paid; null if the shop has not told.'),
  ),
})
export const SummaryItem = OrderItemFields.pick({
  nftId: true,
  listingId: true,
  quantity: true,
  priceCents: true,
  priceCurrency: true,
}).extend({ sellerId: id('User id of the seller.') })

export const OrderSummary = model(
  'OrderSummary',
  'An order with its item and delivery, in short.',
  {
    ...SummaryOrder.shape,
    orderItemId: id('Id of its item.'),
    ...shopFields,
    ...SummaryItem.shape,
    ...OrderItemFields.pick({ status: true, txId: true, updatedAt: true }).shape,
    reasonCode: orNull(
      z.enum(reasonCodes).describe('Why the item is `failed`, for programs. Otherwise null.'),
    ),
    failReason: OrderFields.shape.failReason,
    ...deliveryFields,
  },
)

const withOrders = <T extends z.ZodType>(order: T, description: string) =>
  z.object({
    orders: z.array(order).describe(description),
    error: z.null().describe('Always null.'),
  })
const ofRequest = 'The orders, in the order of the request.'
const nextCursor = orNull(text('The next `cursor`; null on the last page.'))

export const CheckedOrders = withOrders(CheckedOrder, ofRequest).meta({
  id: 'CheckedOrders',
  description: 'The orders that could be placed.',
})
export const PlacedOrders = withOrders(PlacedOrder, ofRequest).meta({
  id: 'PlacedOrders',
  description: 'The orders of the call, as they are now.',
})
export const Orders = withOrders(Order, ofRequest).meta({
  id: 'Orders',
  description: 'The orders and their deliveries.',
})
export const OrderSummaries = withOrders(OrderSummary, 'The orders.').meta({
  id: 'OrderSummaries',
  description: 'Summaries of orders.',
})

const OrderPage = withOrders(Order, 'The orders, newest first.')
  .extend({ nextCursor })
  .meta({ id: 'OrderPage', description: 'A page of orders.' })
const OrderSummaryPage = withOrders(OrderSummary, 'The orders.')
  .extend({ nextCursor })
  .meta({ id: 'OrderSummaryPage', description: 'A page of summaries of orders.' })
export const AnyOrderPage = z.union([OrderPage, OrderSummaryPage]).describe('A page of orders.')

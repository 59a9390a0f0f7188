/**
 * The orders of responses. Their schemas are allow-lists: types, selected columns and the OpenAPI
 * document follow from them.
 */
import * as z from 'zod'
import { saleObstacles } from '../../db/schema/catalogue.ts'
import { orderItemStatuses, reasonCodes } from '../../db/schema/delivery.ts'
import { deliveryFields } from '../../delivery/shown.ts'
import { shopFields } from '../../events/shop-fields.ts'
import * as f from '../../http/fields.ts'
import { identifier } from '../../http/inputs.ts'
import { Listing, Nft } from './nft.ts'
import { Buyer } from './viewer.ts'

/** The order number of a shop. */
export const ProviderId = identifier(255)

const OrderItemStatus = z.enum(orderItemStatuses).meta({
  id: 'ItemStatus',
  description:
    '`awaiting_wallet`: the buyer has no wallet yet, and the transfer starts when one is linked. ' +
    '`transferring`: a transaction was sent. `transferred`: the buyer has the NFT. `failed`: it ' +
    'was cancelled or cannot be delivered; `failReason` of the order says why.',
})

export const OrderItemFields = z.object({
  id: f.id('Id of the order item.'),
  orderId: f.id('Id of the order.'),
  nftId: f.id('Id of the NFT.'),
  listingId: f.id('Id of the listing.'),
  quantity: f.positive('Number of pieces.'),
  priceCents: f.money('Price of one piece'),
  priceEths: f.decimal('Price of one piece in ETH.'),
  ethRecipient: f.orNull(f.address('Wallet of the recipient; null until the buyer has one.')),
  priceCurrency: f.currency('Currency of `priceCents`, ISO 4217.'),
  paymentProvider: f.orNull(f.always('Always `external`.', 'external')),
  ...f.timestamps(),
  ProductType: f.always('Always `nft`.', 'nft'),
  status: OrderItemStatus.nullable().describe(
    'State of the delivery; null while no transaction was sent.',
  ),
  txId: f.orNull(
    f.hash(
      'Newest transaction: a transfer, or the cancellation of it. Null before one is sent. It may ' +
        'carry many orders, so several may have the same one.',
    ),
  ),
})

export const OrderFields = z.object({
  id: f.id('Id of the order.'),
  buyerId: f.id('User id of the buyer.'),
  billingAddressId: f.id('Id of the billing address.'),
  paymentMethod: f.always('Always `external`: the shop has the payment.', 'external'),
  provider: f.always('Always `external`.', 'external'),
  providerId: f.orNull(f.text('Order number of the shop; null if it sent none.')),
  payprovStxTransactionId: f.orNull(f.text('Transaction id of a payment provider.')),
  payprovPciTransactionId: f.orNull(f.text('Transaction id of a payment provider.')),
  payprovWebhookToken: z
    .uuid()
    .describe(
      'Token for webhooks of a payment provider. Only for master tokens (without `orders`); otherwise the nil UUID.',
    ),
  totalPriceCents: f.money('Price of all pieces'),
  totalPriceCurrency: f.currency('Currency of the total price, ISO 4217.'),
  totalPriceEth: f.decimal('Price of all pieces in ETH.'),
  status: f.orNull(
    f.always('State of the payment. The items have the state of the delivery.', 'paid'),
  ),
  failReason: f.orNull(
    f.text('Why an item is `failed`; `cancelled` after a cancellation. Otherwise null.'),
  ),
  feesCollectedAt: f.orNull(f.time('Time when the fees were collected.')),
  ...f.timestamps(),
  ProductType: f.always('Always `nft`.', 'nft'),
})

const OrderItem = f.model('OrderItem', 'An NFT of an order, and its delivery.', () => ({
  ...OrderItemFields.shape,
  nft: Nft.describe('The NFT that is sold.'),
  listing: Listing.describe('The listing that sells it.'),
}))

const orderItems = z.array(OrderItem).describe('The items: one per order.')

export const PlacedOrder = f.model('PlacedOrder', 'A new order, without its buyer.', () => ({
  ...OrderFields.shape,
  orderItems,
}))
export type PlacedOrder = z.infer<typeof PlacedOrder>

export const Order = f.model('Order', 'An order and its delivery.', () => ({
  ...OrderFields.shape,
  orderItems,
  buyer: Buyer.describe('The buyer.'),
}))
export type Order = z.infer<typeof Order>

const { nftId, listingId, quantity, priceCents, priceCurrency, priceEths } = OrderItemFields.shape
const { totalPriceCents, totalPriceEth } = OrderFields.shape

export const CheckedOrder = f.model('CheckedOrder', 'What an order would cost.', () => ({
  nftId,
  listingId,
  quantity,
  priceCents,
  priceCurrency,
  priceEths,
  totalPriceCents,
  totalPriceEth,
}))

export const Payment = f.model('Payment', 'What the customer has really paid.', () => ({
  grossCents: f.money('What was paid: with taxes, and after discounts'),
  taxCents: f.orNull(f.count('The taxes in it; null if the shop has not told.')),
  discountCents: f.orNull(f.count('The discounts that were given; null if the shop has not told.')),
  currency: f.currency('Currency of these amounts, ISO 4217.'),
  invoiceNumber: f.orNull(f.text('Number of the invoice; null if the shop has not told.')),
}))

/** What summaries show of the row of an order, and of that of its order item. */
export const SummaryOrder = z.object({
  id: OrderFields.shape.id,
  totalPriceCents,
  totalPriceEth,
  buyerId: OrderFields.shape.buyerId,
  createdAt: OrderFields.shape.createdAt,
  paid: f.orNull(
    Payment.describe('What the customer has really paid; null if the shop has not told.'),
  ),
})
export const SummaryOrderItem = z.object({
  nftId,
  listingId,
  quantity,
  priceCents,
  priceCurrency,
  sellerId: f.id('User id of the seller.'),
})

export const OrderSummary = f.model(
  'OrderSummary',
  'An order with its item and delivery, in short.',
  () => ({
    ...SummaryOrder.shape,
    orderItemId: f.id('Id of its item.'),
    ...shopFields,
    ...SummaryOrderItem.shape,
    ...OrderItemFields.pick({ status: true, txId: true, updatedAt: true }).shape,
    reasonCode: f.orNull(
      z.enum(reasonCodes).describe('Why the item is `failed`, for programs. Otherwise null.'),
    ),
    failReason: OrderFields.shape.failReason,
    ...deliveryFields,
  }),
)

/** The fields of an answer with orders, which `description` describes. */
const ordersOf = <T extends z.ZodType>(order: T, description: string) => ({
  orders: z.array(order).describe(description),
  error: z.null().describe('Always null.'),
})
const nextCursor = f.orNull(f.text('The next `cursor`; null on the last page.'))

const answer = <T extends z.ZodType>(id: string, description: string, order: T) =>
  f.model(id, description, () => ordersOf(order, 'The orders, in the order of the request.'))

export const CheckedOrders = answer(
  'CheckedOrders',
  'The orders that could be placed.',
  CheckedOrder,
)
export const PlacedOrders = answer(
  'PlacedOrders',
  'The orders of the call, as they are now.',
  PlacedOrder,
)
export const Orders = answer('Orders', 'The orders and their deliveries.', Order)
export const OrderSummaries = f.model('OrderSummaries', 'Summaries of orders.', () =>
  ordersOf(OrderSummary, 'The orders.'),
)
const OrderPage = f.model('OrderPage', 'A page of orders.', () => ({
  ...ordersOf(Order, 'The orders, newest first.'),
  nextCursor,
}))
const OrderSummaryPage = f.model('OrderSummaryPage', 'A page of summaries of orders.', () => ({
  ...ordersOf(OrderSummary, 'The orders.'),
  nextCursor,
}))
export const AnyOrderPage = z.union([OrderPage, OrderSummaryPage]).describe('A page of orders.')

export const saleErrors = [
  'listing_not_found',
  'listing_inactive',
  'listing_ended',
  'listing_is_auction',
  'listing_not_checked',
  'nft_not_found',
  'nft_not_released',
  'content_missing',
  'sold_out',
  'quantity_too_large',
  'quantity_above_limit',
  'not_your_listing',
  'seller_not_approved',
  'price_changed',
  'too_many_open_orders',
  'request_in_progress',
  ...saleObstacles,
] as const

export const placingErrors = [
  ...saleErrors,
  'listing_mismatch',
  'buyer_not_found',
  'no_billing_address',
  'reservation_not_found',
  'reservation_mismatch',
] as const

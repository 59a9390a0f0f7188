/** The bodies of answers about orders. */
import * as z from 'zod'
import { reasonCodes } from '../db/schema/delivery.ts'
import {
  count,
  currency,
  deliveryFields,
  id,
  money,
  orNull,
  shopFields,
  text,
} from '../http/fields.ts'
import { CheckedOrder, Order, OrderFields, OrderItemFields, PlacedOrder } from './schema.ts'

const item = OrderItemFields.shape
const order = OrderFields.shape

export const Payment = z
  .object({
    grossCents: money('What was paid: with taxes, and after discounts'),
    taxCents: orNull(count('The taxes in it; null if the shop has not told.')),
    discountCents: orNull(count('The discounts that were given; null if the shop has not told.')),
    currency: currency('Currency of these amounts, ISO 4217.'),
    invoiceNumber: orNull(text('Number of the invoice; null if the shop has not told.')),
  })
  .meta({ id: 'Payment', description: 'What the customer has really paid.' })

export const OrderSummary = z
  .object({
    id: order.id,
    orderItemId: id('Id of its item.'),
    ...shopFields,
    nftId: item.nftId,
    listingId: item.listingId,
    quantity: item.quantity,
    priceCents: item.priceCents,
    priceCurrency: item.priceCurrency,
    totalPriceCents: order.totalPriceCents,
    totalPriceEth: order.totalPriceEth,
    paid: orNull(
      Payment.describe('What the customer has really paid; null if the shop has not told.'),
    ),
    buyerId: order.buyerId,
    sellerId: id('User id of the seller.'),
    status: item.status,
    reasonCode: orNull(
      z.enum(reasonCodes).describe('Why the item is `failed`, for programs. Otherwise null.'),
    ),
    failReason: order.failReason,
    txId: item.txId,
    ...deliveryFields,
    createdAt: item.createdAt,
    updatedAt: item.updatedAt,
  })
  .meta({ id: 'OrderSummary', description: 'An order with its item and delivery, in short.' })

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

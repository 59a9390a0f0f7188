/** The bodies of answers about orders. */
import * as z from 'zod'
import { reasonCodes } from '../db/schema/delivery.ts'
import { deliveryFields, id, orNull, shopFields, text } from '../http/fields.ts'
import { CheckedOrder, Order, OrderFields, OrderItemFields, PlacedOrder } from './schema.ts'

const { id: orderId, buyerId, totalPriceCents, totalPriceEth, failReason } = OrderFields.shape
const { nftId, listingId, quantity, priceCents, priceCurrency } = OrderItemFields.shape
const { status, txId, createdAt, updatedAt } = OrderItemFields.shape

export const OrderSummary = z
  .object({
    id: orderId,
    orderItemId: id('Id of its item.'),
    ...shopFields,
    ...{ nftId, listingId, quantity, priceCents, priceCurrency, totalPriceCents, totalPriceEth },
    buyerId,
    sellerId: id('User id of the seller.'),
    status,
    reasonCode: orNull(
      z.enum(reasonCodes).describe('Why the item is `failed`, for programs. Otherwise null.'),
    ),
    failReason,
    txId,
    ...deliveryFields,
    ...{ createdAt, updatedAt },
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
  description: 'The new orders.',
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

/** Summaries of orders: what a shop compares with its books, without the NFT and the people. */
import * as z from 'zod'
import { reasonCodes } from '../../src/db/schema/delivery.ts'
import { id, orNull } from '../../src/http/fields.ts'
import { OrderFields, OrderItemFields } from '../../src/orders/schema.ts'
import type { toSummary } from '../../src/orders/summary.ts'
import { describes } from './answer.ts'
import { deliveryFields, shopFields } from './shop-fields.ts'

const { id: orderId, buyerId, totalPriceCents, totalPriceEth, failReason } = OrderFields.shape
const { nftId, listingId, quantity, priceCents, priceCurrency } = OrderItemFields.shape
const { status, txId, createdAt, updatedAt } = OrderItemFields.shape

export const OrderSummary = describes<ReturnType<typeof toSummary>>()(
  z
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
    .meta({ id: 'OrderSummary', description: 'An order with its item and delivery, in short.' }),
)

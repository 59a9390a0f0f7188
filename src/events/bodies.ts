/** What the bodies of events tell. `npm run openapi` makes the document from it; the Worker only has the types. */
import * as z from 'zod'
import { orderItemStatuses, reasonCodes } from '../db/schema/delivery.ts'
import { bool, count, hash, id, orNull, positive, text, time } from '../http/fields.ts'
import { shopFields } from './shop-fields.ts'

export const OrderEventData = z
  .object({
    orderId: id('Id of the order.'),
    orderItemId: id('Id of its item.'),
    nftId: id('Id of the NFT.'),
    listingId: id('Id of the listing.'),
    quantity: positive('Number of pieces.'),
    buyerId: id('Id of the buyer.'),
    sellerId: id('Id of the seller.'),
    ...shopFields,
    status: orNull(z.enum(orderItemStatuses).describe('Status of the item at that time.')),
    txId: orNull(
      hash('Newest transaction: a transfer, or the cancellation of it. Null before one is sent.'),
    ),
    failReason: orNull(text('Why it failed, for people; null if it did not.')),
    reasonCode: orNull(
      z.enum(reasonCodes).describe('Why it failed, for programs; null if it did not.'),
    ),
    hasContent: bool(
      'Whether files or a phrase come with what was delivered: see `GET /api/externalOrders/{id}/content`.',
    ),
    sequence: count('Grows with each event of the order.'),
  })
  .meta({ id: 'OrderEventData', description: 'The order, and how its delivery stood.' })
export type OrderEventData = z.infer<typeof OrderEventData>

export const AlarmEventData = z
  .object({
    name: text('Name of the alarm, as in the runbook.'),
    subject: text('What it is about, as a network; may be empty.'),
    detail: text('What was found.'),
    raisedAt: time('When it was raised.'),
    runbookUrl: text('What to do.'),
  })
  .meta({ id: 'AlarmEventData', description: 'The alarm.' })

export const TestEventData = z
  .object({
    message: text('A sentence.'),
    challenge: text('Answer with this text as the body to verify the URL.'),
  })
  .meta({ id: 'TestEventData', description: 'The challenge.' })

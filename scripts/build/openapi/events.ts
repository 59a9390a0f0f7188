/** The bodies of events, as the log has them and as messages send them. */
import * as z from 'zod'
import { itemStatuses, reasonCodes } from '../../../src/db/schema/delivery.ts'
import { eventTexts, type WebhookEvent, webhookEvents } from '../../../src/db/schema/webhooks.ts'
import { shopFields } from '../../../src/delivery/shown.ts'
import { count, hash, id, orNull, positive, text, time } from '../../../src/http/fields.ts'

const OrderData = z
  .object({
    orderId: id('Id of the order.'),
    orderItemId: id('Id of its item.'),
    nftId: id('Id of the NFT.'),
    listingId: id('Id of the listing.'),
    quantity: positive('Number of pieces.'),
    buyerId: id('Id of the buyer.'),
    sellerId: id('Id of the seller.'),
    ...shopFields,
    status: orNull(z.enum(itemStatuses).describe('Status of the item at that time.')),
    txId: orNull(
      hash('Newest transaction: a transfer, or the cancellation of it. Null before one is sent.'),
    ),
    failReason: orNull(text('Why it failed, for people; null if it did not.')),
    reasonCode: orNull(
      z.enum(reasonCodes).describe('Why it failed, for programs; null if it did not.'),
    ),
    sequence: count('Grows with each event of the order.'),
  })
  .meta({ id: 'OrderEventData', description: 'The order, and how its delivery stood.' })

const AlarmData = z
  .object({
    name: text('Name of the alarm, as in the runbook.'),
    subject: text('What it is about, as a network; may be empty.'),
    detail: text('What was found.'),
    raisedAt: time('When it was raised.'),
    runbookUrl: text('What to do.'),
  })
  .meta({ id: 'AlarmEventData', description: 'The alarm.' })

const TestData = z
  .object({
    message: text('A sentence.'),
    challenge: text('Answer with this text as the body to verify the URL.'),
  })
  .meta({ id: 'TestEventData', description: 'The challenge.' })

const dataOf = (type: WebhookEvent) =>
  type.startsWith('order.') ? OrderData : type.startsWith('alarm.') ? AlarmData : TestData

/** The body of each event. */
export const eventBodies = webhookEvents.map((type) =>
  z
    .object({
      type: z.literal(type).describe('The event.'),
      timestamp: time('Time of the event.'),
      data: dataOf(type).describe('What happened.'),
    })
    .meta({ id: componentName(type), description: `${eventTexts[type].meaning}.` }),
)

/** `order.awaiting_wallet` → `OrderAwaitingWalletEvent`. */
function componentName(type: WebhookEvent): string {
  const words = type.split(/[._]/).map((word) => word[0]?.toUpperCase() + word.slice(1))
  return `${words.join('')}Event`
}

/** The events: what each means, and its body, as the log has it and as messages send it. */
import * as z from 'zod'
import { itemStatuses, reasonCodes } from '../db/schema/delivery.ts'
import { type WebhookEvent, webhookEvents } from '../db/schema/webhooks.ts'
import { count, docs, hash, id, orNull, positive, shopFields, text, time } from '../http/fields.ts'

/** What each event means, for people. */
export const eventMeanings: Record<WebhookEvent, string> = {
  'order.created': 'An order was placed',
  'order.awaiting_wallet': 'The buyer has no wallet yet',
  'order.delivered': 'The buyer has the NFT',
  'order.failed': 'The NFT could not be delivered',
  'order.cancelled': 'The delivery was cancelled: who chose order.failed gets this, too',
  'order.retried': 'A delivery that failed is tried again',
  'alarm.raised': 'Something is wrong with the marketplace',
  'alarm.cleared': 'An alarm is over',
  'webhook.test': 'You asked for a test, or the URL is new',
}

const OrderData = z
  .object({
    orderId: id(docs('Id of the order.')),
    orderItemId: id(docs('Id of its item.')),
    nftId: id(docs('Id of the NFT.')),
    listingId: id(docs('Id of the listing.')),
    quantity: positive(docs('Number of pieces.')),
    buyerId: id(docs('Id of the buyer.')),
    sellerId: id(docs('Id of the seller.')),
    ...shopFields,
    status: orNull(z.enum(itemStatuses).describe(docs('Status of the item at that time.'))),
    txId: orNull(hash(docs('Hash of the transaction; null if there is none.'))),
    failReason: orNull(text(docs('Why it failed, for people; null if it did not.'))),
    reasonCode: orNull(
      z.enum(reasonCodes).describe(docs('Why it failed, for programs; null if it did not.')),
    ),
    sequence: count(docs('Grows with each event of the order.')),
  })
  .meta({ id: 'OrderEventData', description: docs('The order, and how its delivery stood.') })

const AlarmData = z
  .object({
    name: text(docs('Name of the alarm, as in the runbook.')),
    subject: text(docs('What it is about, as a network; may be empty.')),
    detail: text(docs('What was found.')),
    raisedAt: time(docs('When it was raised.')),
    runbookUrl: text(docs('What to do.')),
  })
  .meta({ id: 'AlarmEventData', description: docs('The alarm.') })

const TestData = z
  .object({
    message: text(docs('A sentence.')),
    challenge: text(docs('Answer with this text as the body to verify the URL.')),
  })
  .meta({ id: 'TestEventData', description: docs('The challenge.') })

const dataOf = (type: WebhookEvent) =>
  type.startsWith('order.') ? OrderData : type.startsWith('alarm.') ? AlarmData : TestData

/** The body of each event. */
export const eventBodies = webhookEvents.map((type) =>
  z
    .object({
      type: z.literal(type).describe(docs('The event.')),
      timestamp: time(docs('Time of the event.')),
      data: dataOf(type).describe(docs('What happened.')),
    })
    .meta({ id: componentName(type), description: docs(`${eventMeanings[type]}.`) }),
)

/** `order.awaiting_wallet` → `OrderAwaitingWalletEvent`. */
function componentName(type: WebhookEvent): string {
  const words = type.split(/[._]/).map((word) => word[0]?.toUpperCase() + word.slice(1))
  return `${words.join('')}Event`
}

/** The events that an endpoint may choose. `webhook.test` is always sent. */
export const ChosenEvent = z.enum(webhookEvents).exclude(['webhook.test'])
export const chosenEvents = ChosenEvent.options

/** Whether only endpoints with the role `master` get the event. */
export const isAlarm = (event: WebhookEvent): boolean => event.startsWith('alarm.')

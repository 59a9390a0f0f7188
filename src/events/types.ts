/** The events: what each means, and who may choose it. `scripts/openapi/events.ts` has their bodies. */
import * as z from 'zod'
import { type WebhookEvent, webhookEvents } from '../db/schema/webhooks.ts'

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

/** The events that an endpoint may choose. `webhook.test` is always sent. */
export const ChosenEvent = z.enum(webhookEvents).exclude(['webhook.test'])
export const chosenEvents = ChosenEvent.options

/** Whether only endpoints with the role `master` get the event. */
export const isAlarm = (event: WebhookEvent): boolean => event.startsWith('alarm.')

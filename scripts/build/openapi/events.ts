/** The bodies of events, as the log has them and as messages send them. */
import * as z from 'zod'
import { eventTexts, type WebhookEvent, webhookEvents } from '../../../src/db/schema/webhooks.ts'
import { AlarmEventData, OrderEventData, TestEventData } from '../../../src/events/bodies.ts'
import { time } from '../../../src/http/fields.ts'

const dataOf = (type: WebhookEvent) =>
  type.startsWith('order.')
    ? OrderEventData
    : type.startsWith('alarm.')
      ? AlarmEventData
      : TestEventData

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

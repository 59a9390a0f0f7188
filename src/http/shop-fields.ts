/** Fields about orders that several answers have. */
import * as z from 'zod'
import { count, orNull, text, time } from './fields.ts'

/** Fields about an order that its shop gave or is to show, as events, transfers and summaries have them. */
export const shopFields = {
  providerId: orNull(text('Order number of the shop; null if it sent none.')),
  source: text(
    'Name of the token that placed the order: the order is yours if this and `providerId` are. ' +
      'Buyer and seller see it.',
  ),
  custom: orNull(
    z.record(z.string(), z.string()).describe('The texts that the shop gave, by name.'),
  ),
  claimUrl: orNull(
    text('Where the buyer signs in and links a wallet; null unless the item waits for one.'),
  ),
}

/** Fields about the delivery of an order, as transfers and summaries have them. */
export const deliveryFields = {
  sequence: count(
    'At least the `sequence` of every event that led to this state, and lower than that of every ' +
      'later one.',
  ),
  cancelRequestedAt: orNull(
    time('Time at which the cancellation was requested first; null if it was not.'),
  ),
}

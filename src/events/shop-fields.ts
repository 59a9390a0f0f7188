/** What an order has of its shop. */
import * as z from 'zod'
import { orNull, text } from '../http/fields.ts'

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
    text(
      'Where the buyer confirms the e-mail address and links a wallet, with a secret: for the buyer ' +
        'only. Null unless the item waits for one.',
    ),
  ),
}

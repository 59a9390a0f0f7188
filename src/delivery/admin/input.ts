/** What the transfer endpoints take. */
import * as z from 'zod/mini'
import { deliveryStates } from '../../db/schema/delivery.ts'
import { cursorText, idText, limitText } from '../../http/ids.ts'

// Registered without a check, which would give its id to a copy with another description, too.
export const TransferStatus = z.enum(deliveryStates).register(z.globalRegistry, {
  id: 'TransferStatus',
  description:
    '`awaiting_wallet`: the buyer has no wallet. `queued`: to be sent. `in_flight`: sent, not ' +
    'final yet. `transferred`: the buyer has the NFT. `failed`: cancelled, or not deliverable.',
})

/** The path parameter. */
export const TransferId = z.object({ id: idText.check(z.describe('The id of the order item.')) })
const selectsStatus = z.describe('Selects items with this status.')
/** The query of a list of transfers. */
export const TransferQuery = z.object({
  status: z.optional(TransferStatus).check(selectsStatus),
  reason: z
    .optional(z.string().check(z.minLength(1), z.maxLength(255)))
    .check(z.describe('Selects items whose reason begins with this text.')),
  cursor: z.optional(cursorText).check(z.describe('The `nextCursor` of the previous page.')),
  limit: limitText(50).check(z.describe('Transfers per page.')),
})
/** Selects what to retry. */
export const Retryable = z.object({
  reason: TransferQuery.shape.reason,
  status: z.enum(['queued', 'failed']).check(selectsStatus),
})
/** Selects what to cancel. */
export const Cancellable = z.object({
  reason: TransferQuery.shape.reason,
  status: z.enum(['awaiting_wallet', 'queued', 'in_flight', 'failed']).check(selectsStatus),
})

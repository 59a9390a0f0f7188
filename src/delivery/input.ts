/** What the transfer endpoints take. */
import * as z from 'zod'
import { deliveryStates } from '../db/schema.ts'
import { cursorText, idText, limitText } from '../http/ids.ts'

export const TransferStatus = z.enum(deliveryStates).meta({
  id: 'TransferStatus',
  description:
    '`awaiting_wallet`: the buyer has no wallet. `queued`: to be sent. `in_flight`: sent, not ' +
    'final yet. `transferred`: the buyer has the NFT. `failed`: cancelled, or not deliverable.',
})

/** The path parameter. */
export const TransferId = z.object({ id: idText.describe('The id of the order item.') })
const selectsStatus = 'Selects items with this status.'
/** The query of a list of transfers. */
export const TransferQuery = z.object({
  status: TransferStatus.optional().describe(selectsStatus),
  reason: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Selects items whose reason begins with this text.'),
  cursor: cursorText.optional().describe('The `nextCursor` of the previous page.'),
  limit: limitText(50).describe('Transfers per page.'),
})
/** Selects what to retry. */
export const Retryable = TransferQuery.pick({ reason: true }).extend({
  status: TransferStatus.extract(['queued', 'failed']).describe(selectsStatus),
})
/** Selects what to cancel. */
export const Cancellable = TransferQuery.pick({ reason: true }).extend({
  status: TransferStatus.exclude(['transferred']).describe(selectsStatus),
})

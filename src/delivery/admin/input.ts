/** What the transfer endpoints take. */
import * as z from 'zod'
import { deliveryStates, reasonCodes } from '../../db/schema/delivery.ts'
import { cursorText, idText, limitText } from '../../http/ids.ts'

export const TransferStatus = z.enum(deliveryStates).meta({
  id: 'TransferStatus',
  description:
    '`awaiting_wallet`: the buyer has no wallet. `queued`: to be sent. `in_flight`: sent, not ' +
    'final yet. `transferred`: the buyer has the NFT. `failed`: not deliverable. `cancelled`: its key ' +
    'is used up.',
})

export const ReasonCode = z.enum(reasonCodes).meta({
  id: 'ReasonCode',
  description: 'Why a transfer failed, or what it waits for.',
})

/** The path parameter. */
export const TransferId = z.object({ id: idText.describe('The id of the order item.') })
const selectsStatus = 'Selects items with this status.'
/** The query of a list of transfers. */
export const TransferQuery = z.object({
  status: TransferStatus.optional().describe(selectsStatus),
  code: ReasonCode.optional().describe('Selects items with this `reasonCode`.'),
  cursor: cursorText.optional().describe('The `nextCursor` of the previous page.'),
  limit: limitText(50).describe('Transfers per page.'),
})
/** Selects what to retry. */
export const Retryable = z.object({
  code: TransferQuery.shape.code,
  status: z.enum(['queued', 'failed']).describe(selectsStatus),
})
/** Selects what to cancel. */
export const Cancellable = z.object({
  code: TransferQuery.shape.code,
  status: z.enum(['awaiting_wallet', 'queued', 'in_flight', 'failed']).describe(selectsStatus),
})

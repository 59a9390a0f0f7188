/** Transfers: deliveries, as operators see them. They have no wallets: those are in the order. */
import * as z from 'zod'
import { type DeliveryState, deliveryStates, reasonCodes } from '../../db/schema/delivery.ts'
import { cursorText, idText, limitText, tokenNameText } from '../../http/inputs.ts'

export const TransferStatus = z.enum(deliveryStates).meta({
  id: 'TransferStatus',
  description:
    '`awaiting_wallet`: the buyer has no wallet. `queued`: to be sent. `in_flight`: sent, not ' +
    'final yet. `transferred`: the buyer has the NFT. `failed`: not deliverable. `cancelled`: its ' +
    'key is used up. `written_off`: it failed, and an operator has closed it.',
})

export const ReasonCode = z.enum(reasonCodes).meta({
  id: 'ReasonCode',
  description: 'Why a transfer failed, or what it waits for.',
})

/** The path parameter. */
export const TransferId = z.object({ id: idText.describe('The id of the order item.') })

const code = ReasonCode.optional().describe('Selects items with this `reasonCode`.')
const selectsStatus = 'Selects items with this status.'
const buyerId = idText.optional().describe('Selects items of this buyer.')
const source = tokenNameText
  .optional()
  .describe('Selects items of orders that tokens of this name have placed.')

/** The query of a list of transfers. */
export const TransferQuery = z.object({
  status: TransferStatus.optional().describe(selectsStatus),
  code,
  buyerId,
  source,
  cursor: cursorText.optional().describe('The `nextCursor` of the previous page.'),
  limit: limitText(50).describe('Transfers per page.'),
})

const selection = <S extends DeliveryState>(states: readonly S[]) =>
  z.object({ code, buyerId, source, status: z.enum(states).describe(selectsStatus) })

/** The queries that select what to retry and what to cancel. */
export const Selections = {
  retry: selection(['queued', 'failed']),
  cancel: selection(['awaiting_wallet', 'queued', 'in_flight', 'failed']),
}

/** The body of a write-off. */
export const WriteOff = z
  .object({
    returnPieces: z.boolean().describe('Whether the pieces of the item return to the stock.'),
  })
  .meta({ id: 'WriteOff', description: 'How to close a failed transfer.' })

/** Transfers: deliveries, as operators see them. They have no wallets: those are in the order. */
import * as z from 'zod'
import {
  type DeliveryState,
  deliveryStates,
  reasonCodes,
  requestedActions,
} from '../../db/schema/delivery.ts'
import { shopFields } from '../../events/shop-fields.ts'
import * as f from '../../http/fields.ts'
import { cursorText, idText, limitText, tokenNameText } from '../../http/inputs.ts'
import { operatorLimits } from '../../limits.ts'
import { deliveryFields } from '../shown.ts'

const TransferStatus = z.enum(deliveryStates).meta({
  id: 'TransferStatus',
  description:
    '`awaiting_wallet`: the buyer has no wallet. `queued`: to be sent. `in_flight`: sent, not ' +
    'final yet. `transferred`: the buyer has the NFT. `failed`: not deliverable. `cancelled`: its ' +
    'key is used up. `written_off`: it failed, and an operator has closed it.',
})

export const ReasonCodeField = z.enum(reasonCodes).meta({
  id: 'ReasonCode',
  description: 'Why a transfer failed, or what it waits for.',
})

export const TransferId = z.object({ id: idText.describe('The id of the order item.') })

const code = ReasonCodeField.optional().describe('Selects items with this `reasonCode`.')
const selectsStatus = 'Selects items with this status.'
const buyerId = idText.optional().describe('Selects items of this buyer.')
const source = tokenNameText
  .optional()
  .describe('Selects items of orders that tokens of this name have placed.')

export const TransferQuery = z.object({
  status: TransferStatus.optional().describe(selectsStatus),
  code,
  buyerId,
  source,
  cursor: cursorText.optional().describe('The `nextCursor` of the previous page.'),
  limit: limitText(50).describe('Transfers per page.'),
})
export type TransferQuery = z.infer<typeof TransferQuery>

const selection = <S extends DeliveryState>(states: readonly S[]) =>
  z.object({ code, buyerId, source, status: z.enum(states).describe(selectsStatus) })

export const Selections = {
  retry: selection(['queued', 'failed']),
  cancel: selection(['awaiting_wallet', 'queued', 'in_flight', 'failed']),
}

export const WriteOff = z
  .object({
    returnPieces: z.boolean().describe('Whether the pieces of the item return to the stock.'),
  })
  .meta({ id: 'WriteOff', description: 'How to close a failed transfer.' })

const Transaction = f.model('Transaction', 'A transaction of the Delivery contract.', () => ({
  hash: f.hash('Transaction hash.'),
  contract: f.address('Address of the Delivery contract.'),
  signer: f.address('Address of the relayer.'),
  nonce: f.count('Nonce of the relayer.'),
  block: f.orNull(f.count('Number of its block; null while it has none.')),
  gasUsed: f.orNull(f.count('Gas that it used; null until it is final.')),
  fee: f.orNull(f.digits('What it cost, wei; null until it is final.')),
  itemFee: f.orNull(
    f.digits('The share of the item: `fee` divided by the items of the transaction.'),
  ),
  isOpen: f.bool('Whether the transaction is not final yet.'),
  createdAt: f.time('Time of signing.'),
}))

const Transfer = f.model('Transfer', 'The delivery of an order item.', () => ({
  id: f.id('The id of the order item.'),
  orderId: f.id('Id of the order.'),
  ...shopFields,
  network: f.text('Name of the network, as in `contractNetwork` of the NFT.'),
  chainId: f.orNull(f.positive('Id of the chain; null if it was not configured.')),
  quantity: f.positive('Number of pieces.'),
  status: TransferStatus.describe('State of the delivery.'),
  key: f.hash('The delivery key: the contract uses it at most once.'),
  contract: f.orNull(
    f.address('Address of the Delivery contract; null before the first transaction.'),
  ),
  requestedAction: z.enum(requestedActions).describe('What is to be done with the key.'),
  ...deliveryFields,
  reasonCode: ReasonCodeField.nullable().describe(
    'Why the item failed, or what it waits for; null if for its turn only.',
  ),
  reason: f.orNull(f.text('The same as a sentence for people. Its wording may change.')),
  tries: f.count('Transactions in which the transfer failed.'),
  txId: f.orNull(f.hash('Hash of the newest transaction with the item.')),
  failingSince: f.orNull(f.time('Since when the item cannot be delivered.')),
  dueAt: f.orNull(f.time('Time of the next step; null if none is planned.')),
  ...f.timestamps(),
  transactions: z.array(Transaction).describe('The newest transaction with the item, if any.'),
}))

export const Transfers = f.model('Transfers', 'A page of transfers.', () => ({
  transfers: z.array(Transfer).describe('The transfers, by id.'),
  nextCursor: f.orNull(f.text('The next `cursor`; null on the last page.')),
}))
export const ChangedTransfers = f.model('ChangedTransfers', 'How many items were changed.', () => ({
  changed: f.count(`Number of items that were changed, at most ${operatorLimits.changed.max}.`),
}))
export const ChangedTransfer = f.model('ChangedTransfer', 'The transfer after the change.', () => ({
  transfer: Transfer,
}))

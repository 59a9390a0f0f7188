/** Transfers: deliveries, as operators see them. They have no wallets: those are in the order. */
import * as z from 'zod'
import { deliveryStates, reasonCodes, requestedActions } from '../../db/schema/delivery.ts'
import {
  address,
  bool,
  count,
  digits,
  hash,
  id,
  orNull,
  positive,
  text,
  time,
  timestamps,
} from '../../http/fields.ts'
import { cursorText, idText, limitText } from '../../http/ids.ts'

const TransferStatus = z.enum(deliveryStates).meta({
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

/** The query of a list of transfers. */
export const TransferQuery = z.object({
  status: TransferStatus.optional().describe(selectsStatus),
  code,
  buyerId,
  cursor: cursorText.optional().describe('The `nextCursor` of the previous page.'),
  limit: limitText(50).describe('Transfers per page.'),
})

/** Selects what to retry. */
export const Retryable = z.object({
  code,
  buyerId,
  status: z.enum(['queued', 'failed']).describe(selectsStatus),
})

/** Selects what to cancel. */
export const Cancellable = z.object({
  code,
  buyerId,
  status: z.enum(['awaiting_wallet', 'queued', 'in_flight', 'failed']).describe(selectsStatus),
})

/** The body of a write-off. */
export const WriteOff = z
  .object({
    returnPieces: z.boolean().describe('Whether the pieces of the item return to the stock.'),
  })
  .meta({ id: 'WriteOff', description: 'How to close a failed transfer.' })

const Transaction = z
  .object({
    hash: hash('Transaction hash.'),
    contract: address('Address of the Delivery contract.'),
    signer: address('Address of the relayer.'),
    nonce: count('Nonce of the relayer.'),
    block: orNull(count('Number of its block; null while it has none.')),
    gasUsed: orNull(count('Gas that it used; null until it is final.')),
    fee: orNull(digits('What it cost, wei; null until it is final.')),
    itemFee: orNull(
      digits('The share of the item: `fee` divided by the items of the transaction.'),
    ),
    isOpen: bool('Whether the transaction is not final yet.'),
    createdAt: time('Time of signing.'),
  })
  .meta({ id: 'Transaction', description: 'A transaction of the Delivery contract.' })

export const Transfer = z
  .object({
    id: id('The id of the order item.'),
    orderId: id('Id of the order.'),
    network: text('Name of the network, as in `contractNetwork` of the NFT.'),
    chainId: orNull(positive('Id of the chain; null if it was not configured.')),
    quantity: positive('Number of pieces.'),
    status: TransferStatus.describe('State of the delivery.'),
    key: hash('The delivery key: the contract uses it at most once.'),
    contract: orNull(
      address('Address of the Delivery contract; null before the first transaction.'),
    ),
    requestedAction: z.enum(requestedActions).describe('What is to be done with the key.'),
    reasonCode: ReasonCode.nullable().describe(
      'Why the item failed, or what it waits for; null if for its turn only.',
    ),
    reason: orNull(text('The same as a sentence for people. Its wording may change.')),
    tries: count('Transactions in which the transfer failed.'),
    txId: orNull(hash('Hash of the newest transaction with the item.')),
    failingSince: orNull(time('Since when the item cannot be delivered.')),
    dueAt: orNull(time('Time of the next step; null if none is planned.')),
    ...timestamps(),
    transactions: z.array(Transaction).describe('The newest transaction with the item, if any.'),
  })
  .meta({ id: 'Transfer', description: 'The delivery of an order item.' })
export type Transfer = z.infer<typeof Transfer>

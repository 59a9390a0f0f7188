/** Transfers: deliveries, as operators see them. They have no wallets: those are in the order. */
import * as z from 'zod'
import { deliveryStates, reasonCodes, requestedActions } from '../../db/schema/delivery.ts'
import {
  address,
  bool,
  count,
  deliveryFields,
  digits,
  docs,
  hash,
  id,
  orNull,
  positive,
  shopFields,
  text,
  time,
  timestamps,
} from '../../http/fields.ts'
import { cursorText, idText, limitText, tokenNameText } from '../../http/ids.ts'

const TransferStatus = z.enum(deliveryStates).meta({
  id: 'TransferStatus',
  description:
    '`awaiting_wallet`: the buyer has no wallet. `queued`: to be sent. `in_flight`: sent, not ' +
    'final yet. `transferred`: the buyer has the NFT. `failed`: not deliverable. `cancelled`: its ' +
    'key is used up. `written_off`: it failed, and an operator has closed it.',
})

export const ReasonCode = z.enum(reasonCodes).meta({
  id: 'ReasonCode',
  description: docs('Why a transfer failed, or what it waits for.'),
})

/** The path parameter. */
export const TransferId = z.object({ id: idText.describe(docs('The id of the order item.')) })

const code = ReasonCode.optional().describe(docs('Selects items with this `reasonCode`.'))
const selectsStatus = docs('Selects items with this status.')
const buyerId = idText.optional().describe(docs('Selects items of this buyer.'))
const source = tokenNameText
  .optional()
  .describe(docs('Selects items of orders that tokens of this name have placed.'))

/** The query of a list of transfers. */
export const TransferQuery = z.object({
  status: TransferStatus.optional().describe(selectsStatus),
  code,
  buyerId,
  source,
  cursor: cursorText.optional().describe(docs('The `nextCursor` of the previous page.')),
  limit: limitText(50).describe(docs('Transfers per page.')),
})

/** Selects what to retry. */
export const Retryable = z.object({
  code,
  buyerId,
  source,
  status: z.enum(['queued', 'failed']).describe(selectsStatus),
})

/** Selects what to cancel. */
export const Cancellable = z.object({
  code,
  buyerId,
  source,
  status: z.enum(['awaiting_wallet', 'queued', 'in_flight', 'failed']).describe(selectsStatus),
})

/** The body of a write-off. */
export const WriteOff = z
  .object({
    returnPieces: z.boolean().describe(docs('Whether the pieces of the item return to the stock.')),
  })
  .meta({ id: 'WriteOff', description: docs('How to close a failed transfer.') })

const Transaction = z
  .object({
    hash: hash(docs('Transaction hash.')),
    contract: address(docs('Address of the Delivery contract.')),
    signer: address(docs('Address of the relayer.')),
    nonce: count(docs('Nonce of the relayer.')),
    block: orNull(count(docs('Number of its block; null while it has none.'))),
    gasUsed: orNull(count(docs('Gas that it used; null until it is final.'))),
    fee: orNull(digits(docs('What it cost, wei; null until it is final.'))),
    itemFee: orNull(
      digits(docs('The share of the item: `fee` divided by the items of the transaction.')),
    ),
    isOpen: bool(docs('Whether the transaction is not final yet.')),
    createdAt: time(docs('Time of signing.')),
  })
  .meta({ id: 'Transaction', description: docs('A transaction of the Delivery contract.') })

export const Transfer = z
  .object({
    id: id(docs('The id of the order item.')),
    orderId: id(docs('Id of the order.')),
    ...shopFields,
    network: text(docs('Name of the network, as in `contractNetwork` of the NFT.')),
    chainId: orNull(positive(docs('Id of the chain; null if it was not configured.'))),
    quantity: positive(docs('Number of pieces.')),
    status: TransferStatus.describe(docs('State of the delivery.')),
    key: hash(docs('The delivery key: the contract uses it at most once.')),
    contract: orNull(
      address(docs('Address of the Delivery contract; null before the first transaction.')),
    ),
    requestedAction: z.enum(requestedActions).describe(docs('What is to be done with the key.')),
    ...deliveryFields,
    reasonCode: ReasonCode.nullable().describe(
      docs('Why the item failed, or what it waits for; null if for its turn only.'),
    ),
    reason: orNull(text(docs('The same as a sentence for people. Its wording may change.'))),
    tries: count(docs('Transactions in which the transfer failed.')),
    txId: orNull(hash(docs('Hash of the newest transaction with the item.'))),
    failingSince: orNull(time(docs('Since when the item cannot be delivered.'))),
    dueAt: orNull(time(docs('Time of the next step; null if none is planned.'))),
    ...timestamps(),
    transactions: z.array(Transaction).describe('The newest transaction with the item, if any.'),
  })
  .meta({ id: 'Transfer', description: docs('The delivery of an order item.') })
export type Transfer = z.infer<typeof Transfer>

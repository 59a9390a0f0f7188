import * as z from 'zod'
import { requestedActions } from '../../db/schema/delivery.ts'
import {
  address,
  bool,
  count,
  hash,
  id,
  orNull,
  positive,
  text,
  time,
  timestamps,
} from '../../http/fields.ts'
import type { EndpointInfos } from '../../http/openapi.ts'
import { ReasonCode, TransferStatus } from './input.ts'
import { MAX_CHANGED } from './operator.ts'

const tag = 'Transfers'

const Transaction = z
  .object({
    hash: hash('Transaction hash.'),
    contract: address('Address of the Delivery contract.'),
    signer: address('Address of the relayer.'),
    nonce: count('Nonce of the relayer.'),
    block: orNull(count('Number of its block; null while it has none.')),
    isOpen: bool('Whether the transaction is not final yet.'),
    createdAt: time('Time of signing.'),
  })
  .meta({ id: 'Transaction', description: 'A transaction of the Delivery contract.' })
const Transfer = z
  .object({
    id: id('The id of the order item.'),
    orderId: id('Id of the order.'),
    network: text('Name of the network, as in `contractNetwork` of the NFT.'),
    chainId: orNull(positive('Id of the chain; null if it was not configured.')),
    quantity: positive('Number of pieces.'),
    status: TransferStatus.check(z.describe('State of the delivery.')),
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

const changedAnswer = z
  .object({
    changed: count(`Number of items that were changed, at most ${MAX_CHANGED}.`),
  })
  .meta({ id: 'ChangedTransfers', description: 'How many items were changed.' })
const transferAnswer = z
  .object({ transfer: Transfer })
  .meta({ id: 'ChangedTransfer', description: 'The transfer after the change.' })
const repeat = `Changes at most ${MAX_CHANGED} items: repeat the call until it changes none.`

const retryDescription =
  'Queues failed items again; queued items are looked at immediately. An item that a transaction ' +
  'carries is not changed.'
const cancelDescription =
  'Uses up the delivery key on the chain. The item becomes `cancelled` ' +
  'once that is final, and its pieces return to the stock; it becomes `transferred` if it was ' +
  'delivered before. Refund an order only when its item is cancelled.'

export const transferEndpoints = {
  'GET /api/admin/transfers': {
    tag,
    operationId: 'listTransfers',
    summary: 'List transfers',
    description: 'Returns the deliveries of order items in the order of their ids, in pages.',
    answer: z
      .object({
        transfers: z.array(Transfer).describe('The transfers, by id.'),
        nextCursor: orNull(text('The next `cursor`; null on the last page.')),
      })
      .meta({ id: 'Transfers', description: 'A page of transfers.' }),
  },
  'POST /api/admin/transfers/retry': {
    tag,
    operationId: 'retryTransfers',
    summary: 'Retry many transfers',
    description: `${retryDescription} ${repeat}`,
    answer: changedAnswer,
  },
  'POST /api/admin/transfers/cancel': {
    tag,
    operationId: 'cancelTransfers',
    summary: 'Cancel many transfers',
    description: `${cancelDescription} ${repeat}`,
    answer: changedAnswer,
  },
  'POST /api/admin/transfers/:id/retry': {
    tag,
    operationId: 'retryTransfer',
    summary: 'Retry a transfer',
    description: retryDescription,
    answer: transferAnswer,
    errors: ['not_found', 'conflict'],
  },
  'POST /api/admin/transfers/:id/cancel': {
    tag,
    operationId: 'cancelTransfer',
    summary: 'Cancel a transfer',
    description: cancelDescription,
    answer: transferAnswer,
    errors: ['not_found', 'conflict'],
  },
} satisfies EndpointInfos

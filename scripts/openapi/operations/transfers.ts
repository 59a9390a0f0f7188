import * as z from 'zod'
import { MAX_CHANGED } from '../../../src/delivery/admin/actions.ts'
import { count, orNull, text } from '../../../src/http/fields.ts'
import type { Operations } from '../operation.ts'
import { Transfer } from '../transfer.ts'

const Transfers = z
  .object({
    transfers: z.array(Transfer).describe('The transfers, by id.'),
    nextCursor: orNull(text('The next `cursor`; null on the last page.')),
  })
  .meta({ id: 'Transfers', description: 'A page of transfers.' })
const ChangedTransfers = z
  .object({ changed: count(`Number of items that were changed, at most ${MAX_CHANGED}.`) })
  .meta({ id: 'ChangedTransfers', description: 'How many items were changed.' })
const ChangedTransfer = z
  .object({ transfer: Transfer })
  .meta({ id: 'ChangedTransfer', description: 'The transfer after the change.' })

const retryDescription =
  'Queues failed items again; queued items are looked at immediately. An item that a transaction ' +
  'carries is not changed.'
const cancelDescription =
  'Uses up the delivery key on the chain. The item becomes `cancelled` once that is final, and its ' +
  'pieces return to the stock; it becomes `transferred` if it was delivered before. Refund an ' +
  'order only when its item is cancelled.'
const repeat = `Changes at most ${MAX_CHANGED} items: repeat the call until it changes none.`

export const transferOperations: Operations = {
  listTransfers: {
    summary: 'List transfers',
    description: 'Returns the deliveries of order items in the order of their ids, in pages.',
    answer: Transfers,
  },
  retryTransfers: {
    summary: 'Retry many transfers',
    description: `${retryDescription} ${repeat}`,
    answer: ChangedTransfers,
  },
  cancelTransfers: {
    summary: 'Cancel many transfers',
    description: `${cancelDescription} ${repeat}`,
    answer: ChangedTransfers,
  },
  retryTransfer: {
    summary: 'Retry a transfer',
    description: retryDescription,
    answer: ChangedTransfer,
    errors: ['not_found', 'conflict'],
  },
  cancelTransfer: {
    summary: 'Cancel a transfer',
    description: cancelDescription,
    answer: ChangedTransfer,
    errors: ['not_found', 'conflict'],
  },
  writeOffTransfer: {
    summary: 'Write off a transfer',
    description:
      'Closes a failed transfer whose delivery key is used up, with the `reasonCode` ' +
      '`key_used_for_other_delivery` or `token_moved_nothing`: neither retrying nor cancelling ' +
      'can change it. The item stays failed.',
    answer: ChangedTransfer,
    errors: ['not_found', 'conflict'],
  },
}

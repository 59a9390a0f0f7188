/** Transfers: deliveries, as operators see them. They have no wallets: those are in the order. */
import * as z from 'zod'
import { requestedActions } from '../../src/db/schema/delivery.ts'
import { ReasonCode, TransferStatus } from '../../src/delivery/admin/schema.ts'
import type { Transfer as Answer } from '../../src/delivery/admin/transfers.ts'
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
} from '../../src/http/fields.ts'
import { deliveryFields, shopFields } from '../../src/http/shop-fields.ts'
import { describes } from './answer.ts'

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

export const Transfer = describes<Answer>()(
  z
    .object({
      id: id('The id of the order item.'),
      orderId: id('Id of the order.'),
      ...shopFields,
      network: text('Name of the network, as in `contractNetwork` of the NFT.'),
      chainId: orNull(positive('Id of the chain; null if it was not configured.')),
      quantity: positive('Number of pieces.'),
      status: TransferStatus.describe('State of the delivery.'),
      key: hash('The delivery key: the contract uses it at most once.'),
      contract: orNull(
        address('Address of the Delivery contract; null before the first transaction.'),
      ),
      requestedAction: z.enum(requestedActions).describe('What is to be done with the key.'),
      ...deliveryFields,
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
    .meta({ id: 'Transfer', description: 'The delivery of an order item.' }),
)

/** Proofs of deliveries. */
import * as z from 'zod'
import { address, always, count, digits, hash, id, orNull, positive, text } from '../http/fields.ts'
import { AUDIENCE } from './prove.ts'

const Content = z.object({
  token: address('The token contract.'),
  to: address('The wallet of the recipient.'),
  tokenId: digits('The token.'),
  amount: count('Pieces of an ERC-1155 token; 0 for an ERC-721 token.'),
})

const Delivery = z
  .object({
    iss: text('URL of the marketplace that issued the proof.'),
    aud: always(`Always \`${AUDIENCE}\`.`, AUDIENCE),
    iat: count('When the delivery became final, in seconds since 1970.'),
    orderId: id('Id of the order.'),
    orderItemId: id('Id of the order item.'),
    deliveryKey: hash('The key that the Delivery contract uses at most once.'),
    chainId: positive('Id of the chain (EIP-155).'),
    contract: address('The Delivery contract. It and its successors have the record of the key.'),
    content: Content.describe('What was delivered.'),
    contentHash: z
      .string()
      .regex(/^0x[\da-f]{48}$/)
      .describe(
        'First 24 bytes of the Keccak-256 of the ABI encoding of the content, in this order.',
      ),
    transaction: orNull(hash('The transaction; null if no node has told which it was.')),
    blockNumber: orNull(count('Number of its block; null without a transaction.')),
    blockHash: orNull(hash('Hash of its block; null without a transaction.')),
  })
  .meta({ id: 'Delivery', description: 'A delivery, as the marketplace has seen it.' })

export const DeliveryProof = z
  .object({
    proof: Delivery.describe('The payload of `jws`.'),
    jws: text('The proof, signed: a compact JWS with the type `delivery-proof+jwt`.'),
  })
  .meta({ id: 'DeliveryProof', description: 'A delivery, signed by the marketplace.' })

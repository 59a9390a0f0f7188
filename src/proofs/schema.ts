import * as z from 'zod'
import {
  address,
  always,
  contentHash,
  count,
  digits,
  docs,
  hash,
  id,
  orNull,
  positive,
  text,
} from '../http/fields.ts'
import { AUDIENCE } from './keys.ts'

const Content = z.object({
  token: address(docs('The token contract.')),
  to: address(docs('The wallet of the recipient.')),
  tokenId: digits(docs('The token.')),
  amount: count(docs('Pieces of an ERC-1155 token; 0 for an ERC-721 token.')),
})

const Delivery = z
  .object({
    iss: text(docs('URL of the marketplace that issued the proof.')),
    aud: always(docs(`Always \`${AUDIENCE}\`.`), AUDIENCE),
    iat: count(docs('When the delivery became final, in seconds since 1970.')),
    orderId: id(docs('Id of the order.')),
    orderItemId: id(docs('Id of the order item.')),
    deliveryKey: hash(docs('The key that the Delivery contract uses at most once.')),
    chainId: positive(docs('Id of the chain (EIP-155).')),
    contract: address(
      docs('The Delivery contract. It and its successors have the record of the key.'),
    ),
    content: Content.describe(docs('What was delivered.')),
    contentHash: contentHash(
      docs('First 24 bytes of the Keccak-256 of the ABI encoding of the content, in this order.'),
    ),
    transaction: orNull(hash(docs('The transaction; null if no node has told which it was.'))),
    blockNumber: orNull(count(docs('Number of its block; null without a transaction.'))),
    blockHash: orNull(hash(docs('Hash of its block; null without a transaction.'))),
  })
  .meta({ id: 'Delivery', description: docs('A delivery, as the marketplace has seen it.') })

export const DeliveryProof = z
  .object({
    proof: Delivery.describe(docs('The payload of `jws`.')),
    jws: text(docs('The proof, signed: a compact JWS with the type `delivery-proof+jwt`.')),
  })
  .meta({ id: 'DeliveryProof', description: docs('A delivery, signed by the marketplace.') })

export type Delivery = z.infer<typeof Delivery>
export type DeliveryProof = z.infer<typeof DeliveryProof>

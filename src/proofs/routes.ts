import * as z from 'zod'
import { JwkSet, publicKeys } from '../auth/tokens.ts'
import { Endpoints } from '../http/endpoint.ts'
import * as f from '../http/fields.ts'
import { idText } from '../http/inputs.ts'
import { AUDIENCE, proveDelivery } from './prove.ts'

const Content = z.object({
  token: f.address('The token contract.'),
  to: f.address('The wallet of the recipient.'),
  tokenId: f.digits('The token.'),
  amount: f.count('Pieces of an ERC-1155 token; 0 for an ERC-721 token.'),
})

const Delivery = f.model('Delivery', 'A delivery, as the marketplace has seen it.', () => ({
  iss: f.text('URL of the marketplace that issued the proof.'),
  aud: f.always(`Always \`${AUDIENCE}\`.`, AUDIENCE),
  iat: f.count('When the delivery became final, in seconds since 1970.'),
  orderId: f.id('Id of the order.'),
  orderItemId: f.id('Id of the order item.'),
  deliveryKey: f.hash('The key that the Delivery contract uses at most once.'),
  chainId: f.positive('Id of the chain (EIP-155).'),
  contract: f.address('The Delivery contract. It and its successors have the record of the key.'),
  content: Content.describe('What was delivered.'),
  contentHash: z
    .string()
    .regex(/^0x[\da-f]{48}$/)
    .describe(
      'First 24 bytes of the Keccak-256 of the ABI encoding of the content, in this order.',
    ),
  transaction: f.orNull(f.hash('The transaction; null if no node has told which it was.')),
  blockNumber: f.orNull(f.count('Number of its block; null without a transaction.')),
  blockHash: f.orNull(f.hash('Hash of its block; null without a transaction.')),
}))

const DeliveryProof = f.model('DeliveryProof', 'A delivery, signed by the marketplace.', () => ({
  proof: Delivery.describe('The payload of `jws`.'),
  jws: f.text('The proof, signed: a compact JWS with the type `delivery-proof+jwt`.'),
}))

const OrderId = z.object({ order_id: idText.describe('The id of the order.') })

export const proofRoutes = new Endpoints()
  .get(
    '/.well-known/proof-jwks.json',
    {
      id: 'getProofKeys',
      tag: 'Identity',
      summary: 'List the public keys that verify proofs of deliveries (RFC 7517)',
      description:
        'The first one signs. Those before it stay, so that their proofs can be verified for ever.',
      access: 'public',
      reads: 'nearest',
      cache: 300,
      answer: JwkSet,
    },
    (c) => publicKeys(c.var.settings.PROOF_KEYS),
  )
  .get(
    '/api/externalOrders/:order_id/proof',
    {
      id: 'getProof',
      tag: 'Orders',
      summary: 'Get the proof of a delivery',
      description:
        'Returns what was delivered to whom by which transaction, signed by the marketplace, for ' +
        'those who may read the order. Anybody can verify it: the guide “Proving a delivery” says ' +
        'how. The answer is the same each time, unless a reorganization of the chain has the NFT ' +
        'delivered again, or the marketplace signs with another key.',
      access: 'orders',
      reads: 'nearest',
      isStrict: true,
      input: { param: OrderId },
      answer: DeliveryProof,
      errors: ['order_not_found', 'not_delivered', 'conflict'],
    },
    (c, { param }) => proveDelivery(c.var, param.order_id),
  )

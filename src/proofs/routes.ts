import * as z from 'zod'
import { JwkSet, publicKeys } from '../auth/tokens.ts'
import { Endpoints } from '../http/endpoint.ts'
import { idText } from '../http/inputs.ts'
import { proveDelivery } from './prove.ts'
import { DeliveryProof } from './schema.ts'

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
      access: 'token',
      reads: 'nearest',
      isStrict: true,
      input: { param: OrderId },
      answer: DeliveryProof,
      errors: ['order_not_found', 'not_delivered', 'conflict'],
    },
    (c, { param }) => proveDelivery(c.var, param.order_id),
  )

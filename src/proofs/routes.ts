import * as z from 'zod'
import { publicKeys } from '../auth/tokens.ts'
import { allowCaching } from '../http/cache-control.ts'
import { Endpoints } from '../http/endpoint.ts'
import { docs } from '../http/fields.ts'
import { idText } from '../http/inputs.ts'
import { proveDelivery } from './prove.ts'

const OrderId = z.object({ order_id: idText.describe(docs('The id of the order.')) })

export const proofRoutes = new Endpoints()
  .get(
    '/.well-known/proof-jwks.json',
    { id: 'getProofKeys', access: 'public', reads: 'nearest' },
    (c) => {
      allowCaching(c, 300)
      return c.json(publicKeys(c.var.settings.PROOF_KEYS))
    },
  )
  .get(
    '/api/externalOrders/:order_id/proof',
    {
      id: 'getProof',
      access: 'token',
      reads: 'nearest',
      isStrict: true,
      input: { param: OrderId },
    },
    async (c, { param }) => c.json(await proveDelivery(c.var, param.order_id)),
  )

import { Hono } from 'hono'
import * as z from 'zod'
import { publicKeys } from '../auth/tokens.ts'
import { allowCaching } from '../http/cache-control.ts'
import type { App } from '../http/context.ts'
import { publicEndpoint, requireToken, validate } from '../http/endpoint.ts'
import { docs } from '../http/fields.ts'
import { idText } from '../http/ids.ts'
import { proveDelivery } from './prove.ts'

const OrderId = z.object({ order_id: idText.describe(docs('The id of the order.')) })

export const proofRoutes = new Hono<App>()
  .get('/.well-known/proof-jwks.json', publicEndpoint('getProofKeys'), (c) => {
    allowCaching(c, 300)
    return c.json(publicKeys(c.var.settings.PROOF_KEYS))
  })
  .get(
    '/api/externalOrders/:order_id/proof',
    requireToken('getProof'),
    validate('param', OrderId),
    async (c) => c.json(await proveDelivery(c.var, c.req.valid('param').order_id)),
  )

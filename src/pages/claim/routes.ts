/** Where the link of an order leads. It is no secret: buyers prove their address. */
import { Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../../http/context.ts'
import { requireSession, validate } from '../../http/endpoint.ts'
import { idText } from '../../http/inputs.ts'
import { readClaim } from '../../orders/claim.ts'

export const claimRoutes = new Hono<App>().get(
  '/claim/:id',
  requireSession(),
  validate('param', z.object({ id: idText })),
  async (c) => {
    const { id } = c.req.valid('param')
    const { waits } = await readClaim(c.var, id)
    return c.redirect(waits ? '/settings/account' : `/orders/${id}`, 303)
  },
)

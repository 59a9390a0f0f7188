/** Where the link of an order leads. It is no secret: buyers prove their address. */
import * as z from 'zod'
import { Endpoints } from '../../http/endpoint.ts'
import { idText } from '../../http/inputs.ts'
import { readClaim } from '../../orders/claim.ts'

export const claimRoutes = new Endpoints().get(
  '/claim/:id',
  { access: 'session', reads: 'nearest', input: { param: z.object({ id: idText }) } },
  async (c, { param: { id } }) => {
    const { waits } = await readClaim(c.var, id)
    return c.redirect(waits ? '/settings/account' : `/orders/${id}`, 303)
  },
)

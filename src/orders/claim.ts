import { readAsUser } from '../auth/session.ts'
import { raw } from '../db/statements.ts'
import type { Ctx } from '../http/context.ts'
import { requirePrimary } from '../http/nearest.ts'

/**
 * Returns the signed-in user, and whether an order that the user has bought waits for a wallet. Any
 * other order is undefined: whether there is one is not told.
 */
export async function readClaim({ db, caller }: Pick<Ctx, 'db' | 'caller'>, orderId: number) {
  const { account, orders } = await readAsUser(
    { db, caller },
    {
      orders: raw<{ waits: 0 | 1 }>(db)`SELECT EXISTS (SELECT 1 FROM orderItems JOIN deliveries
        ON deliveries.id = orderItems.id WHERE orderId = orders.id AND awaits = buyerId) AS waits
      FROM orders WHERE id = ${orderId} AND buyerId = ${caller.userId}`,
    },
  )
  if (!orders[0]) requirePrimary(db)
  return { account, order: orders[0] }
}

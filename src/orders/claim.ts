import { sql } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import { raw } from '../db/statements.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'

/**
 * Returns whether an order that the caller has bought waits for a wallet. Throws `forbidden` for any
 * other order: whether there is one is not told.
 */
export async function readClaim({ db, caller }: Pick<Ctx, 'db' | 'caller'>, orderId: number) {
  const select = sql`SELECT EXISTS (SELECT 1 FROM orderItems JOIN deliveries
      ON deliveries.id = orderItems.id WHERE orderId = orders.id AND awaits = buyerId) AS waits
    FROM orders WHERE id = ${orderId} AND buyerId = ${caller.userId}`
  const { orders } = await readAs(db, caller, { orders: raw<{ waits: 0 | 1 }>(db, select) })
  const [order] = orders
  if (order) return order
  throw new ApiError(
    'forbidden',
    'this order belongs to another account: sign in with the e-mail address or the wallet that you gave to the shop, or add it to this account in your settings',
  )
}

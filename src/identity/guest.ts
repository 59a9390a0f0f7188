/** Guests: accounts that an order has made. They belong to whoever first proves the address. */

import { sql } from 'drizzle-orm'
import { selectAddressIds } from '../addresses/schema.ts'
import { raw } from '../db/batch.ts'
import { isGuest } from '../db/schema/users.ts'
import { changeDeliveries } from '../delivery/transitions.ts'
import type { Ctx } from '../http/context.ts'
import { closeAccount } from './close.ts'
import type { Proof } from './sign-in.ts'

/**
 * The statements that give the caller what the guest with the proved address has bought, and close
 * the account of the guest. They change nothing if more than an order has made use of the account,
 * or if it has a second address, which the caller has not proved.
 */
export function takeOverGuest({ db, caller, now }: Ctx, { method, value, walletChainId }: Proof) {
  const { userId } = caller
  const at = now.toISOString()
  const proved = sql.raw(method === 'wallet' ? 'ethereumPublicAddr' : 'email')
  const guest = sql`(SELECT id FROM users WHERE ${proved} = ${value} AND ${proved} <> ''
    AND walletChainId = ${walletChainId} AND '' IN (email, ethereumPublicAddr)
    AND ${sql.raw(isGuest('users'))} AND removedAt IS NULL
    AND NOT EXISTS (SELECT 1 FROM listings WHERE sellerId = users.id)
    AND NOT EXISTS (SELECT 1 FROM orderItems WHERE sellerId = users.id)
    AND NOT EXISTS (SELECT 1 FROM tokens WHERE userId = users.id)
    AND NOT EXISTS (SELECT 1 FROM webhookEndpoints WHERE userId = users.id))`
  return [
    raw<never>(
      db,
      sql`UPDATE addresses SET userId = ${userId}, isDefault = 0, updatedAt = ${at}
        WHERE id IN ${selectAddressIds(guest)}`,
    ),
    // Lists of changes find orders by their deliveries.
    ...changeDeliveries(
      db,
      'change_buyer',
      sql`deliveries.id IN (SELECT i.id FROM orders o CROSS JOIN orderItems i ON i.orderId = o.id
        WHERE o.buyerId = ${guest})`,
      now,
      { awaits: sql`iif(awaits IS NULL, NULL, ${userId})` },
    ),
    raw<never>(db, sql`UPDATE orders SET buyerId = ${userId} WHERE buyerId = ${guest}`),
    // Last, because the others find the guest by the address. Then the caller can have it.
    raw(db, closeAccount(guest, now)),
  ] as const
}

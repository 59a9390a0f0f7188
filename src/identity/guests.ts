/**
 * Guests: accounts that orders have made. Who first proves the address gets the account. An unproven wallet
 * is a guest on each chain on which something was ordered for it. Its key proves all of them, and the contract
 * at its address the one of its chain.
 */
import { type SQL, sql } from 'drizzle-orm'
import { selectAddressIds } from '../addresses/schema.ts'
import type { Database } from '../db/client.ts'
import { isGuestSql } from '../db/schema/users.ts'
import { raw } from '../db/statements.ts'
import { changeDeliveries } from '../delivery/transitions.ts'
import { closeAccounts } from './close.ts'
import { unusedHash } from './namespace.ts'

/** The address that a proof of a sign-in proves (`Proof`). */
type Proved = { method: 'wallet' | 'email'; value: SQL; walletChainId: number | SQL }

/**
 * Selects the guests whose address is proved: not those of whom more than an order has made use, or who have a
 * second address, which is not proved.
 */
function selectGuests({ method, value, walletChainId }: Proved): SQL {
  const proved = sql.raw(method === 'wallet' ? 'ethereumPublicAddr' : 'email')
  return sql`SELECT id FROM users WHERE ${proved} = ${value} AND ${proved} <> ''
    AND ${walletChainId} IN (0, walletChainId) AND '' IN (email, ethereumPublicAddr)
    AND ${isGuestSql('users')} AND removedAt IS NULL
    AND NOT ${hasTrade} AND NOT EXISTS (SELECT 1 FROM tokens WHERE userId = users.id)`
}

/** Whether a wallet has an account, which is not that of a guest whom its proof ends. */
export const hasAccountSql = (wallet: SQL, walletChainId: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM users WHERE ethereumPublicAddr = ${wallet}
    AND ethereumPublicAddr <> '' AND walletChainId = ${walletChainId}
    AND id NOT IN (${selectGuests({ method: 'wallet', value: wallet, walletChainId })}))`

/** Matches users who sell something, or whose orders programs follow. */
const hasTrade = sql`(EXISTS (SELECT 1 FROM listings WHERE sellerId = users.id)
  OR EXISTS (SELECT 1 FROM orderItems WHERE sellerId = users.id)
  OR EXISTS (SELECT 1 FROM webhookEndpoints WHERE userId = users.id))`

/** Whether a user is more than a person who buys and signs in. */
export const isMoreThanBuyerSql = (userId: number): SQL =>
  sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND (externalId IS NOT NULL
    OR roleId IS NOT NULL OR ${hasTrade}
    OR EXISTS (SELECT 1 FROM tokens WHERE userId = users.id AND kind = 'api')))`

/**
 * The statement that makes the first guest of a wallet the account of its key, so that the account keeps its
 * id. Those of other chains are taken over.
 */
export const promoteGuest = (db: Database, proved: Proved & { identityHash: SQL }) =>
  raw<never>(
    db,
  )`UPDATE users SET walletChainId = 0, identityHash = ${unusedHash(proved.identityHash)}
    WHERE id = (SELECT min(id) FROM users WHERE id IN (${selectGuests(proved)}))
      AND NOT EXISTS (SELECT 1 FROM users WHERE ethereumPublicAddr = ${proved.value}
        AND ethereumPublicAddr <> '' AND walletChainId = 0)`

/**
 * The statements that give a user what guests have bought who have the proved address, and close the accounts
 * of the guests.
 */
export const takeOverGuests = (db: Database, proved: Proved, userId: number | SQL, now: Date) =>
  takeOver(db, selectGuests(proved), userId, now)

/**
 * The statements that give a user what others have bought, and close their accounts. `others` selects ids.
 */
export function takeOver(db: Database, others: SQL, userId: number | SQL, now: Date) {
  const updatedAt = now.toISOString()
  return [
    raw<never>(db)`UPDATE addresses SET userId = ${userId}, isDefault = 0, updatedAt = ${updatedAt}
      WHERE id IN ${selectAddressIds(others)}`,
    // Lists of changes find orders by their deliveries.
    ...changeDeliveries(
      db,
      'change_buyer',
      sql`deliveries.id IN (SELECT i.id FROM orders o CROSS JOIN orderItems i ON i.orderId = o.id
        WHERE o.buyerId IN (${others}))`,
      now,
      sql`awaits = iif(awaits IS NULL, NULL, ${userId})`,
    ),
    raw<never>(db)`UPDATE orders SET buyerId = ${userId} WHERE buyerId IN (${others})`,
    raw<never>(db)`UPDATE OR REPLACE downloads SET userId = ${userId} WHERE userId IN (${others})`,
    // Last, because the others find guests by their address. Then the user can have it.
    raw<never>(db)`${closeAccounts(others, now)}`,
  ] as const
}

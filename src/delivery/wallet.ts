/**
 * What becomes of deliveries when their buyer links or unlinks a wallet, or is forgotten.
 *
 * The wallet of a delivery is `ethRecipient` of the order item. Linking (`queueAwaiting`) gives it to the
 * deliveries that wait for one. Unlinking (`identity/link.ts`) is refused while a transaction carries a
 * delivery to or from the user, and while one that the user sells is queued (`hasDeliveriesUnderWaySql`). It
 * takes the wallet from deliveries that the user buys (`removeRecipient`): queued ones wait for the next
 * wallet, but for those that are to be cancelled; failed ones stay failed and get the next wallet with a
 * retry (`delivery/actions/actions.ts`). The transitions of queued deliveries change their version, so a step
 * that has read them before writes nothing, and begins again.
 *
 * A delivery whose key was found on the chain has none if its buyer had none (`queueDropped`).
 */

import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { raw } from '../db/statements.ts'
import { hasEventAfterSql, mailPosition } from '../events/append.ts'
import { changeDeliveries } from './transitions.ts'

/** `walletChainId`: the chain of a contract; 0 for a wallet with a key. */
type Wallet = { address: string | SQL; walletChainId: number | SQL }

const walletOfAwaited = (column: SQL) => sql`(SELECT ${column} FROM deliveries d
  JOIN users u ON u.id = d.awaits WHERE d.id = orderItems.id)`

/** The wallet that is stored for the user for whom a delivery waits. */
export const storedWallet: Wallet = {
  address: walletOfAwaited(sql`u.ethereumPublicAddr`),
  walletChainId: walletOfAwaited(sql`u.walletChainId`),
}

/**
 * Queues the deliveries that wait for a wallet of the users: statements for the transaction that gives
 * them one. `userIds` is an id, or SQL that selects ids. The rows of `queued` have the chains to wake
 * after it. A delivery without a chain waits until its network is configured.
 */
export const queueAwaiting = (
  db: Database,
  userIds: number | SQL,
  { address, walletChainId }: Wallet,
  now: Date,
) => ({
  recipients: raw<never>(db)`
    UPDATE orderItems SET ethRecipient = ${address}, recipientChainId = ${walletChainId}
    WHERE id IN (SELECT id FROM deliveries WHERE awaits IN (${userIds}))`,
  queued: changeDeliveries(db, 'link_wallet', sql`deliveries.awaits IN (${userIds})`, now),
})

/**
 * What stops unlinking: what an open transaction carries to or from the user, and what the user sells and
 * is queued. Reads only what is under way, not the whole history.
 */
export const hasDeliveriesUnderWaySql = (userId: number): SQL =>
  sql`EXISTS (SELECT 1
    FROM (SELECT id, 1 AS isQueued FROM deliveries WHERE dueAt IS NOT NULL
      UNION ALL SELECT value, 0 FROM transactions, json_each(items) WHERE isOpen) AS underWay
    JOIN orderItems ON orderItems.id = underWay.id
    JOIN orders ON orders.id = orderItems.orderId
    WHERE (orders.buyerId = ${userId} AND NOT isQueued) OR orderItems.sellerId = ${userId})`

/**
 * Takes the wallet from the deliveries that the user buys: those that are to be delivered and are queued, and
 * failed ones.
 */
export function removeRecipient(db: Database, userId: number, now: Date) {
  const isBuyer = sql`EXISTS (SELECT 1 FROM orderItems i JOIN orders o ON o.id = i.orderId
    WHERE i.id = d.id AND o.buyerId = ${userId})`
  const queued = sql`SELECT d.id FROM deliveries d WHERE d.dueAt IS NOT NULL
    AND d.state = 'queued' AND d.requestedAction = 'deliver' AND ${isBuyer}`
  // All states, in the spelling of the index `deliveries_waiting`, so that SQLite uses it.
  const failed = sql`SELECT d.id FROM deliveries d
    WHERE d.state IN ('awaiting_wallet', 'failed', 'cancelled', 'written_off') AND d.state = 'failed' AND ${isBuyer}`
  return {
    recipients: raw<never>(db)`UPDATE orderItems SET ethRecipient = NULL, recipientChainId = 0
      WHERE id IN (${queued} UNION ALL ${failed})`,
    unlinked: changeDeliveries(db, 'unlink_wallet', sql`deliveries.id IN (${queued})`, now),
  }
}

/** Whether the delivery has a recipient. One that was found on the chain may have none. */
export const hasRecipientSql = sql`EXISTS (SELECT 1 FROM orderItems i
  WHERE i.id = deliveries.id AND i.ethRecipient IS NOT NULL)`

/** Gives deliveries without a recipient the wallet of their buyer, if there is one. `ids`: a list in parentheses. */
export const addRecipients = (db: Database, ids: SQL) =>
  raw<never>(db)`UPDATE orderItems SET ethRecipient = u.ethereumPublicAddr,
      recipientChainId = u.walletChainId
    FROM deliveries x, orders o, users u
    WHERE x.id IN ${ids} AND x.requestedAction = 'deliver'
      AND orderItems.id = x.id AND orderItems.ethRecipient IS NULL
      AND o.id = orderItems.orderId AND u.id = o.buyerId AND u.ethereumPublicAddr <> ''`

/**
 * Queues deliveries again whose block is gone. One without a recipient gets the wallet of its buyer, or waits
 * until its buyer has one.
 */
export const queueDropped = (db: Database, condition: SQL, now: Date) => ({
  recipients: addRecipients(
    db,
    sql`(SELECT id FROM deliveries WHERE state = 'transferred' AND ${condition})`,
  ),
  requeued: [
    ...changeDeliveries(
      db,
      'drop_block_without_wallet',
      sql`${condition} AND NOT ${hasRecipientSql}`,
      now,
    ),
    ...changeDeliveries(db, 'drop_block', condition, now),
  ],
})

/**
 * Tells once more of the deliveries to the user that wait for a wallet, if it was mailed already: after the address of the
 * user was corrected.
 */
export const tellAwaitingAgain = (db: Database, userId: number, now: Date) =>
  changeDeliveries(
    db,
    'tell_awaiting_wallet',
    sql`deliveries.awaits = ${userId} AND NOT ${hasEventAfterSql(
      mailPosition,
      sql`deliveries.id`,
      'order.awaiting_wallet',
    )}`,
    now,
  )

/**
 * Asks to use up the keys of the deliveries to the user that no transaction carries. They end as `cancelled`,
 * which needs no recipient.
 */
export const cancelUnsigned = (db: Database, userId: number, now: Date) =>
  changeDeliveries(
    db,
    'request_cancellation',
    sql`deliveries.requestedAction = 'deliver' AND deliveries.state <> 'failed'
      AND deliveries.id IN (SELECT i.id FROM orders o CROSS JOIN orderItems i ON i.orderId = o.id
        WHERE o.buyerId = ${userId})`,
    now,
  )

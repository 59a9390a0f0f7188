import { sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import { type Database, raw, type Statement } from '../db/client.ts'
import { explain } from './reasons.ts'

/** `walletChainId`: the chain of a contract; 0 for a wallet with a key. */
type Wallet = { address: string; walletChainId: number }

/**
 * Queues the items that wait for the user's wallet: statements for the transaction that links it.
 * The rows of the second are the chains to wake after it.
 */
export function queueAwaiting(
  db: Database,
  userId: number,
  { address, walletChainId }: Wallet,
  now: Date,
): [Statement, RunnableQuery<{ chainId: number | null }[], 'sqlite'>] {
  const at = now.toISOString()
  const { reasonCode, reason } = explain('network_not_configured')
  return [
    raw(
      db,
      sql`UPDATE orderItems SET ethRecipient = ${address}, recipientChainId = ${walletChainId},
          updatedAt = ${at}
        WHERE id IN (SELECT id FROM deliveries WHERE awaits = ${userId})`,
    ),
    raw<{ chainId: number | null }>(
      db,
      sql`UPDATE deliveries SET awaits = NULL, version = version + 1, updatedAt = ${at},
          state = iif(chainId IS NULL, 'failed', 'queued'),
          reasonCode = iif(chainId IS NULL, ${reasonCode}, NULL),
          reason = iif(chainId IS NULL, ${reason}, NULL),
          dueAt = iif(chainId IS NULL, NULL, ${at})
        WHERE awaits = ${userId} RETURNING chainId`,
    ),
  ]
}

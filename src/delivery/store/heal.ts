/** What is stored of closed blocks, and how wrong answers and forks are undone. */

import { type SQL, sql } from 'drizzle-orm'
import type { Address } from 'viem'
import type { Database } from '../../db/client.ts'
import { raw } from '../../db/statements.ts'
import type { Block } from '../../ethereum/requests.ts'
import type { KnownBlock } from '../model.ts'
import { DEADLINE } from '../rules/decide.ts'
import { changeDeliveries } from '../transitions.ts'
import { queueDropped } from '../wallet.ts'

/** Blocks that `readClosedBlocks` returns at most. */
export const PAGE = 100

/** Returns the newest blocks below a height in which transactions were closed, the newest first. */
export const readClosedBlocks = (db: Database, chainId: number, below: number) =>
  db.all<KnownBlock>(sql`SELECT DISTINCT block AS number, blockHash AS hash FROM transactions
    WHERE chainId = ${chainId} AND block < ${below} AND blockHash IS NOT NULL AND NOT isOpen
    ORDER BY block DESC LIMIT ${PAGE}`)

/**
 * Whether the newest block of a node is newer than a block of the same or a larger height that
 * steps have worked with: then the node has another chain. A node that is behind has not.
 */
export async function isNewer(
  db: Database,
  chainId: number,
  { number, timestamp }: Pick<Block, 'number' | 'timestamp'>,
): Promise<boolean> {
  const rows = await db.all(sql`SELECT 1 FROM transactions
    WHERE chainId = ${chainId} AND block > ${number} AND NOT isOpen AND replaced = '[]'
      AND signedAtBlock >= ${number} AND deadline > 0 AND deadline < ${timestamp + DEADLINE} LIMIT 1`)
  return rows.length > 0
}

export async function isSignedFor(db: Database, chainId: number, contract: Address) {
  const rows = await db.all(sql`SELECT 1 FROM transactions
    WHERE chainId = ${chainId} AND contract = ${contract} AND deadline > 0 LIMIT 1`)
  return rows.length > 0
}

/**
 * Queues the deliveries above the fork again, and forgets the blocks that are gone. Failed deliveries are
 * compared with the chain next: their keys may be unused again. `standing`: the newest block that the chain
 * has; null if it has none of those that are known.
 */
export const requeueAboveFork = (
  db: Database,
  chainId: number,
  standing: KnownBlock | null,
  now: Date,
) => ({
  ...requeue(db, chainId, sql`block > ${standing?.number ?? -1} OR isOpen`, now),
  network: raw(db)`UPDATE networks SET settledBlock = ${standing?.number ?? null},
      settledHash = ${standing?.hash ?? null}, comparedAt = NULL, comparedId = 0
    WHERE chainId = ${chainId}`,
})

/**
 * Forgets the blocks of nonces that no block has, and queues again what was signed for later ones,
 * which have to wait for them.
 */
export const requeueNonces = (
  db: Database,
  chainId: number,
  { signer, count }: { signer: Address; count: number },
  now: Date,
) =>
  requeue(
    db,
    chainId,
    sql`signer = ${signer} AND nonce >= ${count} AND (block IS NOT NULL OR isOpen)
      AND (deadline > 0 OR blockHash IS NOT NULL)`,
    now,
  )

/** Forgets a contract, and queues again what it has delivered by the rows. */
export const forgetContract = (db: Database, chainId: number, contract: Address, now: Date) => {
  const isDelivered = sql`deliveries.id IN (SELECT i.value FROM transactions t, json_each(t.items) i
    WHERE t.chainId = ${chainId} AND t.contract = ${contract})`
  return {
    forgotten: changeDeliveries(db, 'forget_contract', isDelivered, now),
    ...requeue(db, chainId, sql`contract = ${contract}`, now),
    network: raw(db)`
      UPDATE networks SET contracts = (SELECT json_group_array(value) FROM json_each(contracts)
      WHERE value <> ${contract}) WHERE chainId = ${chainId}`,
  }
}

/**
 * Queues the deliveries again that transactions carry, and forgets the blocks of these. The newest row of
 * each nonce is open and without deliveries then: its bytes may be mined again, or its nonce is signed again.
 */
const requeue = (db: Database, chainId: number, isGone: SQL, now: Date) => {
  const at = now.toISOString()
  const gone = sql`chainId = ${chainId} AND (${isGone})`
  const isCarried = sql`deliveries.id IN (SELECT i.value FROM transactions, json_each(items) i
      WHERE ${gone})
    AND deliveries.transactionId IN (SELECT id FROM transactions WHERE ${gone})`
  return {
    ...queueDropped(db, isCarried, now),
    transactions: raw(db)`
      UPDATE transactions SET block = NULL, blockHash = NULL, items = '[]', raw = NULL,
        nonceUsedAt = NULL, gasUsed = NULL, fee = NULL, updatedAt = ${at},
        isOpen = id IN (SELECT coalesce(max(id) FILTER (WHERE isOpen), max(id)) FROM transactions
          WHERE ${gone} GROUP BY signer, nonce)
      WHERE ${gone}`,
  }
}

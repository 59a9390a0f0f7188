/**
 * Finds out whether the chain has lost blocks in which something was settled (a deep
 * reorganization, or a chain that was reset). While the hash of the newest settled block stands,
 * everything below it stands.
 */
import { sql } from 'drizzle-orm'
import type { Hex } from 'viem'
import { type Database, raw } from '../../db/client.ts'
import type { Network } from '../../env.ts'
import { otherNodes } from '../../ethereum/node.ts'
import { type Block, block, blockAt, read } from '../../ethereum/requests.ts'
import type { World } from './observe.ts'
import { DEADLINE } from './prepare.ts'

/** Transactions that are compared in one step of the search. */
const PAGE = 100

/** The newest block that still stands. Null: none of those that are known. */
export type Fork = { standing: { block: number; hash: Hex } | null }

/** Returns whether the settled block has another hash now: the chain may have forked. */
export const isSuspect = ({ loaded: { network }, observation }: World) =>
  network.settledBlock !== null && observation.settledHash !== network.settledHash

/** Returns the fork; or why there is no proof of one. */
export async function findFork(
  db: Database,
  { network, loaded, observation: { node, head } }: World,
): Promise<Fork | string> {
  const { settledBlock, settledHash } = loaded.network
  if (settledBlock === null) return 'nothing is settled'
  for (const other of otherNodes(network, node)) {
    const replies = await other.rpc([blockAt(settledBlock)])
    if (read(block, replies(blockAt(settledBlock)))?.hash === settledHash)
      return 'the node is on another fork than a second one'
  }
  let isProven = head.number >= settledBlock || (await isNewer(db, network, head))
  for (let below = head.number + 1; ; ) {
    const [blocks] = await db.batch([
      raw<{ block: number; blockHash: Hex }>(
        db,
        sql`SELECT DISTINCT block, blockHash FROM transactions
          WHERE chainId = ${network.chainId} AND block < ${below} AND block IS NOT NULL
            AND NOT isOpen
          ORDER BY block DESC LIMIT ${PAGE}`,
      ),
    ])
    const replies = await node.rpc(blocks.map(({ block }) => blockAt(block)))
    for (const known of blocks) {
      const reply = replies(blockAt(known.block))
      const canonical = read(block, reply)
      if (!canonical) return 'the node does not tell a block'
      if (canonical.hash === known.blockHash) {
        if (known.block >= settledBlock) return 'the node contradicts itself'
        if (!isProven) return 'the node is behind the settled block'
        return { standing: { block: known.block, hash: known.blockHash } }
      }
      isProven = true
    }
    const last = blocks.at(-1)
    if (!last || blocks.length < PAGE)
      return isProven ? { standing: null } : 'the node is behind the settled block'
    below = last.block
  }
}

/**
 * Whether the newest block of the node is newer than a block of the same or a larger height that
 * the engine has worked with: then the node has another chain. A node that is behind has not.
 */
async function isNewer(db: Database, { chainId }: Network, head: Block): Promise<boolean> {
  const [rows] = await db.batch([
    raw(
      db,
      sql`SELECT 1 FROM transactions WHERE chainId = ${chainId} AND block > ${head.number}
        AND NOT isOpen AND replaced = '[]' AND signedAtBlock >= ${head.number}
        AND deadline > 0 AND deadline < ${head.timestamp + DEADLINE} LIMIT 1`,
    ),
  ])
  return rows.length > 0
}

/**
 * Queues the items above the fork again, and forgets the blocks that are gone. Failed items are
 * compared with the chain next: their keys may be unused again. The newest row of each
 * nonce is open and without items then: its bytes may be mined again, or its nonce is signed again.
 */
export const requeueAboveFork = (db: Database, chainId: number, { standing }: Fork, now: Date) => {
  const above = standing?.block ?? -1
  const at = now.toISOString()
  return [
    raw<{ id: number }>(
      db,
      sql`UPDATE deliveries SET state = 'queued', dueAt = ${at}, queuedAt = ${at}, failingSince = NULL, tries = 0,
          transactionId = NULL, reasonCode = iif(requestedAction = 'cancel', reasonCode, NULL),
          reason = iif(requestedAction = 'cancel', reason, NULL), version = version + 1, updatedAt = ${at}
        WHERE state IN ('transferred', 'in_flight', 'cancelled')
          AND id IN (SELECT i.value FROM transactions t, json_each(t.items) i
            WHERE t.chainId = ${chainId} AND (t.block > ${above} OR t.isOpen))
          AND transactionId IN (SELECT id FROM transactions
            WHERE chainId = ${chainId} AND (block > ${above} OR isOpen))
        RETURNING id`,
    ),
    raw(
      db,
      sql`UPDATE transactions SET block = NULL, blockHash = NULL, items = '[]', raw = NULL,
          nonceUsedAt = NULL, gasUsed = NULL, fee = NULL, updatedAt = ${at},
          isOpen = id IN (SELECT coalesce(max(id) FILTER (WHERE isOpen), max(id)) FROM transactions
            WHERE chainId = ${chainId} AND (block > ${above} OR isOpen) GROUP BY signer, nonce)
        WHERE chainId = ${chainId} AND (block > ${above} OR isOpen)`,
    ),
    raw(
      db,
      sql`UPDATE networks SET settledBlock = ${standing?.block ?? null},
          settledHash = ${standing?.hash ?? null}, comparedAt = NULL, comparedId = 0 WHERE chainId = ${chainId}`,
    ),
  ] as const
}

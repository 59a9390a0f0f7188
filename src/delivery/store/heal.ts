/**
 * Finds out whether the chain has lost blocks in which something was settled (a deep
 * reorganization, or a chain that was reset). While the hash of the newest settled block stands,
 * everything below it stands.
 */

import { type SQL, sql } from 'drizzle-orm'
import type { Address, Hex } from 'viem'
import { raw } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import type { Network } from '../../env.ts'
import { encodeGetter } from '../../ethereum/contract.ts'
import { askAll, otherNodes } from '../../ethereum/node.ts'
import {
  type Block,
  block,
  blockAt,
  hex,
  inconclusive,
  read,
  view,
} from '../../ethereum/requests.ts'
import type { Work, World } from '../chain/observe.ts'
import { DEADLINE } from '../prepare.ts'

/** Transactions that are compared in one step of the search. */
const PAGE = 100

/** The newest block that still stands. Null: none of those that are known. */
export type Fork = { standing: { block: number; hash: Hex } | null }

/** Why there is no proof of a fork. `isDenied`: another node has the settled block. */
export type Unproven = { reason: string; isDenied: boolean }

const unproven = (reason: string, isDenied = false): Unproven => ({ reason, isDenied })

/** Milliseconds after which nodes are believed that all contradict what is stored. */
const CONTRADICTION_TIMEOUT = 10 * 60_000

/** Returns whether the settled block has another hash now: the chain may have forked. */
export const isSuspect = ({ loaded: { network }, observation }: World) =>
  network.settledBlock !== null && observation.settledHash !== network.settledHash

/**
 * Returns the signers of which a block has a nonce by our rows, and not by any node although all have
 * that block: a wrong answer was stored. With the highest count that a node tells.
 */
export const findContradicted = ({ network, loaded, observation }: World) =>
  [...loaded.mined].flatMap(([signer, { nextNonce, block }]) => {
    const { count = nextNonce, otherCounts = [] } = observation.signers.get(signer) ?? {}
    const counts = [count, ...otherCounts]
    const highest = Math.max(...counts)
    const isContradicted =
      highest < nextNonce &&
      block <= observation.head.number &&
      counts.length === network.rpcUrls.length
    return isContradicted ? [{ signer, count: highest }] : []
  })

/** Whether all nodes have contradicted what is stored for ten minutes. */
export const isProvenWrong = ({ loaded: { network }, now }: Work): boolean =>
  network.contradictedSince !== null &&
  now.getTime() - Date.parse(network.contradictedSince) >= CONTRADICTION_TIMEOUT

/** Returns the fork; or why there is no proof of one. */
export async function findFork(db: Database, world: World): Promise<Fork | Unproven> {
  const { network, loaded, observation, now } = world
  const { node, head } = observation
  const { settledBlock, settledHash } = loaded.network
  if (settledBlock === null) return unproven('nothing is settled')
  let answers = 1
  for (const other of otherNodes(network, node)) {
    const reply = (await other.rpc([blockAt(settledBlock)]))(blockAt(settledBlock))
    if (read(block, reply)?.hash === settledHash)
      return unproven('the node is on another fork than a second one', true)
    if ('result' in reply) answers++
  }
  // Nodes that make blocks, and do not have this one, are not behind it.
  const isFresh = now.getTime() / 1000 - head.timestamp < CONTRADICTION_TIMEOUT / 1000
  const isLong = isProvenWrong(world)
  if (answers < network.rpcUrls.length && !isLong)
    return unproven('no second node tells the settled block')
  let isProven =
    head.number >= settledBlock || (isLong && isFresh) || (await isNewer(db, network, head))
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
      if (!canonical) return unproven('the node does not tell a block')
      if (canonical.hash === known.blockHash) {
        if (known.block >= settledBlock) return unproven('the node contradicts itself')
        if (!isProven) return unproven('the node is behind the settled block')
        return { standing: { block: known.block, hash: known.blockHash } }
      }
      isProven = true
    }
    const last = blocks.at(-1)
    if (!last || blocks.length < PAGE)
      return isProven ? { standing: null } : unproven('the node is behind the settled block')
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
 * Queues the items above the fork again, and forgets the blocks that are gone. Failed items are compared
 * with the chain next: their keys may be unused again.
 */
export const requeueAboveFork = (db: Database, chainId: number, { standing }: Fork, now: Date) =>
  [
    ...requeue(db, chainId, sql`block > ${standing?.block ?? -1} OR isOpen`, now),
    raw(
      db,
      sql`UPDATE networks SET settledBlock = ${standing?.block ?? null},
          settledHash = ${standing?.hash ?? null}, comparedAt = NULL, comparedId = 0 WHERE chainId = ${chainId}`,
    ),
  ] as const

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
    sql`signer = ${signer} AND nonce >= ${count} AND (block IS NOT NULL OR isOpen) AND deadline > 0`,
    now,
  )

/**
 * Whether each node says that a stored contract is no Delivery contract, and nothing was signed for it:
 * a wrong answer was stored.
 */
export async function isNoContract(db: Database, network: Network, contract: Address) {
  const request = view(contract, encodeGetter('predecessor'))
  const [replies, [signed]] = await Promise.all([
    askAll(network, [request]),
    db.batch([
      raw(
        db,
        sql`SELECT 1 FROM transactions
          WHERE chainId = ${network.chainId} AND contract = ${contract} AND deadline > 0 LIMIT 1`,
      ),
    ]),
  ])
  const isDenied = replies(request).every(
    (reply) => inconclusive(reply) === null && read(hex, reply)?.length !== 66,
  )
  return isDenied && signed.length === 0
}

/** Forgets a contract, and queues again what it has delivered by the rows. */
export const forgetContract = (db: Database, chainId: number, contract: Address, now: Date) => {
  const isGone = sql`contract = ${contract}`
  return [
    raw(
      db,
      sql`UPDATE deliveries SET contract = NULL, version = version + 1
        WHERE id IN (SELECT i.value FROM transactions, json_each(items) i
          WHERE chainId = ${chainId} AND ${isGone})`,
    ),
    ...requeue(db, chainId, isGone, now),
    raw(
      db,
      sql`UPDATE networks SET contracts = (SELECT json_group_array(value) FROM json_each(contracts)
        WHERE value <> ${contract}) WHERE chainId = ${chainId}`,
    ),
  ] as const
}

/**
 * Queues the items again that transactions carry, and forgets the blocks of these. The newest row of
 * each nonce is open and without items then: its bytes may be mined again, or its nonce is signed again.
 */
const requeue = (db: Database, chainId: number, isGone: SQL, now: Date) => {
  const at = now.toISOString()
  const gone = sql`chainId = ${chainId} AND (${isGone})`
  return [
    raw<{ id: number }>(
      db,
      sql`UPDATE deliveries SET state = 'queued', dueAt = ${at}, queuedAt = ${at}, failingSince = NULL, tries = 0,
          transactionId = NULL, reasonCode = iif(requestedAction = 'cancel', reasonCode, NULL),
          reason = iif(requestedAction = 'cancel', reason, NULL), version = version + 1, updatedAt = ${at}
        WHERE state IN ('transferred', 'in_flight', 'cancelled')
          AND id IN (SELECT i.value FROM transactions, json_each(items) i WHERE ${gone})
          AND transactionId IN (SELECT id FROM transactions WHERE ${gone})
        RETURNING id`,
    ),
    raw(
      db,
      sql`UPDATE transactions SET block = NULL, blockHash = NULL, items = '[]', raw = NULL,
          nonceUsedAt = NULL, gasUsed = NULL, fee = NULL, updatedAt = ${at},
          isOpen = id IN (SELECT coalesce(max(id) FILTER (WHERE isOpen), max(id)) FROM transactions
            WHERE ${gone} GROUP BY signer, nonce)
        WHERE ${gone}`,
    ),
  ] as const
}

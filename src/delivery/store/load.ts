/** Takes the lease of a network and loads what a run needs, in one trip. */

import { type SQL, sql } from 'drizzle-orm'
import type { Address } from 'viem'
import { batch } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import { raw } from '../../db/statements.ts'
import type { Network } from '../../env.ts'
import { SECOND } from '../../time.ts'
import type { Delivery, DeliveryTransaction, Loaded, SignerRow } from '../model.ts'
import { MAX_UNMINED } from '../rules/capacity.ts'
import { comparedBefore } from '../wake.ts'
import { hasLeaseSql, takeChainLease } from './lease.ts'

/** Deliveries that one run compares. */
export const COMPARED_DELIVERIES = 200
/**
 * Deliveries that are loaded besides those that can be sent: large ones stay due while they wait for a limit.
 */
const WAITING_DELIVERIES = 16
/** Transactions that one step signs at most. */
const MAX_TRANSACTIONS = 16
/**
 * Transactions that one step looks at of those in a block, and of those of a signer without anything to send.
 */
export const MAX_LOADED = 100

/** What a run may load: of a chain, and only under its lease. */
type Scope = {
  chainId: number
  network: Network
  signers: readonly Address[]
  now: Date
  /** Whether this run has the lease: without it, all other statements return nothing. */
  isMine: SQL
  /** Transactions that may wait to be mined at a time. */
  slots: number
}

/** Returns null if another run has the lease, or nothing is to be done. */
export async function load(
  db: Database,
  network: Network,
  signers: readonly Address[],
  lease: string,
  now: Date,
): Promise<Loaded | null> {
  const { chainId } = network
  const isMine = hasLeaseSql(chainId, lease)
  const slots = signers.length * network.transactionsInFlight
  const scope = { chainId, network, signers, now, isMine, slots }
  const { networks, transactions, carried, due, compared, unconfirmed, mined, signerRows } =
    await batch(db, {
      networks: takeChainLease(db, chainId, lease, now),
      transactions: selectOpen(db, scope),
      carried: selectCarried(db, scope),
      due: selectDue(db, scope),
      compared: selectCompared(db, scope),
      unconfirmed: selectUnconfirmed(db, scope),
      mined: selectMined(db, scope),
      signerRows: raw<SignerRow>(db)`
        SELECT address, reverts, pausedUntil FROM signers WHERE chainId = ${chainId} AND ${isMine}`,
    })
  const [row] = networks
  if (!row) return null
  return {
    network: { ...row, contracts: JSON.parse(row.contracts) },
    transactions: transactions.map((transaction) => ({
      ...transaction,
      items: JSON.parse(transaction.items),
      replaced: JSON.parse(transaction.replaced),
      gas: BigInt(transaction.gas),
      maxFeePerGas: BigInt(transaction.maxFeePerGas),
      maxPriorityFeePerGas: BigInt(transaction.maxPriorityFeePerGas),
    })),
    carried: new Map(carried.map((delivery) => [delivery.id, delivery])),
    due,
    compared,
    unconfirmed,
    mined: new Map(mined.map(({ signer, ...last }) => [signer, last])),
    signers: new Map(signerRows.map((signer) => [signer.address, signer])),
  }
}

/** Whether a transaction carries deliveries, and nothing is known of its nonce yet. */
const isUnminedSql = sql`(items <> '[]' AND nonceUsedAt IS NULL)`

/** Open transactions of the chain that are in no block. */
const unminedSql = ({ chainId }: Scope): SQL =>
  sql`chainId = ${chainId} AND isOpen AND block IS NULL AND ${isUnminedSql}`

/**
 * The ids of the transactions that a step looks at: all that may still be mined, the oldest in a block, and the
 * lowest nonces of each signer that carry nothing. What is mined becomes final in the order of the blocks, and
 * the lowest nonces are signed first.
 */
const openIds = (scope: Scope): SQL => sql`SELECT id FROM transactions
    WHERE ${unminedSql(scope)} AND ${scope.isMine}
  UNION ALL SELECT id FROM (SELECT id FROM transactions
    WHERE chainId = ${scope.chainId} AND isOpen AND block IS NOT NULL AND ${scope.isMine}
    ORDER BY block LIMIT ${MAX_LOADED})
  UNION ALL SELECT id FROM (
    SELECT id, row_number() OVER (PARTITION BY signer ORDER BY nonce) AS position FROM transactions
    WHERE chainId = ${scope.chainId} AND isOpen AND block IS NULL AND NOT ${isUnminedSql} AND ${scope.isMine})
    WHERE position <= ${MAX_LOADED}`

const selectOpen = (db: Database, scope: Scope) =>
  raw<TransactionRow>(db)`
    SELECT id, contract, signer, nonce, items, hash, replaced, iif(block IS NULL, raw, NULL) AS raw,
      gas, maxFeePerGas, maxPriorityFeePerGas, deadline, signedAtBlock, signedAt, block,
      blockHash, nonceUsedAt
    FROM transactions WHERE id IN (${openIds(scope)}) ORDER BY signer, nonce`

/** The deliveries of these transactions. */
const selectCarried = (db: Database, scope: Scope) =>
  raw<Delivery>(
    db,
  )`${selectDeliveries} WHERE d.id IN (SELECT value FROM transactions t, json_each(t.items)
    WHERE t.id IN (${openIds(scope)}))`

/** How many transactions of these signers wait to be mined. */
const countUnmined = (scope: Scope): SQL<number> => sql`(SELECT count(*) FROM transactions
  WHERE ${unminedSql(scope)} AND signer IN (SELECT value FROM json_each(${JSON.stringify(scope.signers)})))`

/**
 * How many deliveries can be sent, and some more. A transaction that only one node calls mined takes the
 * place of no other.
 */
const roomSql = ({ network, signers, slots, chainId }: Scope, inFlight: SQL<number>): SQL => sql`
  SELECT iif(free > 0, free * ${network.itemsPerTransaction} + ${WAITING_DELIVERIES}, 0) AS places
  FROM (SELECT min(${MAX_TRANSACTIONS}, ${slots} - max(0, inFlight - minedByOne),
      ${signers.length * MAX_UNMINED} - inFlight) AS free
    FROM (SELECT minedByOne, ${inFlight} AS inFlight FROM networks WHERE chainId = ${chainId}))`

/**
 * Deliveries that are due. Each who placed orders gets an equal share of the deliveries, and of the pieces,
 * which relayers have a limit of: a delivery waits for the pieces before it, not for its own. What one leaves
 * over is used in the next step. `placers` steps through the index `deliveries_due`, one row for each placer.
 */
function selectDue(db: Database, scope: Scope) {
  const { chainId, isMine } = scope
  const at = scope.now.toISOString()
  return raw<Delivery>(db)`WITH RECURSIVE placers (placer) AS (
      SELECT min(placer) FROM deliveries WHERE chainId = ${chainId} AND dueAt IS NOT NULL AND ${isMine}
      UNION ALL SELECT (SELECT min(d.placer) FROM deliveries d
        WHERE d.chainId = ${chainId} AND d.dueAt IS NOT NULL AND d.placer > placers.placer)
      FROM placers WHERE placer IS NOT NULL),
    waiting AS MATERIALIZED (SELECT placer FROM placers WHERE EXISTS (SELECT 1 FROM deliveries d
      WHERE d.chainId = ${chainId} AND d.placer = placers.placer AND d.dueAt <= ${at})),
    room (places) AS (${roomSql(scope, countUnmined(scope))}),
    share (places) AS (SELECT CAST(ceil(places / (SELECT count(*) FROM waiting)) AS INTEGER) FROM room),
    chosen AS (SELECT d.id, coalesce(sum(i.quantity) OVER (PARTITION BY d.placer
        ORDER BY d.dueAt, d.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS turn
      FROM waiting CROSS JOIN deliveries d ON d.id IN (SELECT n.id FROM deliveries n
        WHERE n.chainId = ${chainId} AND n.placer = waiting.placer AND n.dueAt <= ${at}
        ORDER BY n.dueAt, n.id LIMIT (SELECT places FROM share))
      CROSS JOIN orderItems i ON i.id = d.id)
    ${selectDeliveriesFrom(sql`chosen CROSS JOIN deliveries d ON d.id = chosen.id`)}
    ORDER BY chosen.turn, d.dueAt, d.id LIMIT (SELECT places FROM room)`
}

/** The next page of deliveries that failed or wait for a wallet, once a day. */
const selectCompared = (db: Database, { chainId, now, isMine }: Scope) =>
  raw<Delivery>(db)`${selectDeliveries} JOIN networks w ON w.chainId = ${chainId}
    WHERE d.state IN ('awaiting_wallet', 'failed') AND d.chainId = w.chainId
      AND d.id > w.comparedId AND coalesce(w.comparedAt, '') <= ${comparedBefore(now)} AND ${isMine}
    ORDER BY d.id LIMIT ${COMPARED_DELIVERIES}`

/**
 * Deliveries that have ended by the word of one node. From another delivery on in each second, so that those
 * that nodes never agree about delay no others.
 */
const selectUnconfirmed = (db: Database, { chainId, now, isMine }: Scope) =>
  raw<Delivery>(db)`${selectDeliveries} WHERE d.isUnconfirmed AND d.chainId = ${chainId}
    AND ${isMine} ORDER BY d.id < (
      SELECT min(id) + ${Math.floor(now.getTime() / SECOND)} % (max(id) - min(id) + 1)
      FROM deliveries WHERE isUnconfirmed AND chainId = ${chainId}), d.id
    LIMIT ${COMPARED_DELIVERIES}`

/**
 * The next nonce of each signer by what is mined, and its block: only of transactions that this instance has
 * signed, or two nodes have told. SQLite takes the block of the largest nonce.
 */
const selectMined = (db: Database, { chainId, isMine, slots }: Scope) =>
  raw<{ signer: Address; nextNonce: number; block: number }>(db)`
    SELECT signer, max(nonce) + 1 AS nextNonce, block FROM (
      SELECT signer, nonce, block FROM transactions
      WHERE chainId = ${chainId} AND block IS NOT NULL
        AND (deadline > 0 OR blockHash IS NOT NULL) AND ${isMine}
      ORDER BY block DESC LIMIT ${slots})
    GROUP BY signer`

const selectDeliveriesFrom = (
  source: SQL,
) => sql`SELECT d.id, d."key", d.contract, d.state, d.requestedAction, d.cancelRequestedAt, d.version,
    d.waitingSince, d.tries, d.withoutEffect, d.contract IS NOT NULL AS wasCarried, d.reasonCode, d.reasonDetail, n.contractAddr, n.tokenId, n.fulfilment, n.heldBySeller, i.quantity,
    EXISTS (SELECT 1 FROM burns b WHERE b.chainId = d.chainId AND b.times >= 2
      AND b.token = lower(n.contractAddr) AND b.recipient IN ('', lower(i.ethRecipient))) AS isStoppedByBurns,
    u.ethereumPublicAddr AS seller, u.walletChainId AS sellerChainId, i.ethRecipient AS recipient,
    i.recipientChainId, iif(i.recipientChainId = 0, 0, EXISTS (SELECT 1
      FROM orders o JOIN users b ON b.id = o.buyerId
      WHERE o.id = i.orderId AND b.ethereumPublicAddr = i.ethRecipient
        AND b.walletChainId = i.recipientChainId AND b.walletProvedByFactory)) AS isProvedByFactory
  FROM ${source}
    JOIN orderItems i ON i.id = d.id
    JOIN nfts n ON n.id = i.nftId
    JOIN users u ON u.id = i.sellerId`

const selectDeliveries = selectDeliveriesFrom(sql`deliveries d`)

/** JSON and wei are text in the database. */
type TextColumn = 'items' | 'replaced' | 'gas' | 'maxFeePerGas' | 'maxPriorityFeePerGas'
type TransactionRow = Omit<DeliveryTransaction, TextColumn> & Record<TextColumn, string>

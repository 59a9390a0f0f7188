/** Takes the lease of a network and loads what a run needs, in one trip. */
import { type SQL, sql } from 'drizzle-orm'
import type { Address } from 'viem'
import { type Database, raw } from '../../db/client.ts'
import type { Network } from '../../env.ts'
import type {
  CarriedItem,
  Item,
  Loaded,
  NetworkRow,
  OpenTransaction,
  UnminedFees,
} from './state.ts'

/** Milliseconds after which a run that has not written anything may be taken for dead. */
const LEASE = 60_000

/** Milliseconds between two comparisons of waiting items with the chain. */
export const COMPARE_INTERVAL = 60 * 60 * 1000

/** Items that one run compares. */
export const COMPARED_ITEMS = 200

/** Transactions that one step signs at most. */
const MAX_TRANSACTIONS = 16

/** Returns when a lease taken now ends. */
export const leaseEnd = (now: Date): string => new Date(now.getTime() + LEASE).toISOString()

/** Whether items of the chain failed or wait for a wallet. */
export const hasWaiting = (chainId: SQL): SQL => sql`EXISTS (SELECT 1 FROM deliveries
  WHERE state IN ('awaiting_wallet', 'failed') AND deliveries.chainId = ${chainId})`

/** Whether it is time to compare them with the chain, in a statement that reads `networks`. */
export const isCompareDue = (chainId: SQL, now: Date): SQL => {
  const comparedBefore = new Date(now.getTime() - COMPARE_INTERVAL).toISOString()
  return sql`coalesce(comparedAt, '') <= ${comparedBefore} AND ${hasWaiting(chainId)}`
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
  const at = now.toISOString()
  const comparedBefore = new Date(now.getTime() - COMPARE_INTERVAL).toISOString()
  const isMine = sql`EXISTS (SELECT 1 FROM networks WHERE chainId = ${chainId} AND lease = ${lease})`
  const slots = signers.length * network.transactionsInFlight
  const unmined = sql`(SELECT count(*) FROM transactions
    WHERE chainId = ${chainId} AND isOpen AND block IS NULL
      AND signer IN (SELECT value FROM json_each(${JSON.stringify(signers)})))`
  const [[row], transactions, carried, due, compared, fees, settled] = await db.batch([
    raw<NetworkRow>(
      db,
      sql`INSERT INTO networks (chainId, lease, leaseUntil)
        VALUES (${chainId}, ${lease}, ${leaseEnd(now)})
        ON CONFLICT (chainId) DO UPDATE SET lease = excluded.lease, leaseUntil = excluded.leaseUntil
        WHERE lease = excluded.lease OR (leaseUntil <= ${at} AND (lease IS NOT NULL OR wakeAt <= ${at}
          OR EXISTS (SELECT 1 FROM deliveries WHERE chainId = ${chainId} AND dueAt <= ${at})
          OR (${isCompareDue(sql`${chainId}`, now)})))
        RETURNING chainId, wakeAt, settledBlock, settledHash, comparedId, comparedAt`,
    ),
    raw<TransactionRow>(
      db,
      sql`SELECT * FROM transactions WHERE chainId = ${chainId} AND isOpen AND ${isMine}
        ORDER BY signer, nonce`,
    ),
    raw<CarriedItem>(
      db,
      sql`SELECT d.id, d."key", d.version, d.requestedAction, d.failingSince, d.tries,
          d.reasonCode, d.reason
        FROM transactions t, json_each(t.items) i JOIN deliveries d ON d.id = i.value
        WHERE t.chainId = ${chainId} AND t.isOpen AND ${isMine}`,
    ),
    raw<Item>(
      db,
      sql`${selectItems} WHERE d.chainId = ${chainId} AND d.dueAt <= ${at} AND ${isMine}
        ORDER BY d.dueAt LIMIT
          min(${MAX_TRANSACTIONS}, max(0, ${slots} - ${unmined})) * ${network.itemsPerTransaction}`,
    ),
    raw<Item>(
      db,
      sql`${selectItems} JOIN networks w ON w.chainId = ${chainId}
        WHERE d.state IN ('awaiting_wallet', 'failed') AND d.chainId = w.chainId
          AND d.id > w.comparedId AND coalesce(w.comparedAt, '') <= ${comparedBefore} AND ${isMine}
        ORDER BY d.id LIMIT ${COMPARED_ITEMS}`,
    ),
    raw<FeesRow>(
      db,
      sql`SELECT signer, nonce, maxFeePerGas, maxPriorityFeePerGas FROM transactions
        WHERE chainId = ${chainId} AND NOT isOpen AND block IS NULL AND ${isMine}
        ORDER BY nonce DESC LIMIT 100`,
    ),
    raw<{ signer: Address; nextNonce: number }>(
      db,
      sql`SELECT signer, max(nonce) + 1 AS nextNonce FROM (
          SELECT signer, nonce FROM transactions
          WHERE chainId = ${chainId} AND block IS NOT NULL AND NOT isOpen AND ${isMine}
          ORDER BY block DESC LIMIT ${slots})
        GROUP BY signer`,
    ),
  ])
  if (!row) return null
  return {
    network: row,
    transactions: transactions.map((transaction) => ({
      ...transaction,
      ...parseFees(transaction),
      items: JSON.parse(transaction.items),
      replaced: JSON.parse(transaction.replaced),
      gas: BigInt(transaction.gas),
    })),
    carried: new Map(carried.map((item) => [item.id, item])),
    due,
    compared,
    unmined: fees.map((row) => ({ ...row, ...parseFees(row) })),
    nextNonces: new Map(settled.map(({ signer, nextNonce }) => [signer, nextNonce])),
  }
}

const selectItems = sql`SELECT d.id, d."key", d.contract, d.state, d.requestedAction, d.version,
    d.failingSince, d.tries, d.reasonCode, d.reason, n.contractAddr, n.tokenId, i.quantity,
    u.ethereumPublicAddr AS seller, u.walletChainId AS sellerChainId, i.ethRecipient AS recipient,
    i.recipientChainId
  FROM deliveries d
    JOIN orderItems i ON i.id = d.id
    JOIN nfts n ON n.id = i.nftId
    JOIN users u ON u.id = i.sellerId`

type FeesText = { maxFeePerGas: string; maxPriorityFeePerGas: string }
type FeesRow = Omit<UnminedFees, keyof FeesText> & FeesText
type TransactionRow = Omit<OpenTransaction, 'items' | 'replaced' | 'gas' | keyof FeesText> &
  FeesText & { items: string; replaced: string; gas: string }

const parseFees = ({ maxFeePerGas, maxPriorityFeePerGas }: FeesText) => ({
  maxFeePerGas: BigInt(maxFeePerGas),
  maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas),
})

/** The first trip to D1: all that has to be known of a batch. */
import { type SQL, sql } from 'drizzle-orm'
import type { Address } from 'viem'
import { type Database, raw } from '../db/client.ts'
import { type Account, type StoredTransaction, stopped, type Transfer } from './state.ts'

type Loaded = { transfers: Transfer[]; accounts: Map<number, Account> }

/** Those of the transfers that are on their way, with all that is needed to decide about them. */
export async function load(
  db: Database,
  ids: readonly number[],
  signer: Address,
  chains: readonly Chain[],
): Promise<Loaded> {
  const wanted = sql`(SELECT id FROM transfers
    WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
      AND status IN ('queued', 'signed', 'sent', 'mined'))`
  const [rows, signed, accounts] = await db.batch([
    raw<Omit<Transfer, 'transactions'>>(
      db,
      sql`
      SELECT t.id, t.status, t.generation, t.version, t.reason, t.cancelRequestedAt, t.updatedAt,
        t.txId, i.orderId, i.quantity, i.ethRecipient AS recipient,
        n.contractNetwork, n.contractAddr, n.tokenId, u.ethereumPublicAddr AS seller
      FROM transfers t
        JOIN orderItems i ON i.id = t.id
        JOIN nfts n ON n.id = i.nftId
        JOIN listings l ON l.id = i.listingId
        JOIN users u ON u.id = l.sellerId
      WHERE t.id IN ${wanted} ORDER BY t.id`,
    ),
    raw<StoredTransaction>(
      db,
      sql`
      SELECT * FROM transactions WHERE transferId IN ${wanted} ORDER BY generation, attempt`,
    ),
    raw<AccountRow>(db, accountsOf(signer, chains)),
  ])
  const byTransfer = Map.groupBy(signed, ({ transferId }) => transferId)
  return {
    transfers: rows.map((row) => ({ ...row, transactions: byTransfer.get(row.id) ?? [] })),
    accounts: new Map(
      accounts.map((account) => [
        account.chainId,
        { ...account, recent: JSON.parse(account.recent), isStopped: account.isStopped === 1 },
      ]),
    ),
  }
}

type AccountRow = Omit<Account, 'recent' | 'isStopped'> & { recent: string; isStopped: 0 | 1 }
type Chain = { chainId: number; maxInFlight: number }

const accountsOf = (signer: Address, chains: readonly Chain[]): SQL => {
  const theirs = sql`chainId = c.value ->> 'chainId' AND signer = ${signer}`
  const newest = sql`(SELECT max(nonce) FROM transactions WHERE ${theirs})`
  return sql`
    SELECT c.value ->> 'chainId' AS chainId, coalesce(${newest} + 1, 0) AS nextNonce,
      (SELECT json_group_array(json_object('nonce', nonce, 'cost', cost)) FROM (
        SELECT nonce, max(CAST(gas AS REAL) * CAST(maxFeePerGas AS REAL)) AS cost
        FROM transactions WHERE ${theirs} AND nonce > ${newest} - (c.value ->> 'maxInFlight')
        GROUP BY nonce
      )) AS recent,
      ${stopped(signer, sql`c.value ->> 'chainId'`)} AS isStopped
    FROM json_each(${JSON.stringify(chains)}) c`
}

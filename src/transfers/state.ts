/**
 * The rows of transfers: every step is a compare-and-set under a lease, so it can be run again and
 * beside others. Each function is one trip to D1.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Address, Hex } from 'viem'
import { type Database, guarded, raw, type Statement } from '../db/client.ts'
import type { transactions, transfers } from '../db/schema.ts'
import type { Piece } from './token.ts'

/** How long a consumer may work on what it claimed. Longer than all its time-outs together. */
const LEASE = 120_000

type Row = typeof transfers.$inferSelect

export type StoredTransaction = Omit<
  typeof transactions.$inferSelect,
  'hash' | 'signer' | 'raw'
> & {
  hash: Hex
  signer: Address
  raw: Hex
}

/** A transfer with all that is needed to decide about it. */
export type Transfer = Piece &
  Pick<Row, 'id' | 'status' | 'generation' | 'reason' | 'cancelRequestedAt' | 'updatedAt'> & {
    orderId: number
    contractNetwork: string
    /** The hash that its order item shows. */
    txId: Hex | null
    /** Of every generation, oldest first. */
    transactions: StoredTransaction[]
  }

/** What is stored of the signer's affairs on a chain. */
export type Account = {
  chainId: number
  /** The lowest nonce that was never given out. */
  nextNonce: number
  /** The newest maxInFlight nonces, with the most that each may cost in wei (rounded). */
  recent: { nonce: number; cost: number }[]
  /** A nonce was used by somebody else: nothing is signed until the operator has looked. */
  isStopped: boolean
}

export type Claim = {
  lease: string
  transfers: Transfer[]
  accounts: Map<number, Account>
  /** Those that another consumer works on, and until when. */
  busy: { id: number; leasedUntil: string }[]
}

/** Takes the transfers that are on their way and that nobody else works on. */
export async function claim(
  db: Database,
  ids: readonly number[],
  signer: Address,
  chains: readonly Chain[],
  now: Date,
): Promise<Claim> {
  const lease = crypto.randomUUID()
  const at = now.toISOString()
  const until = new Date(now.getTime() + LEASE).toISOString()
  const wanted = sql`id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
    AND status IN ('queued', 'signed', 'sent', 'mined')`
  const mine = sql`(SELECT id FROM transfers WHERE ${wanted} AND leaseId = ${lease})`
  const [, rows, signed, accounts, busy] = await db.batch([
    raw(
      db,
      sql`UPDATE transfers
      SET leaseId = ${lease}, leasedUntil = ${until}, dueAt = ${until}, deadLetteredAt = NULL
      WHERE ${wanted} AND (leasedUntil IS NULL OR leasedUntil <= ${at})`,
    ),
    raw<Omit<Transfer, 'transactions'>>(
      db,
      sql`
      SELECT t.id, t.status, t.generation, t.reason, t.cancelRequestedAt, t.updatedAt,
        i.orderId, i.quantity, i.ethRecipient AS recipient, i.txId,
        n.contractNetwork, n.contractAddr, n.tokenId, u.ethereumPublicAddr AS seller
      FROM transfers t
        JOIN orderItems i ON i.id = t.id
        JOIN nfts n ON n.id = i.nftId
        JOIN listings l ON l.id = i.listingId
        JOIN users u ON u.id = l.sellerId
      WHERE t.id IN ${mine} ORDER BY t.id`,
    ),
    raw<StoredTransaction>(
      db,
      sql`
      SELECT * FROM transactions WHERE transferId IN ${mine} ORDER BY generation, attempt`,
    ),
    raw<AccountRow>(db, accountsOf(signer, chains)),
    raw<{ id: number; leasedUntil: string }>(
      db,
      sql`
      SELECT id, leasedUntil FROM transfers WHERE ${wanted} AND leaseId <> ${lease}`,
    ),
  ])
  const byTransfer = Map.groupBy(signed, ({ transferId }) => transferId)
  return {
    lease,
    transfers: rows.map((row) => ({ ...row, transactions: byTransfer.get(row.id) ?? [] })),
    accounts: new Map(
      accounts.map((account) => [
        account.chainId,
        { ...account, recent: JSON.parse(account.recent), isStopped: account.isStopped === 1 },
      ]),
    ),
    busy,
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

const stopped = (signer: Address, chainId: SQL): SQL => sql`EXISTS (
  SELECT 1 FROM transfers t
    JOIN transactions x ON x.transferId = t.id AND x.generation = t.generation
  WHERE t.status = 'review' AND x.signer = ${signer} AND x.chainId = ${chainId})`

/** What becomes of a transfer. */
export type Move = Pick<Row, 'id' | 'status' | 'reason' | 'dueAt'> & { txId: Hex | null }

/** Somebody else has the transfers or their nonces: nothing was written. */
export class Collision extends Error {
  override readonly name = 'Collision'
}

/**
 * Stores signed transactions, before they are sent, with the new states of their transfers; or
 * nothing, when a lease was lost, a nonce is taken, or the signer was stopped meanwhile. Throws
 * `Collision`.
 */
export async function store(
  db: Database,
  lease: string,
  signed: readonly StoredTransaction[],
  moves: readonly Move[],
  now: Date,
): Promise<void> {
  const ids = JSON.stringify(signed.map(({ transferId }) => transferId))
  const chains = [...new Map(signed.map((s) => [`${s.chainId} ${s.signer}`, s])).values()]
  const because = () => new Collision('the transfers or their signer are not ours any more')
  const held = sql`(SELECT count(*) FROM transfers
    WHERE id IN (SELECT value FROM json_each(${ids})) AND leaseId = ${lease})`
  try {
    await guarded(
      db,
      [
        { when: sql`${held} <> ${signed.length}`, because },
        ...chains.map(({ signer, chainId }) => ({
          when: stopped(signer, sql`${chainId}`),
          because,
        })),
      ],
      [insert(db, signed), ...changes(db, lease, moves, now, false)],
    )
  } catch (error) {
    if (isTaken.test(String(error))) throw new Collision('a nonce was taken by another consumer')
    throw error
  }
}

const isTaken = /UNIQUE constraint failed: transactions\./

/** One statement with one parameter, however many transactions. */
const insert = (db: Database, signed: readonly StoredTransaction[]): Statement => {
  const columns = [
    'hash',
    'transferId',
    'generation',
    'chainId',
    'signer',
    'nonce',
    'attempt',
    'kind',
    'raw',
    'gas',
    'maxFeePerGas',
    'maxPriorityFeePerGas',
    'createdAt',
  ] as const satisfies (keyof StoredTransaction)[]
  const names = sql.raw(columns.join(', '))
  const values = sql.raw(columns.map((column) => `value ->> '${column}'`).join(', '))
  return raw(
    db,
    sql`INSERT INTO transactions (${names}) SELECT ${values} FROM json_each(${JSON.stringify(signed)})`,
  )
}

/** Writes what became of the transfers, and gives them back. */
export async function settle(
  db: Database,
  lease: string,
  moves: readonly Move[],
  now: Date,
): Promise<void> {
  const [first, ...others] = changes(db, lease, moves, now, true)
  await db.batch([first, ...others])
}

/** The order item and the order follow their transfer; all of it only under the lease. */
function changes(
  db: Database,
  lease: string,
  moves: readonly Move[],
  now: Date,
  isRelease: boolean,
): [Statement, Statement, Statement] {
  const at = now.toISOString()
  const list = JSON.stringify(moves.map((move) => ({ ...move, item: itemStatus[move.status] })))
  const field = (name: string) => sql.raw(`m.value ->> '${name}'`)
  return [
    raw(
      db,
      sql`UPDATE orderItems
      SET status = ${field('item')}, txId = ${field('txId')}, updatedAt = ${at}
      FROM json_each(${list}) m JOIN transfers t ON t.id = ${field('id')}
      WHERE orderItems.id = t.id AND t.leaseId = ${lease}
        AND (orderItems.status IS NOT ${field('item')} OR orderItems.txId IS NOT ${field('txId')})`,
    ),
    raw(
      db,
      sql`UPDATE transfers
      SET status = ${field('status')}, reason = ${field('reason')},
        updatedAt = CASE WHEN status <> ${field('status')} OR reason IS NOT ${field('reason')}
          THEN ${at} ELSE updatedAt END
        ${isRelease ? sql`, dueAt = ${field('dueAt')}, leaseId = NULL, leasedUntil = NULL` : sql``}
      FROM json_each(${list}) m
      WHERE transfers.id = ${field('id')} AND leaseId = ${lease}`,
    ),
    raw(db, followOrders(sql`SELECT ${field('id')} FROM json_each(${list}) m`, at)),
  ]
}

const itemStatus = {
  awaiting_wallet: 'awaiting_wallet',
  queued: null,
  signed: 'transferring',
  sent: 'transferring',
  mined: 'transferring',
  review: 'transferring',
  transferred: 'transferred',
  failed: 'failed',
} as const satisfies Record<Row['status'], string | null>

/** An order's `failReason` is that of its first item that failed. */
export const followOrders = (transferIds: SQL, at: string): SQL => {
  const reason = sql`(SELECT t.reason FROM orderItems i JOIN transfers t ON t.id = i.id
    WHERE i.orderId = orders.id AND t.status = 'failed' ORDER BY i.id LIMIT 1)`
  return sql`UPDATE orders SET failReason = ${reason}, updatedAt = ${at}
    WHERE id IN (SELECT orderId FROM orderItems WHERE id IN (${transferIds}))
      AND failReason IS NOT ${reason}`
}

/**
 * The rows of transfers: every step is a compare-and-set of the row's version, so it can be run
 * again and beside others. Each function is one trip to D1.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Address, Hex } from 'viem'
import { type Database, guarded, raw, type Statement } from '../db/client.ts'
import type { transactions, transfers } from '../db/schema.ts'
import type { Piece } from './token.ts'

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
  Pick<
    Row,
    'id' | 'status' | 'generation' | 'version' | 'reason' | 'cancelRequestedAt' | 'updatedAt'
  > & {
    orderId: number
    contractNetwork: string
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

export type Loaded = { transfers: Transfer[]; accounts: Map<number, Account> }

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

/** The condition of the index `transfers_attention`: it serves a query that says so word by word. */
export const isIndexed = sql.raw(`t.status IN ('awaiting_wallet', 'failed', 'review')`)

const stopped = (signer: Address, chainId: SQL): SQL => sql`EXISTS (
  SELECT 1 FROM transfers t
  WHERE t.status = 'review' AND ${isIndexed} AND EXISTS (
    SELECT 1 FROM transactions x WHERE x.transferId = t.id AND x.generation = t.generation
      AND x.signer = ${signer} AND x.chainId = ${chainId}))`

/** What becomes of the transfer that is at this version. */
export type Move = Pick<Row, 'id' | 'version' | 'status' | 'reason'> & {
  txId: Hex | null
  /** When its message is to come; null when there is nothing more to do. */
  lookAt: Date | null
}

/** How much later than it should a message may come before the sweep takes it for lost. */
const GRACE = 60_000

/** Somebody else has the transfers or their nonces: nothing was written. */
export class Collision extends Error {
  override readonly name = 'Collision'
}

/**
 * Stores signed transactions, before they are sent, with the new states of their transfers; or
 * nothing, when one of the transfers has changed, a nonce is taken, or the signer was stopped
 * meanwhile. Throws `Collision`.
 */
export async function store(
  db: Database,
  signed: readonly StoredTransaction[],
  moves: readonly Move[],
  now: Date,
): Promise<void> {
  const chains = [...new Map(signed.map((s) => [`${s.chainId} ${s.signer}`, s])).values()]
  const because = () => new Collision('the transfers have changed, or their signer was stopped')
  const versions = JSON.stringify(moves.map(({ id, version }) => ({ id, version })))
  const unchanged = sql`(SELECT count(*) FROM json_each(${versions}) m
    JOIN transfers t ON t.id = m.value ->> 'id' AND t.version = m.value ->> 'version')`
  try {
    await guarded(
      db,
      [
        { when: sql`${unchanged} <> ${moves.length}`, because },
        ...chains.map(({ signer, chainId }) => ({
          when: stopped(signer, sql`${chainId}`),
          because,
        })),
      ],
      [insert(db, signed), change(db, moves, now)],
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

/**
 * Writes what became of the transfers; one that has changed meanwhile stays as it is. The ids of
 * those that were written: of the others somebody else takes care.
 */
export async function settle(
  db: Database,
  moves: readonly Move[],
  now: Date,
): Promise<ReadonlySet<number>> {
  const [written] = await db.batch([change(db, moves, now)])
  return new Set(written.map(({ id }) => id))
}

/** A later `dueAt` stays: to change it costs a write of its index, and messages come before it. */
function change(db: Database, moves: readonly Move[], now: Date) {
  const at = now.toISOString()
  const list = moves.map(({ lookAt, ...move }) => ({
    ...move,
    dueAt: lookAt && new Date(lookAt.getTime() + GRACE).toISOString(),
  }))
  const field = (name: keyof (typeof list)[number]) => sql.raw(`m.value ->> '${name}'`)
  return raw<{ id: number }>(
    db,
    sql`UPDATE transfers
      SET status = ${field('status')}, reason = ${field('reason')}, txId = ${field('txId')},
        version = transfers.version + 1, deadLetteredAt = NULL,
        dueAt = iif(dueAt >= ${field('dueAt')}, dueAt, ${field('dueAt')}),
        updatedAt = iif(status <> ${field('status')} OR reason IS NOT ${field('reason')},
          ${at}, updatedAt)
      FROM json_each(${JSON.stringify(list)}) m
      WHERE transfers.id = ${field('id')} AND transfers.version = ${field('version')}
      RETURNING id`,
  )
}

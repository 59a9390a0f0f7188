/** Writes everything that a step has decided, in one transaction under the lease. */
import { type SQL, sql } from 'drizzle-orm'
import type { Hex } from 'viem'
import { type Database, raw, type Statement } from '../../db/client.ts'
import { guardedBatch } from '../../db/guard.ts'
import type { Fees } from '../../ethereum/fees.ts'
import { COMPARE_INTERVAL, hasWaiting, leaseEnd } from './load.ts'
import type { Move } from './moves.ts'
import type { FoundTransaction } from './resolve.ts'
import type { NewTransaction } from './sign-batches.ts'
import type { OpenTransaction } from './state.ts'

/** Where an open transaction is. Its bytes are deleted when it is closed. */
type Placement = {
  id: number
  hash: Hex
  block: number | null
  blockHash: Hex | null
  isOpen: boolean
}

/** A transaction that was signed again with higher fees. */
export type Replacement = Fees & {
  transaction: OpenTransaction
  hash: Hex
  raw: Hex
  signedAtBlock: number
}

export type Changes = {
  placements: Placement[]
  /** Transactions whose nonce was seen used, with the newest block. */
  nonceUses: { id: number; head: number }[]
  replacements: Replacement[]
  transactions: NewTransaction[]
  found: FoundTransaction[]
  moves: Move[]
  settled: { block: number; hash: Hex } | null
  /** The last item that was compared, and the time if it was the last of all. */
  compared: { id: number; at: string | null } | null
}

/** Another run has the lease, or somebody changed an item since it was loaded. Nothing is written. */
export class Outdated extends Error {}

/** Throws `Outdated`. */
export async function store(
  db: Database,
  chainId: number,
  lease: string,
  changes: Changes,
  now: Date,
): Promise<void> {
  const signed = changes.transactions.flatMap(({ items }) => items)
  const expected = [...signed, ...changes.moves].map(({ id, version }) => [id, version])
  await guardedBatch(
    db,
    [
      {
        when: sql`NOT EXISTS (SELECT 1 FROM networks WHERE chainId = ${chainId} AND lease = ${lease})
          OR (SELECT count(*) FROM json_each(${JSON.stringify(expected)})
            JOIN deliveries d ON d.id = value ->> 0 AND d.version = value ->> 1) < ${expected.length}`,
        error: () => new Outdated('the run is outdated'),
      },
    ],
    statementsOf(db, chainId, changes, now),
  )
}

function statementsOf(db: Database, chainId: number, changes: Changes, now: Date): Statement[] {
  const { placements, nonceUses, replacements, transactions, found, moves } = changes
  const { settled, compared } = changes
  const at = now.toISOString()
  const statements: Statement[] = []
  const write = (rows: readonly unknown[], statement: (json: string) => SQL) => {
    if (rows.length > 0) statements.push(raw(db, statement(JSON.stringify(rows))))
  }
  write(
    placements.map(({ id, hash, block, blockHash, isOpen }) => [
      id,
      hash,
      block,
      blockHash,
      +isOpen,
    ]),
    // The newest hash is kept if an older one was mined: its bytes are sent after a reorganization.
    (rows) => sql`UPDATE transactions SET hash = value ->> 1,
        replaced = iif(hash = value ->> 1, replaced, json_insert(replaced, '$[#]', hash)),
        block = value ->> 2, blockHash = value ->> 3, isOpen = value ->> 4, raw = iif(value ->> 4, raw, NULL),
        updatedAt = ${at}
      FROM json_each(${rows}) WHERE transactions.id = value ->> 0`,
  )
  write(
    nonceUses.map(({ id, head }) => [id, head]),
    (rows) => sql`UPDATE transactions SET nonceUsedAt = value ->> 1, updatedAt = ${at}
      FROM json_each(${rows}) WHERE transactions.id = value ->> 0`,
  )
  write(
    replacements.map(({ transaction, hash, raw, signedAtBlock, ...fees }) => [
      transaction.id,
      hash,
      [...transaction.replaced, transaction.hash],
      raw,
      String(fees.maxFeePerGas),
      String(fees.maxPriorityFeePerGas),
      signedAtBlock,
    ]),
    (rows) => sql`UPDATE transactions SET hash = value ->> 1, replaced = value ->> 2,
        raw = value ->> 3, maxFeePerGas = value ->> 4, maxPriorityFeePerGas = value ->> 5,
        signedAtBlock = value ->> 6, signedAt = ${at}, updatedAt = ${at}
      FROM json_each(${rows}) WHERE transactions.id = value ->> 0`,
  )
  const inserted = [...transactions.map(newRow), ...found.map(foundRow)]
  write(
    inserted,
    (rows) => sql`INSERT INTO transactions (chainId, contract, signer, nonce, items, hash, replaced,
        raw, gas, maxFeePerGas, maxPriorityFeePerGas, deadline, signedAtBlock, block, blockHash,
        isOpen, signedAt, createdAt, updatedAt)
      SELECT ${chainId}, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, '[]',
        value ->> 5, value ->> 6, value ->> 7, value ->> 8, value ->> 9, value ->> 10,
        value ->> 11, value ->> 12, value ->> 13, ${at}, ${at}, ${at}
      FROM json_each(${rows}) ORDER BY json_each.key`,
  )
  // SQLite assigns consecutive ids in the order of the rows.
  const idAt = (position: SQL) =>
    sql`(SELECT max(id) FROM transactions) - ${inserted.length} + 1 + ${position}`
  write(
    transactions.flatMap(({ items, contract }, i) => items.map(({ id }) => [id, i, contract])),
    (
      rows,
    ) => sql`UPDATE deliveries SET state = 'in_flight', transactionId = ${idAt(sql`(value ->> 1)`)},
        contract = value ->> 2, dueAt = NULL, version = version + 1, updatedAt = ${at}
      FROM json_each(${rows}) WHERE deliveries.id = value ->> 0`,
  )
  const positions = new Map(found.map(({ hash }, i) => [hash, transactions.length + i]))
  const contracts = new Map(found.map(({ hash, contract }) => [hash, contract]))
  write(
    moves.map(({ transaction, ...move }) => ({
      ...move,
      position: transaction && positions.get(transaction),
      contract: transaction && contracts.get(transaction),
    })),
    (
      rows,
    ) => sql`UPDATE deliveries SET state = value ->> 'state', requestedAction = value ->> 'requestedAction',
        failingSince = value ->> 'failingSince', tries = value ->> 'tries',
        reasonCode = value ->> 'reasonCode', reason = value ->> 'reason', dueAt = value ->> 'dueAt',
        awaits = NULL, transactionId = coalesce(${idAt(sql`(value ->> 'position')`)}, transactionId),
        contract = coalesce(value ->> 'contract', contract), version = version + 1,
        updatedAt = ${at}
      FROM json_each(${rows}) WHERE deliveries.id = value ->> 'id'`,
  )
  write(
    moves.flatMap(({ id, isReturned }) => (isReturned ? [id] : [])),
    (ids) => sql`UPDATE nfts SET availableAmount = availableAmount + returned.quantity,
        updatedAt = ${at}
      FROM (SELECT nftId, sum(quantity) AS quantity FROM "orderItems"
        WHERE id IN (SELECT value FROM json_each(${ids})) GROUP BY nftId) AS returned
      WHERE nfts.id = returned.nftId AND nfts.amountType IS NOT 'unlimited'`,
  )
  statements.push(
    raw(
      db,
      sql`UPDATE networks SET leaseUntil = ${leaseEnd(now)},
        settledHash = iif(${settled?.block ?? -1} >= coalesce(settledBlock, 0), ${settled?.hash ?? null}, settledHash),
        settledBlock = max(coalesce(settledBlock, ${settled?.block ?? null}), coalesce(${settled?.block ?? null}, settledBlock)),
        comparedId = coalesce(${compared?.id ?? null}, comparedId),
        comparedAt = coalesce(${compared?.at ?? null}, comparedAt)
      WHERE chainId = ${chainId}`,
    ),
  )
  return statements
}

const newRow = (t: NewTransaction) => [
  t.contract,
  t.signer,
  t.nonce,
  t.items.map(({ id }) => id),
  t.hash,
  t.raw,
  String(t.gas),
  String(t.maxFeePerGas),
  String(t.maxPriorityFeePerGas),
  t.deadline,
  t.signedAtBlock,
  null,
  null,
  1,
]

const foundRow = (t: FoundTransaction): ReturnType<typeof newRow> => [
  t.contract,
  t.signer,
  t.nonce,
  t.items,
  t.hash,
  null,
  '0',
  '0',
  '0',
  0,
  0,
  t.block,
  t.blockHash,
  0,
]

const INTERVAL = `+${COMPARE_INTERVAL / 1000} seconds`

/** After every time. */
const NEVER = '9999'

/** What the release of a lease found. */
export type Released = {
  /** Items became due meanwhile, so the lease is kept. */
  isHeld: 0 | 1
  wakeAt: string | null
}

export type Plan = {
  /** When the transactions have to be looked at. */
  lookAt: Date | null
  /** Whether more items can be sent before that. */
  takesItems: boolean
  /** When failed and waiting items are compared at the earliest, if their time has come. */
  compareAt: Date
  /** When the chain will be woken anyway. It is not woken later. */
  planned?: string | null
}

/** Releases the lease, unless items are due that can be sent. */
export async function release(
  db: Database,
  chainId: number,
  lease: string,
  { lookAt, takesItems, compareAt, planned }: Plan,
  now: Date,
): Promise<Released | undefined> {
  const at = now.toISOString()
  const firstDue = sql`(SELECT min(dueAt) FROM deliveries
    WHERE chainId = ${chainId} AND dueAt IS NOT NULL AND ${Number(takesItems)})`
  const hasDue = sql`coalesce(${firstDue} <= ${at}, 0)`
  const nextComparison = sql`strftime('%Y-%m-%dT%H:%M:%fZ', comparedAt, ${INTERVAL})`
  const [[row]] = await db.batch([
    raw<Released>(
      db,
      sql`UPDATE networks SET
          lease = iif(${hasDue}, lease, NULL),
          leaseUntil = iif(${hasDue}, leaseUntil, ${at}),
          wakeAt = (SELECT min(min(time), ${planned ?? NEVER}) FROM (
            SELECT ${lookAt?.toISOString() ?? null} AS time UNION ALL SELECT ${firstDue}
            UNION ALL SELECT max(${compareAt.toISOString()}, coalesce(${nextComparison}, ''))
            WHERE ${hasWaiting(sql`${chainId}`)}))
        WHERE chainId = ${chainId} AND lease = ${lease}
        RETURNING lease IS NOT NULL AS isHeld, wakeAt`,
    ),
  ])
  return row
}

/** Writes everything that a step has decided, in one transaction under the lease. */
import { type SQL, sql } from 'drizzle-orm'
import type { Address, Hex } from 'viem'
import { type Database, raw, type Statement } from '../../db/client.ts'
import { guardedBatch } from '../../db/guard.ts'
import { toJsonSlices } from '../../db/slices.ts'
import type { Network } from '../../env.ts'
import type { DeliveryTransaction } from '../model.ts'
import type { ItemChange } from '../rules/item-changes.ts'
import { writeItemChanges } from '../transitions.ts'
import { describeUnrequested, storeFindings } from './findings.ts'
import { leaseEnd } from './lease.ts'

/** What a row has besides `DeliveryTransaction`: whether it is open, and what it has cost (wei). */
type TransactionRow = DeliveryTransaction & {
  createdAt: string
  isOpen: boolean
  gasUsed: number
  fee: bigint
}

/** The new values of a transaction. Its other columns stay as they are. */
export type TransactionChange = { id: number } & Partial<TransactionRow>

/** A transaction that is new to the database. */
export type NewTransaction = Partial<Omit<TransactionRow, 'id'>> &
  Omit<DeliveryTransaction, 'id' | 'block' | 'blockHash' | 'nonceUsedAt'> & {
    isOpen: boolean
    createdAt: string
  }

/** What changes of a signer: its transactions in a row that reverted. */
export type SignerChange = {
  address: Address
  reverts: number
  pausedUntil: string | null
}

/** A transfer that has used up gas. Without a recipient, the token alone is to blame. */
export type Burn = { token: string; recipient: string | null }

export type Changes = {
  transactions: (NewTransaction | TransactionChange)[]
  items: ItemChange[]
  settled: { block: number; hash: Hex } | null
  signers: SignerChange[]
  burns: Burn[]
  /** Since when no second node confirms records; undefined if that is as before. */
  unconfirmedSince?: string | null
  /** Since when all nodes contradict what is stored; undefined if that is as before. */
  contradictedSince?: string | null
  /** The last item that was compared, and the time if it was the last of all. */
  compared: { id: number; at: string | null } | null
}

/** Changes that write nothing. */
export const NO_CHANGES: Changes = {
  transactions: [],
  items: [],
  settled: null,
  signers: [],
  burns: [],
  compared: null,
}

/** Another run has the lease, or somebody changed an item since it was loaded. Nothing is written. */
export class Outdated extends Error {}

/** Renews the lease, too. Throws `Outdated`. */
export async function store(
  db: Database,
  { chainId }: Pick<Network, 'chainId'>,
  lease: string,
  changes: Changes,
  now: Date,
): Promise<void> {
  const error = () => new Outdated('the run is outdated')
  const hasLease = sql`EXISTS (SELECT 1 FROM networks WHERE chainId = ${chainId} AND lease = ${lease})`
  const unrequested = changes.items.flatMap(({ id, isUnrequested }) => (isUnrequested ? id : []))
  const expected = toJsonSlices(changes.items.map(({ id, version }) => ({ id, version })))
  const isChanged = (rows: string) => sql`EXISTS (SELECT 1 FROM json_each(${rows})
    LEFT JOIN deliveries d ON d.id = value ->> 'id' AND d.version = value ->> 'version'
    WHERE d.id IS NULL)`
  await guardedBatch(
    db,
    [
      { when: sql`NOT ${hasLease}`, error },
      ...expected.map((rows) => ({ when: isChanged(rows), error })),
    ],
    [
      ...writeTransactions(db, chainId, changes, now),
      ...writeItems(db, changes, now),
      ...writeSigners(db, chainId, changes, now),
      ...(unrequested.length > 0
        ? storeFindings(db, chainId, [describeUnrequested(chainId, unrequested)], now)
        : []),
      writeNetwork(db, chainId, changes, now),
    ],
  )
}

/** Returns one statement for each slice of the rows. */
const inSlices = (
  db: Database,
  rows: readonly unknown[],
  statement: (json: string) => SQL,
): Statement[] => toJsonSlices(rows).map((slice) => raw(db, statement(slice)))

/** The columns that change in the life of a transaction. */
const columns = [
  'contract',
  'items',
  'hash',
  'replaced',
  'raw',
  'gas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'deadline',
  'signedAtBlock',
  'signedAt',
  'createdAt',
  'block',
  'blockHash',
  'nonceUsedAt',
  'gasUsed',
  'fee',
  'isOpen',
] as const satisfies (keyof TransactionRow)[]

const names = columns.join(', ')
const values = columns.map((name) => `value ->> '${name}'`).join(', ')
const changed = columns
  .map(
    (name) => `${name} = iif(json_type(value, '$.${name}') IS NULL, ${name}, value ->> '${name}')`,
  )
  .join(', ')

function writeTransactions(
  db: Database,
  chainId: number,
  { transactions }: Changes,
  now: Date,
): Statement[] {
  const at = now.toISOString()
  const known = transactions.filter((transaction) => 'id' in transaction)
  const added = transactions.filter((transaction) => !('id' in transaction))
  return [
    ...inSlices(
      db,
      known,
      (rows) => sql`UPDATE transactions SET ${sql.raw(changed)}, updatedAt = ${at}
        FROM json_each(${rows}) WHERE transactions.id = value ->> 'id'`,
    ),
    ...inSlices(
      db,
      added,
      (rows) => sql`INSERT INTO transactions (chainId, signer, nonce, ${sql.raw(names)}, updatedAt)
        SELECT ${chainId}, value ->> 'signer', value ->> 'nonce', ${sql.raw(values)}, ${at}
        FROM json_each(${rows}) ORDER BY json_each.key`,
    ),
  ]
}

function writeItems(db: Database, { items }: Changes, now: Date): Statement[] {
  const at = now.toISOString()
  const returned = items.flatMap(({ id, isReturned }) => (isReturned ? [id] : []))
  const taken = items.flatMap(({ id, isTaken }) => (isTaken ? [id] : []))
  const changeStock = (
    available: SQL,
    ids: string,
  ) => sql`UPDATE nfts SET availableAmount = ${available},
      updatedAt = ${at}
    FROM (SELECT nftId, sum(quantity) AS quantity FROM "orderItems"
      WHERE id IN (SELECT value FROM json_each(${ids})) GROUP BY nftId) AS moved
    WHERE nfts.id = moved.nftId AND nfts.amountType IS NOT 'unlimited'`
  return [
    ...writeItemChanges(db, items, now),
    ...inSlices(db, returned, (ids) => changeStock(sql`availableAmount + moved.quantity`, ids)),
    // What was sold meanwhile is missing.
    ...inSlices(db, taken, (ids) =>
      changeStock(sql`max(0, availableAmount - moved.quantity)`, ids),
    ),
  ]
}

function writeSigners(
  db: Database,
  chainId: number,
  { signers, burns }: Changes,
  now: Date,
): Statement[] {
  const at = now.toISOString()
  return [
    ...inSlices(
      db,
      signers,
      (rows) => sql`INSERT INTO signers (chainId, address, reverts, pausedUntil)
        SELECT ${chainId}, value ->> 'address', value ->> 'reverts', value ->> 'pausedUntil'
        FROM json_each(${rows}) WHERE true
        ON CONFLICT (chainId, address) DO UPDATE SET
          reverts = excluded.reverts, pausedUntil = excluded.pausedUntil`,
    ),
    ...inSlices(
      db,
      burns,
      (rows) => sql`INSERT INTO burns (chainId, token, recipient, times, updatedAt)
        SELECT ${chainId}, lower(value ->> 'token') AS token,
          lower(coalesce(value ->> 'recipient', '')) AS recipient, count(*), ${at}
        FROM json_each(${rows}) WHERE true GROUP BY token, recipient
        ON CONFLICT (chainId, token, recipient) DO UPDATE SET times = times + excluded.times,
          updatedAt = excluded.updatedAt`,
    ),
  ]
}

function writeNetwork(
  db: Database,
  chainId: number,
  { transactions, settled, compared, unconfirmedSince, contradictedSince }: Changes,
  now: Date,
): Statement {
  const used = JSON.stringify(transactions.flatMap(({ contract }) => contract ?? []))
  const block = settled?.block ?? null
  return raw(
    db,
    sql`UPDATE networks SET leaseUntil = ${leaseEnd(now)},
        unconfirmedSince = iif(${unconfirmedSince === undefined}, unconfirmedSince, ${unconfirmedSince ?? null}),
        contradictedSince = iif(${contradictedSince === undefined}, contradictedSince, ${contradictedSince ?? null}),
        contracts = (SELECT json_group_array(value) FROM (
          SELECT value FROM json_each(contracts) UNION SELECT value FROM json_each(${used}))),
        settledHash = iif(${block ?? -1} >= coalesce(settledBlock, 0), ${settled?.hash ?? null}, settledHash),
        settledBlock = max(coalesce(settledBlock, ${block}), coalesce(${block}, settledBlock)),
        comparedId = coalesce(${compared?.id ?? null}, comparedId),
        comparedAt = coalesce(${compared?.at ?? null}, comparedAt)
      WHERE chainId = ${chainId}`,
  )
}

/**
 * The lease of a step, under which it writes what each of its phases has decided, in one transaction.
 * Findings are what nobody but a thief should have done: an alarm lasts until they are acknowledged.
 */

import { sql } from 'drizzle-orm'
import { type Guard, guarded } from '../../db/batch.ts'
import { type Database, jsonValues, toJsonSlices } from '../../db/client.ts'
import { raw } from '../../db/statements.ts'
import { returnPieces, takePieces } from '../../db/stock.ts'
import type { Network } from '../../env.ts'
import { withoutAddresses } from '../../ethereum/revert.ts'
import { log } from '../../log.ts'
import type { DeliveryTransaction, KnownBlock, SignerRow } from '../model.ts'
import { describeReason } from '../reasons.ts'
import type { ItemChange } from '../rules/item-changes.ts'
import { findUndeliverable, stopSales } from '../stop-sales.ts'
import { writeItemChanges } from '../transitions.ts'
import { LEASE, leaseEnd } from '../wake.ts'

/** `fee`: wei. */
type TransactionRow = DeliveryTransaction & {
  isOpen: boolean
  gasUsed: number
  fee: bigint
  createdAt: string
}

/** The new values of a transaction. Its other columns stay as they are. */
export type TransactionChange = { id: number } & Partial<TransactionRow>

type Absent = 'block' | 'blockHash' | 'nonceUsedAt' | 'gasUsed' | 'fee'

/** A transaction that is new to the database. */
export type NewTransaction = Omit<TransactionRow, 'id' | Absent> &
  Partial<Pick<TransactionRow, Absent>>

/** A transfer that has used up gas. Without a recipient, the token alone is to blame. */
export type Burn = { token: string; recipient: string | null }

/** What a step has decided. What is absent stays as it was. */
export type Changes = {
  transactions: (NewTransaction | TransactionChange)[]
  items: ItemChange[]
  /** Whether one node of several has told alone how items end. */
  isUnconfirmed?: boolean
  /** The newest block in which something was settled. */
  settled?: KnownBlock | undefined
  signers?: SignerRow[]
  burns?: Burn[]
  /** Since when no second node confirms records. */
  unconfirmedSince?: string | null
  /** How many transactions in flight one node alone calls mined. */
  minedByOne?: number
  /** Since when all nodes contradict what is stored. */
  contradictedSince?: string | null
  /** The last item that was compared, and the time if it was the last of all. */
  compared?: { id: number; at: string | null } | undefined
}

export const NO_CHANGES: Changes = { transactions: [], items: [] }

/** Another run has the lease, or somebody changed an item since it was loaded. Nothing is written. */
export class Outdated extends Error {}

/** The lease that a step has of its network. Only under it may a step write. */
export type HeldLease = ReturnType<typeof holdLease>

export function holdLease(
  db: Database,
  { chainId }: Pick<Network, 'chainId'>,
  id: string,
  clock: () => Date,
) {
  let renewedAt = clock().getTime()
  const store = async (changes: Changes) => {
    const statements = statementsOf(db, chainId, changes, clock())
    await guarded(db, guardsOf(chainId, id, changes), statements)
    renewedAt = clock().getTime()
  }
  /** Renews the lease if part of it has passed. Throws `Outdated`. */
  const renew = async () => {
    if (clock().getTime() - renewedAt >= LEASE / 4) await store(NO_CHANGES)
  }
  /** Writes changes, and renews the lease. Throws `Outdated`. */
  const write = async (changes: Changes) => {
    if (!hasChanges(changes)) return renew()
    await store(changes)
    logChanges(chainId, changes)
  }
  return { renew, write }
}

const hasChanges = (changes: Changes): boolean =>
  Object.entries(changes).some(([name, value]) =>
    Array.isArray(value) ? value.length > 0 : name !== 'isUnconfirmed' && value !== undefined,
  )

/** What must still be so: the run has the lease, and the items are as they were loaded. */
function guardsOf(chainId: number, lease: string, { items }: Changes): Guard[] {
  const error = () => new Outdated('the run is outdated')
  const hasLease = sql`EXISTS (SELECT 1 FROM networks WHERE chainId = ${chainId} AND lease = ${lease})`
  const expected = toJsonSlices(items.map(({ id, version }) => ({ id, version })))
  const isChanged = (rows: string) => sql`EXISTS (SELECT 1 FROM json_each(${rows})
    LEFT JOIN deliveries d ON d.id = value ->> 'id' AND d.version = value ->> 'version'
    WHERE d.id IS NULL)`
  return [
    { when: sql`NOT ${hasLease}`, error },
    ...expected.map((rows) => ({ when: isChanged(rows), error })),
  ]
}

function statementsOf(db: Database, chainId: number, changes: Changes, now: Date) {
  const idsOf = (flag: 'isUnrequested' | 'isReturned' | 'isTaken') =>
    changes.items.flatMap((item) => (item[flag] ? item.id : []))
  const unrequested = idsOf('isUnrequested')
  return {
    transactions: writeTransactions(db, chainId, changes, now),
    items: writeItemChanges(db, changes.items, changes.isUnconfirmed ?? false, now),
    stock: [
      ...toJsonSlices(idsOf('isReturned')).map((ids) => returnPieces(db, jsonValues(ids), now)),
      ...toJsonSlices(idsOf('isTaken')).map((ids) => takePieces(db, jsonValues(ids), now)),
    ],
    signers: writeSigners(db, chainId, changes, now),
    sales: stopSales(db, changes.isUnconfirmed ? [] : findUndeliverable(changes.items), now),
    findings:
      unrequested.length > 0
        ? storeFindings(db, chainId, [unrequestedFinding(chainId, unrequested)], now)
        : undefined,
    network: writeNetwork(db, chainId, changes, now),
  }
}

/** `ids`: items whose keys were used up although nobody has asked for that. */
const unrequestedFinding = (chainId: number, ids: readonly number[]): Finding => ({
  key: `unrequested_cancellation:${chainId}`,
  detail: `Somebody has cancelled items on chain ${chainId} although nobody asked for that: ${ids.length}, such as ${ids[0]}.`,
  nodes: [],
})

/** Findings that are kept of an alarm and of the nodes that have said them: one node drives out no other. */
const KEPT = 5
/** Milliseconds by which a node may tell of something later than another one. */
export const LATE = 10 * 60_000

/**
 * `key`: that of the alarm. `nodes`: those that said it, by their position in `rpcUrls`; empty for what
 * a run has found, which is stored once.
 */
export type Finding = { key: string; detail: string; nodes: number[] }

/**
 * The statements that store findings. One that repeats while nobody has acknowledged it stays one, which names
 * all nodes that said so. What another node tells soon after it was acknowledged is not stored.
 */
export function storeFindings(
  db: Database,
  chainId: number,
  findings: readonly Finding[],
  now: Date,
) {
  const rows = JSON.stringify(findings)
  const late = new Date(now.getTime() - LATE).toISOString()
  return [
    raw<never>(db)`UPDATE findings SET seenAt = ${now.toISOString()}, nodes = (
        SELECT json_group_array(value) FROM (SELECT value FROM json_each(findings.nodes)
          UNION SELECT value FROM json_each(r.value -> 'nodes') ORDER BY 1))
      FROM json_each(${rows}) r WHERE findings.key = r.value ->> 'key'
        AND findings.detail = r.value ->> 'detail' AND findings.acknowledgedAt IS NULL`,
    raw<never>(db)`INSERT INTO findings (chainId, key, detail, nodes, seenAt)
      SELECT ${chainId}, value ->> 'key', value ->> 'detail', value ->> 'nodes', ${now.toISOString()}
      FROM json_each(${rows}) r WHERE NOT EXISTS (
        SELECT 1 FROM findings f WHERE f.key = r.value ->> 'key' AND f.detail = r.value ->> 'detail'
          AND (f.acknowledgedAt IS NULL OR r.value ->> 'nodes' = '[]' OR f.seenAt >= ${late} AND NOT EXISTS (
            SELECT 1 FROM json_each(f.nodes) JOIN json_each(r.value -> 'nodes') s USING (value))))`,
    raw<never>(db)`
      DELETE FROM findings WHERE key IN (SELECT value ->> 'key' FROM json_each(${rows}))
      AND id NOT IN (SELECT id FROM findings f WHERE f.key = findings.key AND f.nodes = findings.nodes
        ORDER BY id DESC LIMIT ${KEPT})`,
  ] as const
}

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

function writeTransactions(db: Database, chainId: number, { transactions }: Changes, now: Date) {
  const at = now.toISOString()
  const known = transactions.filter((transaction) => 'id' in transaction)
  const added = transactions.filter((transaction) => !('id' in transaction))
  return [
    ...toJsonSlices(known).map(
      (rows) => raw<never>(db)`UPDATE transactions SET ${sql.raw(changed)}, updatedAt = ${at}
        FROM json_each(${rows}) WHERE transactions.id = value ->> 'id'`,
    ),
    ...toJsonSlices(added).map(
      (rows) => raw<never>(
        db,
      )`INSERT INTO transactions (chainId, signer, nonce, ${sql.raw(names)}, updatedAt)
        SELECT ${chainId}, value ->> 'signer', value ->> 'nonce', ${sql.raw(values)}, ${at}
        FROM json_each(${rows}) ORDER BY json_each.key`,
    ),
  ]
}

function writeSigners(
  db: Database,
  chainId: number,
  { signers = [], burns = [], isUnconfirmed = false }: Changes,
  now: Date,
) {
  const at = now.toISOString()
  // What one node tells alone must hold no items until an operator comes.
  const counted = isUnconfirmed ? [] : burns
  return [
    ...toJsonSlices(signers).map(
      (rows) => raw<never>(db)`INSERT INTO signers (chainId, address, reverts, pausedUntil)
        SELECT ${chainId}, value ->> 'address', value ->> 'reverts', value ->> 'pausedUntil'
        FROM json_each(${rows}) WHERE true
        ON CONFLICT (chainId, address) DO UPDATE SET
          reverts = excluded.reverts, pausedUntil = excluded.pausedUntil`,
    ),
    ...toJsonSlices(counted).map(
      (rows) => raw<never>(db)`INSERT INTO burns (chainId, token, recipient, times, updatedAt)
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
  { transactions, settled, compared, unconfirmedSince, minedByOne, contradictedSince }: Changes,
  now: Date,
) {
  const used = JSON.stringify(transactions.flatMap(({ contract }) => contract ?? []))
  const block = settled?.number ?? null
  return raw(db)`UPDATE networks SET leaseUntil = ${leaseEnd(now)},
      unconfirmedSince = iif(${unconfirmedSince === undefined}, unconfirmedSince, ${unconfirmedSince ?? null}),
      contradictedSince = iif(${contradictedSince === undefined}, contradictedSince, ${contradictedSince ?? null}),
      minedByOne = coalesce(${minedByOne ?? null}, minedByOne),
      contracts = (SELECT json_group_array(value) FROM (
        SELECT value FROM json_each(contracts) UNION SELECT value FROM json_each(${used}))),
      settledHash = iif(${block ?? -1} >= coalesce(settledBlock, 0), ${settled?.hash ?? null}, settledHash),
      settledBlock = max(coalesce(settledBlock, ${block}), coalesce(${block}, settledBlock)),
      comparedId = coalesce(${compared?.id ?? null}, comparedId),
      comparedAt = coalesce(${compared?.at ?? null}, comparedAt)
    WHERE chainId = ${chainId}`
}

function logChanges(chainId: number, { transactions, items }: Changes): void {
  for (const transaction of transactions) {
    const { raw, hash, nonce, signer, items: carried, replaced } = transaction
    if (!raw) continue
    if (carried)
      log.info('transaction_signed', { chainId, signer, nonce, hash, items: carried.length })
    else log.info('transaction_replaced', { chainId, nonce, hash, replaces: replaced?.at(-1) })
  }
  const idsOf = (name: ItemChange['transition']) =>
    items.flatMap(({ id, transition }) => (transition === name ? id : []))
  const cancelled = idsOf('cancel')
  if (cancelled.length > 0) log.info('items_cancelled', { chainId, items: cancelled })
  const transferred = idsOf('deliver')
  if (transferred.length > 0) log.info('items_transferred', { chainId, items: transferred })
  logFailedItems(items)
}

export function logFailedItems(changes: readonly ItemChange[]): void {
  for (const change of changes) {
    if (change.transition !== 'fail') continue
    const { id, reasonCode } = change
    const reason = withoutAddresses(describeReason(change) ?? '')
    log.error('delivery_failed', { itemId: id, reasonCode, reason })
  }
}

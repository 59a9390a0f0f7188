/**
 * The other trips: what is signed is stored before it is sent, and what came of it after. Every
 * step is a compare-and-set of the row's version, so it can be run again and beside others.
 */
import { sql } from 'drizzle-orm'
import type { Hex } from 'viem'
import { type Database, raw, type Statement } from '../db/client.ts'
import { guardedBatch } from '../db/guard.ts'
import { type Row, type StoredTransaction, stopped } from './state.ts'

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
  const error = () => new Collision('the transfers have changed, or their signer was stopped')
  const versions = JSON.stringify(moves.map(({ id, version }) => ({ id, version })))
  const unchanged = sql`(SELECT count(*) FROM json_each(${versions}) m
    JOIN transfers t ON t.id = m.value ->> 'id' AND t.version = m.value ->> 'version')`
  try {
    await guardedBatch(
      db,
      [
        { when: sql`${unchanged} <> ${moves.length}`, error },
        ...chains.map(({ signer, chainId }) => ({
          when: stopped(signer, sql`${chainId}`),
          error,
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

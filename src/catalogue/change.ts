/** Changes records that are stored, with the checks and the statements of an import of their lines. */
import { type SQL, sql } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import type { Guard } from '../db/batch.ts'
import { raw } from '../db/statements.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, type Issue, requireNone } from '../http/errors.ts'
import {
  type Commit,
  commit,
  discard,
  LinesHaveProblems,
  PricesNeedConfirmation,
  stage,
} from './import.ts'
import { parseExactly } from './json.ts'
import { type LineProblem, parseLines } from './line.ts'
import { findPriceChanges, toProblem } from './prices.ts'
import { findLineProblems } from './problems.ts'
import { listingRecord, nftRecord } from './sql.ts'

/** A change of single records has no lines to name. */
const toIssue = ({ line, ...issue }: LineProblem): Issue => issue

export type ChangeCtx = Ctx & { settings: Pick<Settings, 'NETWORKS' | 'MAX_CONTENT_BYTES'> }

/** Fields of a record. */
export type Fields = Readonly<Record<string, unknown>>

type Target = {
  type: 'nft' | 'listing'
  /** The number of the record, or SQL that selects it. */
  id: number | SQL
  /** Whose record it must be, for sale at a fixed price if it is a listing; null: of anybody. */
  owner: number | null
}

type Change = Target & {
  /** Returns the fields that somebody has entered, of the stored record. */
  enter: (record: Fields) => Fields
  /** What these fields had when somebody was shown them, as JSON. */
  shown: string
}

/** What selects a record, after FROM. */
const sourceOf = ({ type, id, owner }: Target) =>
  type === 'nft'
    ? sql`nfts n JOIN users u ON u.id = n.creatorId
        WHERE n.id = ${id} AND (${owner} IS NULL OR n.creatorId = ${owner})`
    : sql`listings l JOIN nfts n ON n.id = l.nftId JOIN users u ON u.id = l.sellerId
        WHERE l.id = ${id} AND (${owner} IS NULL OR l.sellerId = ${owner} AND l.type = 'regular')`

/** Selects the JSON of a record, as an export has it. */
export const selectRecord = ({ db }: Pick<Ctx, 'db'>, target: Target) =>
  raw<{ record: string }>(
    db,
  )`SELECT ${sql.raw(target.type === 'nft' ? nftRecord() : listingRecord)} AS record
    FROM ${sourceOf(target)}`

export const parseRecord = (json: string): Fields => Object(parseExactly(json))

/** Returns the JSON of some fields of a record. */
export const jsonOf = (record: Fields, names: readonly string[]): string =>
  JSON.stringify(Object.fromEntries(names.toSorted().map((name) => [name, record[name]])))

const notFound = () => new ApiError('not_found', 'there is nothing with this id')

/** Returns the record with what was entered, and says what differs; nothing if nothing does. */
function enterFields({ enter, shown, ...target }: Change, stored: string) {
  const record = parseRecord(stored)
  const fields = enter(record)
  if (jsonOf(record, Object.keys(fields)) !== shown)
    throw new ApiError('conflict', 'this has changed since it was shown: look at it again')
  const details = Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === record[name] ? [] : [[name, `${record[name]} → ${value}`]],
    ),
  )
  if (Object.keys(details).length === 0) return []
  return [{ ...target, stored, line: JSON.stringify({ ...record, ...fields }), details }]
}

/**
 * Writes other values of fields, all or none, and records what administrators change. `isConfirmed`:
 * whether prices may change by much. Throws `conflict` if others have changed these fields, and
 * `confirmation_required` if a price changes by much, and what guards throw.
 */
export async function changeRecords(
  { db, caller, now, settings }: ChangeCtx,
  changes: readonly Change[],
  { isConfirmed, guards = [] }: { isConfirmed: boolean; guards?: readonly Guard[] },
): Promise<void> {
  const { rows } = await readAs(db, caller, {
    rows: changes.map((change) => selectRecord({ db }, change)),
  })
  if (rows.length < changes.length) throw notFound()
  const changed = changes.flatMap((change, i) => enterFields(change, rows[i]?.record ?? ''))
  await writeLines({ db, caller, now, settings }, changed, {
    isConfirmed,
    guards: [
      ...changes.map((change) => ({
        when: sql`NOT EXISTS (SELECT 1 FROM ${sourceOf(change)})`,
        error: notFound,
      })),
      ...guards,
    ],
    audited: changed.flatMap(({ type, id, owner, details }) =>
      owner === null ? [{ action: `${type}.change`, subject: id, details } as const] : [],
    ),
  })
}

/** `stored`: the record that it replaces, if it is to be that one still. */
type Line = { line: string; stored: string | null }

/**
 * Imports lines, all or none. Throws `confirmation_required` if a price changes by much, `conflict` if a record
 * is not what it was, and what guards throw.
 */
export async function writeLines(
  { db, caller, now, settings }: ChangeCtx,
  lines: readonly Line[],
  options: { isConfirmed: boolean } & Pick<Commit, 'guards' | 'audited' | 'also'>,
): Promise<void> {
  const { staged, problems } = parseLines(
    lines.map(({ line }) => line),
    1,
    Object.keys(settings.NETWORKS),
  )
  requireNone(problems.map(toIssue))
  const last = staged.length
  if (last === 0) return
  const importCtx = {
    db,
    caller,
    now,
    importId: crypto.randomUUID(),
    callHash: 'change',
    maxContentBytes: settings.MAX_CONTENT_BYTES,
  }
  await stage(importCtx, {
    from: 1,
    last,
    lines: staged.map((line, i) => ({ ...line, shown: lines[i]?.stored ?? null })),
  })
  try {
    await commit(importCtx, { last, isDryRun: false, ...options })
  } catch (error) {
    if (error instanceof LinesHaveProblems)
      requireNone((await findLineProblems(importCtx)).map(toIssue))
    if (error instanceof PricesNeedConfirmation)
      requireNone((await findPriceChanges(importCtx)).listed.map(toProblem).map(toIssue))
    throw error
  } finally {
    await discard(importCtx)
  }
}

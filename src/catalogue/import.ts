/** Stages the lines of a catalogue, and makes them the catalogue in one transaction. */
import { eq, inArray, lt, sql } from 'drizzle-orm'
import { writeAs } from '../auth/access.ts'
import { recordAction } from '../auth/audit.ts'
import { batch, type Guard } from '../db/batch.ts'
import { type Database, toJsonSlices } from '../db/client.ts'
import {
  type CatalogueType,
  catalogueImports,
  catalogueLines,
  catalogueTypes,
} from '../db/schema/catalogue.ts'
import { raw, type Statement } from '../db/statements.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { guard } from '../http/guard.ts'
import { DAY } from '../time.ts'
import type { StagedLine } from './line.ts'
import { hasPriceChangesSql } from './prices.ts'
import { hasProblemsSql } from './problems.ts'
import { refuseChanged } from './shown.ts'
import { userReference } from './sql.ts'
import { countRecords, writeRecords } from './write.ts'

/** Milliseconds after which an import is deleted. */
const LIFETIME = DAY

export type ImportCtx = {
  db: Database
  caller: Caller
  importId: string
  /** The number of the first line, and the SHA-256 of the body in hex. */
  callHash: string
  now: Date
  /** Bytes of the files of all NFTs together. */
  maxContentBytes: number
}

const actions = ['created', 'updated', 'unchanged'] as const

export type Counts = Record<CatalogueType, Record<(typeof actions)[number], number>>

/** Staged lines are in conflict with each other or with what is stored. `findLineProblems` says how. */
export class LinesHaveProblems extends Error {}

/** Prices change by so much that somebody has to confirm it. `findPriceChanges` says which. */
export class PricesNeedConfirmation extends Error {}

/**
 * Stages lines, and returns the number of the last one that is staged. They follow those that are
 * staged, or replace them; `last` is the number of the last one. If the call has committed the import
 * before, only returns the result.
 */
export async function stage(
  ctx: ImportCtx,
  { from, last, lines }: { from: number; last: number; lines: readonly StagedLine[] },
): Promise<{ lines: number; result: Counts | null }> {
  const { db, importId, callHash, now } = ctx
  const stored = sql`FROM catalogueImports WHERE id = ${importId}`
  const guards = [
    guard('conflict', 'the import is committed: choose a new id')`
      EXISTS (SELECT 1 ${stored} AND callHash <> ${callHash})`,
    guard('conflict', 'lines before this one are missing')`
      ${from} > 1 + coalesce((SELECT lines ${stored}), 0)`,
  ]
  const update = sql`INSERT INTO catalogueImports (id, lines, createdAt)
    VALUES (${importId}, ${last}, ${now.toISOString()})
    ON CONFLICT (id) DO UPDATE SET lines = iif(result IS NULL, max(lines, excluded.lines), lines)
    RETURNING lines, result`
  const inserts = toJsonSlices(lines).map(
    (json) =>
      raw(
        db,
      )`INSERT INTO catalogueLines (importId, line, type, externalId, record, derived, words, shown)
      SELECT ${importId}, value ->> 'line', value ->> 'type', value ->> 'externalId',
        value ->> 'record', value ->> 'derived', value ->> 'words', value ->> 'shown'
      FROM json_each(${json})
      WHERE (SELECT result ${stored}) IS NULL
      ON CONFLICT (importId, line) DO UPDATE SET type = excluded.type,
        externalId = excluded.externalId, record = excluded.record, derived = excluded.derived,
        words = excluded.words, shown = excluded.shown`,
  )
  const { rows } = await writeAs(ctx.db, ctx.caller, guards, {
    rows: raw<Pick<typeof catalogueImports.$inferSelect, 'lines' | 'result'>>(db)`${update}`,
    inserts,
    users: nameUsers(db, lines),
  })
  const [row] = rows
  if (!row) throw new Error('staging returned no row')
  return { lines: row.lines, result: row.result === null ? null : toCounts(row.result) }
}

/** Stores the ids that exports give to creators and sellers without one, if the lines have them. */
function nameUsers(db: Database, lines: readonly StagedLine[]) {
  const ids = lines.flatMap(
    ({ record }) => record?.match(/(?<=:"user-)[1-9]\d{0,14}(?=(-\d+)?")/g) ?? [],
  )
  return raw(db)`UPDATE users SET externalId = ${sql.raw(userReference('users'))}
    WHERE id IN (SELECT DISTINCT value + 0 FROM json_each(${JSON.stringify(ids)}))
      AND externalId IS NULL AND (EXISTS (SELECT 1 FROM listings WHERE sellerId = users.id)
        OR id IN (SELECT userId FROM creators) OR id IN (SELECT creatorId FROM nfts))`
}

export type Commit = {
  /** The number of the last line. */
  last: number
  isDryRun: boolean
  /** Whether prices may change by much. */
  isConfirmed: boolean
  /** What else stops it. */
  guards?: readonly Guard[]
  /** What the audit log says, if it is no import of a file. */
  audited?: readonly Parameters<typeof recordAction>[1][]
  /** What else is written, after the records. */
  also?: readonly Statement[]
}

/**
 * Makes the staged lines the catalogue, and deletes them. A dry run does all of that, and then undoes
 * it. A call that is repeated while it runs returns the result of the first one. Throws
 * `LinesHaveProblems` or `PricesNeedConfirmation`; nothing is changed then.
 */
export async function commit(
  ctx: ImportCtx,
  { last, isDryRun, isConfirmed, ...options }: Commit,
): Promise<Counts> {
  const { db, caller, importId, callHash, now, maxContentBytes } = ctx
  const { audited = [importAction(importId)] } = options
  const guards = [
    ...(options.guards ?? []),
    guard('conflict', 'this import has ended: begin it again')`
      NOT EXISTS (SELECT 1 FROM catalogueImports WHERE id = ${importId})`,
    guard('conflict', 'later lines than these are staged')`
      ${last} IS NOT (SELECT lines FROM catalogueImports WHERE id = ${importId})`,
    { when: hasProblemsSql(ctx), error: () => new LinesHaveProblems() },
    {
      when: isConfirmed ? sql`FALSE` : hasPriceChangesSql(importId),
      error: () => new PricesNeedConfirmation(),
    },
  ]
  const result = countRecords(importId)
  type Result = { result: string }
  const contentBytes = sql`coalesce((SELECT bytes FROM contentStorage), 0)`
  const statements = {
    changed: refuseChanged(db, importId, CHANGED),
    update: raw<Result>(db)`
      UPDATE catalogueImports SET result = coalesce(result, ${result}), callHash = ${callHash}
      WHERE id = ${importId} RETURNING result`,
    record: audited.map((action) => recordAction({ db, caller, now }, action)),
    records: writeRecords(db, importId, now),
    also: options.also,
    room: raw(
      db,
    )`INSERT INTO guard SELECT iif(${contentBytes} > ${maxContentBytes}, ${FULL}, NULL)`,
    lines: deleteLines(db, importId),
  }
  if (!isDryRun) {
    const { update } = await writeAs(db, caller, guards, statements).catch(explain)
    return toCounts(update[0]?.result)
  }
  const { counted } = await batch(db, { counted: raw<Result>(db)`SELECT ${result} AS result` })
  const undo = raw(db)`INSERT INTO guard VALUES ('rehearsed')`
  await writeAs(db, caller, guards, { ...statements, undo }).catch((error: unknown) => {
    if (!String(error).includes('rehearsed')) explain(error)
  })
  return toCounts(counted[0]?.result)
}

/** What stops the transaction between its statements. */
const FULL = 'content_full'
const CHANGED = 'catalogue_changed'

/** Throws the error for what has stopped it. */
function explain(error: unknown): never {
  const reason = String(error)
  if (reason.includes(FULL))
    throw new ApiError(
      'content_full',
      'the files of all NFTs together would exceed MAX_CONTENT_BYTES: name fewer, or raise it',
    )
  if (reason.includes(CHANGED))
    throw new ApiError(
      'conflict',
      'the catalogue has changed since this was shown: look at it again',
    )
  throw error
}

/** An import is recorded once, even if its last call is repeated while it runs. */
function importAction(importId: string) {
  const action = 'catalogue.import' as const
  const details = sql`(SELECT result FROM catalogueImports WHERE id = ${importId})`
  const when = sql`NOT EXISTS (SELECT 1 FROM auditLog
    WHERE subject = ${importId} AND action = ${action})`
  return { action, subject: importId, details, when }
}

const deleteLines = (db: Database, importId: string) =>
  db.delete(catalogueLines).where(eq(catalogueLines.importId, importId))

export async function discard({ db, importId }: ImportCtx): Promise<void> {
  await batch(db, {
    lines: deleteLines(db, importId),
    imports: db.delete(catalogueImports).where(eq(catalogueImports.id, importId)),
  })
}

/** Imports that one run deletes. */
const MAX_SWEPT = 5

/** Returns the statements that delete imports older than a day. */
export function sweepImports(db: Database, now: Date) {
  const old = db
    .select({ id: catalogueImports.id })
    .from(catalogueImports)
    .where(lt(catalogueImports.createdAt, new Date(now.getTime() - LIFETIME).toISOString()))
    .orderBy(catalogueImports.createdAt)
    .limit(MAX_SWEPT)
  return [
    db.delete(catalogueLines).where(inArray(catalogueLines.importId, old)),
    db.delete(catalogueImports).where(inArray(catalogueImports.id, old)),
  ]
}

/** `result`: the column of `catalogueImports`. */
export function toCounts(result = '{}'): Counts {
  const totals: Partial<Record<string, number>> = JSON.parse(result)
  const ofType = (type: CatalogueType) =>
    Object.fromEntries(actions.map((action) => [action, totals[`${type}.${action}`] ?? 0]))
  return Object.fromEntries(catalogueTypes.map((type) => [type, ofType(type)])) as Counts
}

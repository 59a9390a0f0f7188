/** What a catalogue would change, for somebody who looks at it before it is imported. */
import { sql } from 'drizzle-orm'
import { writeAs } from '../auth/access.ts'
import type { CatalogueType } from '../db/schema/catalogue.ts'
import { raw } from '../db/statements.ts'
import { joinProblems } from './csv.ts'
import { type Counts, commit, discard, type ImportCtx, LinesHaveProblems, stage } from './import.ts'
import { type LineProblem, parseLines } from './line.ts'
import { findPriceChanges, type PriceChanges } from './prices.ts'
import { findLineProblems } from './problems.ts'
import { recordSql, setShown } from './shown.ts'
import { withLines } from './sql.ts'

/** Records that are listed. */
const MAX_LISTED = 100

/** A field of a record, as in `metadata.name`, with its value as JSON. It is undefined where there is none. */
type FieldChange = { field: string; before: string | undefined; after: string | undefined }

export type Difference = {
  line: number
  type: CatalogueType
  externalId: string
  /** Null if the record is new. */
  changes: FieldChange[] | null
}

export type CataloguePreview = {
  /** The number of the last line. */
  last: number
  counts: Counts
  prices: PriceChanges
  /** Listings that would be sold no more. */
  ended: number
  /** New and changed records, and the first of them. */
  differences: { total: number; listed: Difference[] }
}

type Row = Pick<Difference, 'line' | 'type' | 'externalId'> & {
  record: string
  shown: string
  total: number
}

type Catalogue = {
  lines: readonly string[]
  /** What is wrong with the cells of a spreadsheet. */
  cells: readonly LineProblem[]
  /** The names of the configured networks. */
  networks: readonly string[]
}

/**
 * Stages the lines of a catalogue, and returns what they would change, or what is wrong with them. A commit
 * of the import then does just that, or throws `conflict`.
 */
export async function previewCatalogue(
  ctx: ImportCtx,
  { lines, cells, networks }: Catalogue,
): Promise<CataloguePreview | { problems: LineProblem[] }> {
  const last = lines.length
  const { staged, problems } = parseLines(lines, 1, networks)
  const ofLines = joinProblems(cells, problems)
  await stage(ctx, { from: 1, last, lines: staged })
  try {
    if (ofLines.length > 0) throw new LinesHaveProblems()
    // What changes from here on stops the commit.
    const found = await findDifferences(ctx)
    const counts = await commit(ctx, { last, isDryRun: true, isConfirmed: true })
    return { last, counts, prices: await findPriceChanges(ctx), ...found }
  } catch (error) {
    if (!(error instanceof LinesHaveProblems)) throw error
    const ofRecords = await findLineProblems(ctx)
    await discard(ctx)
    return { problems: joinProblems(ofLines, ofRecords) }
  }
}

/** Whether a listing with the JSON of this record is sold, at the time of the import. */
const isSold = (record: string) =>
  sql.raw(`(${record} ->> '$.active'
  AND coalesce(${record} ->> '$.activeTill' > r.now, 1))`)

async function findDifferences(ctx: ImportCtx) {
  const { db, importId, now } = ctx
  const lines = withLines(importId, now.toISOString())
  const { rows, ends } = await writeAs(ctx.db, ctx.caller, [], {
    shown: setShown(db, importId),
    rows: raw<Row>(db)`${lines} SELECT * FROM (
        SELECT r.line, r.type, r.externalId, r.shown, ${recordSql} AS record, count(*) OVER () AS total
        FROM r WHERE r.shown <> ${recordSql})
      ORDER BY line LIMIT ${MAX_LISTED}`,
    ends: raw<{ count: number }>(db)`${lines} SELECT count(*) AS count FROM r
      WHERE r.type = 'listing' AND iif(r.shown = '', 0, ${isSold('r.shown')}) AND NOT ${isSold('r.record')}`,
  })
  const listed = rows.map(({ line, type, externalId, shown, record }) => {
    const changes = shown === '' ? null : compare(JSON.parse(shown), JSON.parse(record))
    return { line, type, externalId, changes }
  })
  return { ended: ends[0]?.count ?? 0, differences: { total: rows[0]?.total ?? 0, listed } }
}

/** Returns the fields that differ, and of objects their parts. */
function compare(before: Record<string, unknown>, after: Record<string, unknown>): FieldChange[] {
  const [old, next] = [flatten(before), flatten(after)]
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((field) =>
    old.get(field) === next.get(field)
      ? []
      : [{ field, before: old.get(field), after: next.get(field) }],
  )
}

/** Returns the values of fields as JSON. An object has a field for each of its parts. */
const flatten = (record: Record<string, unknown>) =>
  new Map(
    Object.entries(record).flatMap(([field, value]): [string, string][] =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).map(([part, value]) => [`${field}.${part}`, JSON.stringify(value)])
        : [[field, JSON.stringify(value)]],
    ),
  )

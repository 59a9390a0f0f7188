/** Changes a record that is stored, with the checks and the statements of an import of its line. */
import { sql } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import { raw } from '../db/statements.ts'
import type { Caller } from '../http/context.ts'
import { ApiError, type Issue, requireNone } from '../http/errors.ts'
import {
  commit,
  discard,
  type ImportCtx,
  LinesHaveProblems,
  PricesNeedConfirmation,
  stage,
} from './import.ts'
import { parseExactly } from './json.ts'
import { type LineProblem, parseLines } from './line.ts'
import { findPriceChanges, toProblem } from './prices.ts'
import { findLineProblems } from './problems.ts'
import { listingRecord, nftRecord } from './sql.ts'

/** There is only one line. */
const toIssue = ({ line, ...issue }: LineProblem): Issue => issue

type ChangeCtx = Omit<ImportCtx, 'caller' | 'importId' | 'callHash'> & { caller: Caller }

/** Fields of a record. */
export type Fields = Readonly<Record<string, unknown>>

type Change = {
  type: 'nft' | 'listing'
  /** The number of the record. */
  id: number
  /** Returns the fields that somebody has entered, of the stored record. */
  enter: (record: Fields) => Fields
  /** What these fields had when somebody was shown them, as JSON. */
  shown: string
  /** Whether prices may change by much. */
  isConfirmed: boolean
  /** The names of the configured networks. */
  networks: readonly string[]
}

/** Selects the JSON of a record, as an export has it. */
export const selectRecord = ({ db }: Pick<ImportCtx, 'db'>, type: Change['type'], id: number) =>
  type === 'nft'
    ? raw<{ record: string }>(db)`SELECT ${sql.raw(nftRecord())} AS record
        FROM nfts n JOIN users u ON u.id = n.creatorId WHERE n.id = ${id}`
    : raw<{ record: string }>(db)`SELECT ${sql.raw(listingRecord)} AS record FROM listings l
        JOIN nfts n ON n.id = l.nftId JOIN users u ON u.id = l.sellerId WHERE l.id = ${id}`

/** Returns the JSON of some fields of a record. */
export const jsonOf = (record: Fields, names: readonly string[]): string =>
  JSON.stringify(Object.fromEntries(names.toSorted().map((name) => [name, record[name]])))

/**
 * Writes other values of fields, and records that. Throws `conflict` if others have changed them, and
 * `confirmation_required` if a price changes by much.
 */
export async function changeRecord(
  ctx: ChangeCtx,
  { type, id, enter, shown, isConfirmed, networks }: Change,
): Promise<void> {
  const { rows } = await readAs(ctx.db, ctx.caller, { rows: selectRecord(ctx, type, id) })
  const [row] = rows
  if (!row) throw new ApiError('not_found', 'there is nothing with this id')
  const record: Fields = Object(parseExactly(row.record))
  const fields = enter(record)
  if (jsonOf(record, Object.keys(fields)) !== shown)
    throw new ApiError('conflict', 'this has changed since it was shown: look at it again')
  const { staged, problems } = parseLines([JSON.stringify({ ...record, ...fields })], 1, networks)
  requireNone(problems.map(toIssue))
  const details = Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === record[name] ? [] : [[name, `${record[name]} → ${value}`]],
    ),
  )
  if (Object.keys(details).length === 0) return
  const importCtx = { ...ctx, importId: crypto.randomUUID(), callHash: 'page' }
  const lines = staged.map((line) => ({ ...line, shown: row.record }))
  await stage(importCtx, { from: 1, last: 1, lines })
  try {
    const action = { action: `${type}.change`, subject: id, details } as const
    await commit(importCtx, { last: 1, isDryRun: false, isConfirmed, action })
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

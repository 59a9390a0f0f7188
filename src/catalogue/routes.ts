import type { Context } from 'hono'
import { bytesToHex } from 'viem/utils'
import * as z from 'zod'
import { bodyReader, decodeUtf8 } from '../http/body.ts'
import { Endpoints } from '../http/endpoint.ts'
import { ApiError, requireNone } from '../http/errors.ts'
import { count, id, model, orNull } from '../http/fields.ts'
import { flagText } from '../http/inputs.ts'
import { catalogueLimits, describeLimit } from '../limits.ts'
import {
  commit,
  discard,
  type ImportCtx,
  LinesHaveProblems,
  PricesNeedConfirmation,
  stage,
} from './import.ts'
import { type LineProblem, parseLines, splitLines } from './line.ts'
import { findNumbers, RecordIds } from './numbers.ts'
import { describeNumber, findPriceChanges, toProblem } from './prices.ts'
import { findLineProblems, problemCodes } from './problems.ts'

/** The number of a line, from 1, in a query. */
export const lineNumber = z
  .string()
  .trim()
  .regex(/^[1-9]\d{0,5}$/, 'must be the number of a line')
  .transform(Number)

const Query = z
  .strictObject({
    import: z
      .uuid()
      .transform((id) => id.toLowerCase())
      .optional()
      .describe('An id that you choose, for an import of several calls.'),
    line: lineNumber.default(1).describe('The number of the first line in the body, from 1.'),
    commit: flagText
      .optional()
      .describe('Whether these are the last lines. Always, without `import`.'),
    dryRun: flagText.prefault('false').describe('Whether to undo the commit.'),
    confirm: flagText
      .prefault('false')
      .describe(
        'Whether prices may become more than double or less than half of what they are, or get another currency.',
      ),
  })
  .refine(({ import: id, line, commit: isLast }) => id || (line === 1 && isLast !== false), {
    error: 'is required for a part of an import',
    path: ['import'],
  })

const readBody = bodyReader(
  catalogueLimits.body.max,
  `a call may have at most ${describeLimit(catalogueLimits.body)}`,
)

/** Returns the lines, and a hash that no other call of the import has. */
async function readCall(c: Context, line: number) {
  const bytes = await readBody(c)
  const lines = splitLines(decodeUtf8(bytes))
  if (lines.length > catalogueLimits.lines.max)
    throw new ApiError(
      'payload_too_large',
      `a call may have at most ${catalogueLimits.lines.max} lines`,
    )
  const hash = await crypto.subtle.digest('SHA-256', bytes)
  return { lines, callHash: `${line} ${bytesToHex(new Uint8Array(hash))}` }
}

const toIssues = (problems: readonly LineProblem[]) =>
  problems.map(({ line, path, ...issue }) => ({
    path: `lines[${line}]${path && `.${path}`}`,
    ...issue,
  }))

/** As `commit`, but throws the error of the problems that it finds. */
async function commitOrRefuse(ctx: ImportCtx, options: Parameters<typeof commit>[1]) {
  try {
    return await commit(ctx, options)
  } catch (error) {
    if (error instanceof LinesHaveProblems) requireNone(toIssues(await findLineProblems(ctx)))
    if (error instanceof PricesNeedConfirmation) {
      const changes = await findPriceChanges(ctx)
      const issues = toIssues(changes.listed.map(toProblem))
      throw new ApiError('confirmation_required', describeNumber(changes), {}, issues)
    }
    throw error
  }
}

const Counts = model('RecordCounts', 'Numbers of records of a type.', () => ({
  created: count('Records that are new.'),
  updated: count('Records that changed what is stored.'),
  unchanged: count('Records that are stored like this already.'),
}))
const ImportResult = model('ImportResult', 'What the commit did, by type of record.', () => ({
  user: Counts,
  nft: Counts,
  listing: Counts,
}))
const ImportProgress = model('ImportProgress', 'An import so far.', () => ({
  lines: count('The last line that is stored for the import. Continue after it.'),
  result: orNull(ImportResult.describe('What the commit did, or would do; null before it.')),
}))
const RecordNumbers = model('RecordNumbers', 'The ids of records in the API.', () => ({
  numbers: z
    .array(orNull(id('The id in the API; null if the record was not imported.')))
    .describe('In the order of the records.'),
}))

export const catalogueRoutes = new Endpoints({ tag: 'Catalogue', isStrict: true })
  .post(
    '/api/admin/catalogue',
    {
      id: 'importCatalogue',
      summary: 'Import users, NFTs and listings',
      description:
        `The body is JSON Lines, a record a line: at most ${catalogueLimits.lines.max} lines and ` +
        `${describeLimit(catalogueLimits.body)}. ` +
        'All records are written, or none. Repeating a call is safe. A larger catalogue, of up to ' +
        `${catalogueLimits.importLines.max} lines, takes several calls with the same \`import\`, each with the ` +
        'number of its first `line`. Nothing changes before the call with `commit`. In `issues`, ' +
        '`lines[12]` is line 12. Prices that change by much are refused with `confirmation_required`, ' +
        'unless `confirm` is true.',
      access: 'master',
      reads: 'primary',
      input: { query: Query },
      body: { type: 'application/x-ndjson', schema: z.file().describe('JSON Lines.') },
      answer: ImportProgress,
      errors: [
        ...problemCodes,
        'network_not_found',
        'invalid_character',
        'conflict',
        'confirmation_required',
        'content_full',
        'payload_too_large',
        'unsupported_media_type',
      ],
    },
    async (
      c,
      { query: { import: importId, line: from, commit: isLast = !importId, ...query } },
    ) => {
      const { db, caller, now, settings } = c.var
      const { NETWORKS, MAX_CONTENT_BYTES: maxContentBytes } = settings
      const { lines, callHash } = await readCall(c, from)
      const last = from + lines.length - 1
      if (last > catalogueLimits.importLines.max)
        throw new ApiError(
          'payload_too_large',
          `an import may have at most ${catalogueLimits.importLines.max} lines`,
        )
      const { staged, problems } = parseLines(lines, from, Object.keys(NETWORKS))
      requireNone(toIssues(problems))
      const id = importId ?? crypto.randomUUID()
      const ctx = { db, caller, importId: id, callHash, now, maxContentBytes }
      const progress = await stage(ctx, { from, last, lines: staged })
      if (progress.result || !isLast) return progress
      try {
        const result = await commitOrRefuse(ctx, {
          last,
          isDryRun: query.dryRun,
          isConfirmed: query.confirm,
        })
        return { lines: last, result }
      } finally {
        // Another call cannot name this import.
        if (!importId) await discard(ctx)
      }
    },
  )
  .post(
    '/api/admin/catalogue/ids',
    {
      id: 'findRecordNumbers',
      summary: 'Find the numbers of records',
      description: `Returns the ids in the API of up to ${catalogueLimits.records.max} records, also of drafts.`,
      access: 'master',
      reads: 'primary',
      input: { json: RecordIds },
      answer: RecordNumbers,
    },
    async (c, { json }) => ({ numbers: await findNumbers(c.var, json) }),
  )

import type { Context } from 'hono'
import { bytesToHex } from 'viem/utils'
import * as z from 'zod'
import { bodyReader, decodeUtf8 } from '../http/body.ts'
import { Endpoints } from '../http/endpoint.ts'
import { ApiError, rejected } from '../http/errors.ts'
import { docs } from '../http/fields.ts'
import {
  commit,
  discard,
  type ImportCtx,
  LinesHaveProblems,
  MAX_IMPORT_LINES,
  stage,
} from './import.ts'
import { type Problem, parseLines, splitLines } from './line.ts'
import { findNumbers, RecordIds } from './numbers.ts'
import { findProblems } from './problems.ts'

/** Limits of the body of a call. */
export const MAX_MIB = 4
export const MAX_LINES = 1000

/** The number of a line, from 1, in a query. */
export const lineNumber = z
  .string()
  .trim()
  .regex(/^[1-9]\d{0,5}$/, 'must be the number of a line')
  .transform(Number)

const flag = z.enum(['true', 'false'])
const isTrue = (text: z.infer<typeof flag>) => text === 'true'
const Query = z
  .strictObject({
    import: z
      .uuid()
      .transform((id) => id.toLowerCase())
      .optional()
      .describe(docs('An id that you choose, for an import of several calls.')),
    line: lineNumber.default(1).describe(docs('The number of the first line in the body, from 1.')),
    commit: flag
      .transform(isTrue)
      .optional()
      .describe(docs('Whether these are the last lines. Always, without `import`.')),
    dryRun: flag.default('false').transform(isTrue).describe(docs('Whether to undo the commit.')),
  })
  .refine(({ import: id, line, commit: isLast }) => id || (line === 1 && isLast !== false), {
    error: 'is required for a part of an import',
    path: ['import'],
  })

const readBody = bodyReader(MAX_MIB * 1024 * 1024, `a call may have at most ${MAX_MIB} MiB`)

/**
 * Returns the lines, and a hash that no other call of the import has. Throws `payload_too_large`,
 * `invalid_input`.
 */
async function readCall(c: Context, line: number) {
  const bytes = await readBody(c)
  const lines = splitLines(decodeUtf8(bytes))
  if (lines.length > MAX_LINES)
    throw new ApiError('payload_too_large', `a call may have at most ${MAX_LINES} lines`)
  const hash = await crypto.subtle.digest('SHA-256', bytes)
  return { lines, callHash: `${line} ${bytesToHex(new Uint8Array(hash))}` }
}

/** Throws the error of these problems, if there are any. */
function refuse(problems: readonly Problem[]): void {
  const [first, ...others] = problems.map(({ line, path, ...issue }) => ({
    path: `lines[${line}]${path && `.${path}`}`,
    ...issue,
  }))
  if (first) throw rejected([first, ...others])
}

/** As `commit`, but throws the error of the problems that it finds. */
async function commitOrRefuse(ctx: ImportCtx, options: { last: number; isDryRun: boolean }) {
  try {
    return await commit(ctx, options)
  } catch (error) {
    if (error instanceof LinesHaveProblems) refuse(await findProblems(ctx))
    throw error
  }
}

export const catalogueRoutes = new Endpoints()
  .post(
    '/api/admin/catalogue',
    {
      id: 'importCatalogue',
      access: 'master',
      reads: 'primary',
      isStrict: true,
      input: { query: Query },
    },
    async (c, { query: { import: id, line: from, commit: isLast = !id, dryRun } }) => {
      const { db, caller, now, settings } = c.var
      const { lines, callHash } = await readCall(c, from)
      const last = from + lines.length - 1
      if (last > MAX_IMPORT_LINES)
        throw new ApiError(
          'payload_too_large',
          `an import may have at most ${MAX_IMPORT_LINES} lines`,
        )
      const { staged, problems } = parseLines(lines, from, Object.keys(settings.NETWORKS))
      refuse(problems)
      const ctx = {
        db,
        caller,
        importId: id ?? crypto.randomUUID(),
        callHash,
        now,
      }
      const progress = await stage(ctx, { from, last, lines: staged })
      if (progress.result || !isLast) return c.json(progress)
      try {
        const result = await commitOrRefuse(ctx, { last, isDryRun: dryRun })
        return c.json({ lines: last, result })
      } finally {
        // Another call cannot name this import.
        if (!id) await discard(ctx)
      }
    },
  )
  .post(
    '/api/admin/catalogue/ids',
    {
      id: 'findRecordNumbers',
      access: 'master',
      reads: 'primary',
      isStrict: true,
      input: { json: RecordIds },
    },
    async (c, { json }) => c.json({ numbers: await findNumbers(c.var, json) }),
  )

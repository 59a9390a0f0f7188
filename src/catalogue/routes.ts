import { type Context, Hono } from 'hono'
import { bytesToHex } from 'viem/utils'
import * as z from 'zod/mini'
import { writeAs } from '../auth/access.ts'
import { bodyReader } from '../http/body.ts'
import type { App } from '../http/context.ts'
import { requireMaster, validate } from '../http/endpoint.ts'
import { ApiError, rejected } from '../http/errors.ts'
import {
  commit,
  discard,
  LinesHaveProblems,
  MAX_IMPORT_LINES,
  stage,
  type Write,
} from './import.ts'
import { MAX_LINES, MAX_MIB } from './limits.ts'
import { linesOf, type Problem, parseLines } from './line.ts'
import { findProblems } from './problems.ts'

/** Issues of one answer. */
const MAX_ISSUES = 1000

/** The number of a line, from 1, in a query. */
export const lineNumber = z.pipe(
  z.string().check(z.trim(), z.regex(/^[1-9]\d{0,5}$/, 'must be the number of a line')),
  z.transform(Number),
)

const importId = z.pipe(
  z.uuid(),
  z.transform((id) => id.toLowerCase()),
)
const flag = z.enum(['true', 'false'])
const isTrue = z.transform((text: z.infer<typeof flag>) => text === 'true')
const Query = z
  .strictObject({
    import: z
      .optional(importId)
      .check(z.describe('An id that you choose, for an import of several calls.')),
    line: z
      ._default(lineNumber, 1)
      .check(z.describe('The number of the first line in the body, from 1.')),
    commit: z
      .optional(z.pipe(flag, isTrue))
      .check(z.describe('Whether these are the last lines. Always, without `import`.')),
    dryRun: z
      .pipe(z._default(flag, 'false'), isTrue)
      .check(z.describe('Whether to undo the commit.')),
  })
  .check(
    z.refine(({ import: id, line, commit: isLast }) => id || (line === 1 && isLast !== false), {
      error: 'is required for a part of an import',
      path: ['import'],
    }),
  )

const readBody = bodyReader(MAX_MIB * 1024 * 1024, `a call may have at most ${MAX_MIB} MiB`)
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Returns the lines, and what tells the call from others of its import. Throws `payload_too_large`, `invalid_input`. */
async function readCall(c: Context, line: number) {
  const bytes = await readBody(c)
  const lines = linesOf(decode(bytes))
  if (lines.length > MAX_LINES)
    throw new ApiError('payload_too_large', `a call may have at most ${MAX_LINES} lines`)
  const hash = await crypto.subtle.digest('SHA-256', bytes)
  return { lines, callHash: `${line} ${bytesToHex(new Uint8Array(hash))}` }
}

function decode(bytes: ArrayBuffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ApiError('invalid_input', 'the body is not valid UTF-8')
  }
}

/** Throws the error of these problems, if there are any. */
function refuse(problems: readonly Problem[]): void {
  const [first, ...others] = problems
    .slice(0, MAX_ISSUES)
    .map(({ line, path, ...issue }) => ({ path: `lines[${line}]${path && `.${path}`}`, ...issue }))
  if (first) throw rejected([first, ...others])
}

export const catalogueRoutes = new Hono<App>().post(
  '/api/admin/catalogue',
  requireMaster(),
  validate('query', Query),
  async (c) => {
    const { db, caller, now, settings } = c.var
    const { import: id, line, commit: isLast = !id, dryRun } = c.req.valid('query')
    const { lines, callHash } = await readCall(c, line)
    const last = line + lines.length - 1
    if (last > MAX_IMPORT_LINES)
      throw new ApiError(
        'payload_too_large',
        `an import may have at most ${MAX_IMPORT_LINES} lines`,
      )
    const { staged, problems } = parseLines(lines, line, Object.keys(settings.NETWORKS))
    refuse(problems)

    const target = {
      db,
      write: ((guards, statements) => writeAs(db, caller, guards, statements)) as Write,
      importId: id ?? crypto.randomUUID(),
      callHash,
      now,
    }
    const progress = await stage(target, { from: line, last, lines: staged })
    if (progress.result || !isLast) return c.json(progress)
    try {
      const result = await commit(target, last, dryRun)
      return c.json({ lines: last, result })
    } catch (error) {
      if (error instanceof LinesHaveProblems) refuse(await findProblems(db, target.importId))
      throw error
    } finally {
      // Another call cannot name this import.
      if (!id) await discard(target)
    }
  },
)

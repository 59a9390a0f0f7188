/** Reads the lines of a catalogue. */
import { parseEther } from 'viem/utils'
import type * as z from 'zod'
import { type CatalogueType, catalogueTypes } from '../db/schema/catalogue.ts'
import { wordsOf } from '../db/words.ts'
import { hasPrototype } from '../http/body.ts'
import type { Issue } from '../http/errors.ts'
import { toIssues } from '../http/validation.ts'
import { hashIdentity, hashWallet } from '../identity/namespace.ts'
import { catalogueLimits } from '../limits.ts'
import { parseExactly } from './json.ts'
import { CatalogueRecord } from './record.ts'

/** Something that is wrong with a line. Its path is that of a field, as in `metadata.name`. */
export type LineProblem = Issue & {
  /** From 1. */
  line: number
}

/** A line as it is staged. One with problems has no record, but other lines may refer to it. */
export type StagedLine = {
  line: number
  type: CatalogueType | null
  externalId: string | null
  record: string | null
  /** What SQL cannot compute: see `catalogueLines.derived`. */
  derived: string | null
  /** JSON: see `catalogueLines.words`. */
  words: string | null
  /** See `catalogueLines.shown`. */
  shown: string | null
}

/** Splits text into lines. The last one may end with a line break. */
export const splitLines = (text: string): string[] =>
  text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)

/**
 * Parses lines that begin with the number `from`, and skips those that are blank. `networks` has the
 * names of the configured networks.
 */
export function parseLines(lines: readonly string[], from: number, networks: readonly string[]) {
  const parsed = lines.flatMap((text, i) =>
    text.trim() ? [parseLine(text, from + i, networks)] : [],
  )
  return {
    staged: parsed.map(({ staged }) => staged),
    problems: parsed.flatMap(({ problems }) => problems),
  }
}

function parseLine(text: string, line: number, networks: readonly string[]) {
  const value = parseJson(text)
  if (value === undefined) {
    const message = `must be JSON of at most ${catalogueLimits.lineLength.max} characters`
    return failed(line, value, [{ path: '', code: 'invalid_input', message }])
  }
  if (hasPrototype(text))
    return failed(line, value, [
      { path: '', code: 'invalid_input', message: 'must not have a key `__proto__`' },
    ])
  const { data, error } = CatalogueRecord.safeParse(value)
  if (error) return failed(line, value, toIssues(error.issues))
  const record = JSON.stringify(data)
  const derived = derive(data, networks)
  const words = findWords(data)
  const { type, id: externalId } = data
  const staged: StagedLine = { line, type, externalId, record, derived, words, shown: null }
  return { staged, problems: [] }
}

/** Metadata and payload, which others have written, keep their numbers, and may have halves of surrogate pairs. */
function parseJson(text: string): unknown {
  try {
    const value = text.length > catalogueLimits.lineLength.max ? undefined : JSON.parse(text)
    const { metadata, payload } = Object(value)
    if (!metadata && !payload) return value
    const exact = Object(parseExactly(text))
    return {
      ...value,
      ...(metadata && { metadata: exact.metadata }),
      ...(payload && { payload: exact.payload }),
    }
  } catch {
    return undefined
  }
}

const isType = (type: unknown): type is CatalogueType =>
  catalogueTypes.some((other) => other === type)

/** Stages a line with issues, so that other lines may refer to its record. */
function failed(line: number, value: unknown, issues: readonly Issue[]) {
  const { type, id } = Object(value)
  const known = isType(type) && typeof id === 'string' && { type, externalId: id }
  return {
    staged: {
      line,
      type: null,
      externalId: null,
      ...known,
      record: null,
      derived: null,
      words: null,
      shown: null,
    },
    problems: issues.map((issue): LineProblem => ({ line, ...issue })),
  }
}

function findWords(data: z.infer<typeof CatalogueRecord>): string | null {
  if (data.type === 'listing') return null
  const words =
    data.type === 'nft' ? wordsOf(data.metadata.name) : wordsOf(data.name, data.username)
  return JSON.stringify(words)
}

function derive(data: z.infer<typeof CatalogueRecord>, networks: readonly string[]) {
  switch (data.type) {
    case 'user':
      return data.ethereumPublicAddr
        ? hashWallet(data.ethereumPublicAddr, data.walletChainId)
        : data.email && hashIdentity('email', data.email)
    case 'nft':
      return networks.includes(data.network) ? null : data.network
    case 'listing':
      return String(parseEther(data.priceEths))
  }
}

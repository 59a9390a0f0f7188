/** Reads the lines of a catalogue. */
import { parseEther } from 'viem/utils'
import type * as z from 'zod'
import { type CatalogueType, catalogueTypes } from '../db/schema/catalogue.ts'
import { toIssues } from '../http/endpoint.ts'
import type { Issue } from '../http/errors.ts'
import { hashIdentity } from '../identity/namespace.ts'
import { parseExactly, toWellFormedJson } from './json.ts'
import { CatalogueRecord } from './record.ts'

/** Characters. The metadata of some collections holds the picture. */
const MAX_LINE_LENGTH = 128 * 1024

/** Something that is wrong with a line. Its path is that of a field, as in `metadata.name`. */
export type Problem = Issue & {
  /** From 1. */
  line: number
}

/** A line as it is staged. One with problems has no record, but other lines may refer to it. */
export type StagedLine = {
  line: number
  type: CatalogueType | null
  externalId: string | null
  record: string | null
  /** What SQL cannot compute: `users.identityHash` or `listings.priceWei`. */
  derived: string | null
}

type ParsedLine = { staged: StagedLine; problems: Problem[] }

/** Splits text into lines. The last one may end with a line break. */
export const splitLines = (text: string): string[] =>
  text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)

/** Parses lines that begin with the number `from`, and skips those that are blank. */
export function parseLines(lines: readonly string[], from: number, networks: readonly string[]) {
  const parsed = lines.flatMap((text, i) =>
    text.trim() ? [parseLine(text, from + i, networks)] : [],
  )
  return {
    staged: parsed.map(({ staged }) => staged),
    problems: parsed.flatMap(({ problems }) => problems),
  }
}

/** Parses a line. `networks` has the names of the configured networks. */
function parseLine(text: string, line: number, networks: readonly string[]): ParsedLine {
  const value = parseJson(text)
  if (value === undefined) {
    const message = `must be JSON of at most ${MAX_LINE_LENGTH} characters`
    return failed(line, value, [{ path: '', code: 'invalid_input', message }])
  }
  const { data, error } = CatalogueRecord.safeParse(value)
  if (error) return failed(line, value, toIssues(error.issues))
  if (data.type === 'nft' && !networks.includes(data.network)) {
    const message = 'there is no such network'
    return failed(line, value, [{ path: 'network', code: 'network_not_found', message }])
  }
  return { staged: stagedLine(line, data, text), problems: [] }
}

/** Only metadata, which others have written, may have halves of surrogate pairs. */
function parseJson(text: string): unknown {
  try {
    const value = text.length > MAX_LINE_LENGTH ? undefined : JSON.parse(text)
    if (Object(value).metadata) value.metadata = JSON.parse(toWellFormedJson(text)).metadata
    return value
  } catch {
    return undefined
  }
}

const isType = (type: unknown): type is CatalogueType =>
  catalogueTypes.some((other) => other === type)

/** Stages a line with issues, so that other lines may refer to its record. */
function failed(line: number, value: unknown, issues: readonly Issue[]): ParsedLine {
  const { type, id } = Object(value)
  const known = isType(type) && typeof id === 'string' && { type, externalId: id }
  return {
    staged: { line, type: null, externalId: null, ...known, record: null, derived: null },
    problems: issues.map((issue) => ({ line, ...issue })),
  }
}

function stagedLine(line: number, data: z.infer<typeof CatalogueRecord>, text: string): StagedLine {
  const metadata = data.type === 'nft' ? Object(parseExactly(text)).metadata : undefined
  return {
    line,
    type: data.type,
    externalId: data.id,
    record: JSON.stringify({ ...data, metadata }),
    derived: derive(data),
  }
}

/** Returns what SQL cannot compute from a record. */
function derive(data: z.infer<typeof CatalogueRecord>): string | null {
  switch (data.type) {
    case 'user':
      return data.ethereumPublicAddr
        ? hashIdentity('wallet', data.ethereumPublicAddr)
        : hashIdentity('email', data.email ?? '')
    case 'nft':
      return null
    case 'listing':
      return String(parseEther(data.priceEths))
  }
}

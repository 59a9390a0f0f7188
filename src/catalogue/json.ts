/** JSON whose numbers keep all their digits. */

// The library of TypeScript does not have these yet.
type Context = { source: string }
declare global {
  interface JSON {
    rawJSON(text: string): unknown
    isRawJSON(value: unknown): boolean
  }
}

/** Half a surrogate pair as an escape, after what begins like it: a pair, or another escape. */
const escapes = /\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(\\u[dD][89a-fA-F]..)|\\./g

/** Returns JSON in which U+FFFD replaces each half of a surrogate pair. */
const toWellFormedJson = (json: string): string =>
  json.toWellFormed().replace(escapes, (found, half?: string) => (half ? '\\uFFFD' : found))

/**
 * Parses JSON. A number that has another spelling in JavaScript becomes an object that
 * `JSON.stringify` writes as it was. U+FFFD replaces halves of surrogate pairs. Throws `SyntaxError`, also for a
 * number that is larger than any that programs can read.
 */
export function parseExactly(text: string): unknown {
  const exact = (_key: string, value: unknown, { source }: Context) => {
    if (typeof value !== 'number') return value
    if (!Number.isFinite(value)) throw new SyntaxError(`${source} is too large`)
    return JSON.stringify(value) === source ? value : JSON.rawJSON(source)
  }
  return JSON.parse(toWellFormedJson(text), exact as (key: string, value: unknown) => unknown)
}

/** Whether lists and objects are nested in more than this number of levels. */
export const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !JSON.isRawJSON(value) &&
  (levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1)))

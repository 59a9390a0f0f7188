/** Breaks the check of a guard: finds the part of the code that it names, and replaces it. */
import { type Broken, type Guard, readGuard } from '../../../test/guards/guard.ts'
import { type Code, type Part, readMigration, readSolidity, type Span } from './text.ts'
import { readTypeScript } from './typescript.ts'

/** Returns the source with the broken check. Throws unless the guard names exactly one. */
export function breakCheck(guard: Guard, source: string): string {
  const { file, functionName } = readGuard(guard)
  const code = readCode(file, source)
  const named = outermost(code.functions).filter(({ name }) => name === functionName)
  const scope = only(named, `"${functionName}" in ${file}`)
  const { parts, words, replacement } = select(code, guard.broken)
  const mentioning = parts.filter((part) => {
    const text = source.slice(part.start, part.end)
    return contains(scope, part) && words.split(' ').every((word) => mentions(text, word))
  })
  const part = only(smallest(mentioning), `"${words}" in ${guard.code}`)
  return source.slice(0, part.start) + (part.text ?? replacement) + source.slice(part.end)
}

function readCode(file: string, source: string): Code {
  if (file.endsWith('.sol')) return readSolidity(source)
  if (file.endsWith('.sql')) return readMigration(source)
  return readTypeScript(file, source)
}

function select({ conditions, calls = [], optional = [] }: Code, broken: Broken) {
  if ('call' in broken) return { parts: calls, words: broken.call, replacement: '' }
  if ('without' in broken) return { parts: optional, words: broken.without, replacement: '' }
  return { parts: conditions, words: broken.condition, replacement: String(broken.becomes) }
}

/** Whether a text has a word, and not only as part of a longer one. */
function mentions(text: string, word: string): boolean {
  const pattern = word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`(?<![\\w$])${pattern}(?![\\w$])`).test(text)
}

const contains = (outer: Span, inner: Span): boolean =>
  outer.start <= inner.start && inner.end <= outer.end

const isWithin = (inner: Span, outer: Span): boolean =>
  contains(outer, inner) && !contains(inner, outer)

const outermost = <T extends Span>(spans: readonly T[]): T[] =>
  spans.filter((span) => !spans.some((other) => isWithin(span, other)))

/** A part that was found in two ways counts once. */
function smallest(parts: readonly Part[]): Part[] {
  const different = new Map(parts.map((part) => [`${part.start}-${part.end}`, part]))
  const all = [...different.values()]
  return all.filter((part) => !all.some((other) => isWithin(other, part)))
}

function only<T>(found: readonly T[], what: string): T {
  const [first] = found
  if (first === undefined || found.length > 1) throw new Error(`${found.length} times ${what}`)
  return first
}

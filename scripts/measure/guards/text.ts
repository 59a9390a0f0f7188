/** Finds what a guard may break in SQL and Solidity, by the words and signs that divide conditions. */

/** What guards may name in a file. */
export type Span = { start: number; end: number }

/** A part, and the text that replaces it if that does not follow from the guard. */
export type Part = Span & { text?: string }

export type Code = {
  functions: (Span & { name: string })[]
  conditions: Part[]
  calls?: Part[]
  optional?: Part[]
}

const dividers =
  /\b(?:WHERE|AND|OR|ON|WHEN|THEN|ELSE|END|HAVING|SELECT|FROM|JOIN|LEFT|CROSS|SET|ORDER|GROUP|LIMIT|RETURNING|UNION|return)\b|&&|\|\||[;,{}?:()]/g

/** A condition follows, or precedes. */
const before = /^(WHERE|AND|OR|ON|WHEN|HAVING|return|&&|\|\|)$/
const after = /^(AND|OR|&&|\|\|)$/

/** The first part of a text or of parentheses is a condition if it has one of these, */
const operators = /[<>=]|\b(IS|IN|LIKE|NOT|EXISTS)\b/

/** or if one of these precedes the parentheses. */
const tests = /\b(CHECK|if|while|require)\s*$/

/** Nothing in a comment or string divides. */
const hideStrings = (text: string): string =>
  text.replace(/\/\/.*|\/\*[\s\S]*?\*\/|'[^']*'|"[^"]*"/g, (hidden) =>
    (hidden.startsWith('/') ? ' ' : 'x').repeat(hidden.length),
  )

/** Returns the conditions between two places. `isTest`: what is there is one, unless it is divided. */
export function findConditions(
  source: string,
  { start, end }: Span = { start: 0, end: source.length },
  isTest = false,
): Span[] {
  const found: Span[] = []
  const text = hideStrings(source.slice(start, end))
  let begin = 0
  let divider: string | null = null
  const endPart = (index: number, next: string) => {
    const part = text.slice(begin, index)
    const isFirst = divider === null && (isTest || operators.test(part))
    if (part.trim() && (isFirst || before.test(divider ?? '') || after.test(next))) {
      const from = start + begin
      found.push({ start: from + part.search(/\S/), end: from + part.trimEnd().length })
    }
    begin = index + next.length
    divider = next
  }
  let depth = 0
  let opened = 0
  for (const { 0: token, index } of text.matchAll(dividers)) {
    if (token === '(') {
      if (depth === 0) opened = index
      depth += 1
    } else if (token === ')') {
      depth -= 1
      const inner = { start: start + opened + 1, end: start + index }
      if (depth === 0)
        found.push(...findConditions(source, inner, tests.test(text.slice(begin, opened))))
    } else if (depth === 0) endPart(index, token)
  }
  endPart(text.length, '')
  return found
}

const spanOf = ({ 0: text, 1: name = '', index }: RegExpExecArray) => ({
  name,
  start: index,
  end: index + text.length,
})

/** A table of a migration has its checks. */
export function readMigration(source: string): Code {
  const tables = source.matchAll(/CREATE TABLE `(\w+)`[\s\S]*?(?=--> statement-breakpoint|$)/g)
  return { functions: [...tables].map(spanOf), conditions: findConditions(source) }
}

/** What can be left out is a statement or a modifier. */
export function readSolidity(source: string): Code {
  const shown = hideStrings(source)
  const functions = [...shown.matchAll(/\bfunction (\w+)[^{;]*\{[\s\S]*?\n {4}\}/g)].map(spanOf)
  const conditions = functions.flatMap((span) => findConditions(source, span))
  const optional = functions.flatMap(({ start, end }) => {
    const body = shown.indexOf('{', start)
    const modifiers = shown.slice(start, body).matchAll(/\b\w+/g)
    const statements = shown.slice(body, end).matchAll(/[^\s;{}][^;{}]*;/g)
    const move = ({ 0: text, index }: RegExpExecArray, by: number) => ({
      start: by + index,
      end: by + index + text.length,
      text: '',
    })
    return [
      ...[...modifiers].map((match) => move(match, start)),
      ...[...statements].map((match) => move(match, body)),
    ]
  })
  return { functions, conditions, optional }
}

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

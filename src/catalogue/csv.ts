/**
 * Reads a catalogue from a spreadsheet: a row is a record, and the first row has the names of the fields. Each
 * record becomes a line of JSON at the number of its line in the file, so all that is said of lines holds.
 */
import Papa from 'papaparse'
import type { $ZodType, $ZodTypes } from 'zod/v4/core'
import { fromCell } from '../http/spreadsheet.ts'
import { parseExactly } from './json.ts'
import type { LineProblem } from './line.ts'
import { recordFields } from './record.ts'

/** Whether the file of this name is read as a spreadsheet. Excel gives `.txt` to its UTF-16. */
export const isSpreadsheet = (file: string): boolean => /\.(csv|tsv|txt)$/i.test(file)

/** Returns the text of a file in UTF-8, or in UTF-16 with a BOM; null if it is in neither. */
export function decodeSpreadsheet(bytes: Uint8Array): string | null {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe
      ? 'utf-16le'
      : first === 0xfe && second === 0xff
        ? 'utf-16be'
        : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return null
  }
}

type Kind = 'text' | 'number' | 'flag' | 'json'

/** What the cells of a field have. */
function kindOf(schema: $ZodType): Kind {
  const { def } = (schema as $ZodTypes)._zod
  if ('innerType' in def) return kindOf(def.innerType)
  if (def.type === 'pipe') return kindOf(def.in)
  if (def.type === 'number') return 'number'
  if (def.type === 'boolean') return 'flag'
  return ['string', 'enum', 'literal'].includes(def.type) ? 'text' : 'json'
}

/** The values of these objects, as in `metadata.name`, are text. Those of these names are JSON. */
const jsonParts = ['metadata.attributes', 'content.files']

/** Returns what the cells of a column have; undefined if no record has such a field. */
function kindOfColumn(name: string): Kind | undefined {
  const [field = '', ...part] = name.split('.')
  if (!Object.hasOwn(recordFields, field)) return undefined
  const kind = kindOf(recordFields[field as keyof typeof recordFields])
  if (part.length === 0) return kind
  if (kind !== 'json') return undefined
  return jsonParts.includes(name) ? 'json' : 'text'
}

const allDigits = {
  pattern: /^\d+$/,
  message:
    'must be all digits of the number: spreadsheets shorten long ones, unless the column is formatted as text',
}

/** What spreadsheets change, or people write in another way. */
const spellings: Readonly<Record<string, { pattern: RegExp; message: string }>> = {
  tokenId: allDigits,
  priceWei: allDigits,
  priceCents: {
    pattern: /^\d{1,15}$/,
    message: 'must be a whole number, in minor units of the currency: 2500 means 25.00 EUR',
  },
  priceEths: {
    pattern: /^\d+(\.\d+)?$/,
    message: 'must be a number with a dot and without an exponent: 0.05',
  },
  fee: { pattern: /^\d+(\.\d+)?$/, message: 'must be a number of per cent with a dot: 2.5' },
}

type Cell = { value: unknown; problem?: string }

/** Returns the value of a cell. One with a problem keeps its text. */
function parseCell(name: string, kind: Kind, cell: string): Cell {
  const refused = (problem: string) => ({ value: cell, problem })
  const spelling = spellings[name]
  if (spelling && !spelling.pattern.test(cell)) return refused(spelling.message)
  switch (kind) {
    case 'text':
      return { value: cell }
    case 'number':
      return /^\d{1,15}$/.test(cell) ? { value: Number(cell) } : refused('must be a whole number')
    case 'flag':
      if (!/^(true|false)$/i.test(cell)) return refused('must be TRUE or FALSE')
      return { value: cell.toLowerCase() === 'true' }
    case 'json':
      try {
        return { value: parseExactly(cell) }
      } catch {
        return refused('must be JSON')
      }
  }
}

/** Separators, of which the names of fields have none. */
const separators = [';', '\t', ',']

/** A line of JSON and blank ones: as many as the lines of the row. */
const padded = (json: string, row: readonly string[]): string[] => [
  json,
  ...row.flatMap((cell) => cell.split('\n').slice(1).fill('')),
]

type Sheet = {
  /** A record as JSON, or a blank line. */
  lines: string[]
  /** What is wrong with names and cells. The paths are the names of columns. */
  problems: LineProblem[]
}

/** Returns the records of a spreadsheet as lines of JSON, each at the number of its line. */
export function parseSpreadsheet(text: string): Sheet {
  // Lines of cells may end in another way than rows.
  const csv = text.replaceAll(/\r\n?/g, '\n')
  const [head = ''] = csv.split('\n', 1)
  const delimiter = separators.find((separator) => head.includes(separator)) ?? ','
  const { data, errors } = Papa.parse<string[]>(csv, { delimiter, newline: '\n' })
  const [first = [], ...rows] = data
  const names = first.map((name) => name.trim())
  const lines = padded('', first)
  const problems = findNameProblems(names)
  const kinds = names.map(kindOfColumn)
  for (const [i, row] of rows.entries()) {
    const line = lines.length + 1
    const report = (path: string, message: string) =>
      problems.push({ line, path, code: 'invalid_input', message })
    if (errors.some((error) => error.row === i + 1))
      report('', 'has a quote that is not closed, or one inside a cell that is not written twice')
    let record: Record<string, unknown> = {}
    for (const [column, text] of row.entries()) {
      const cell = text.trim()
      const [name = '', kind] = [names[column], kinds[column]]
      if (cell === '') continue
      if (name === '') report('', 'has a value in a column without a name')
      if (!kind) continue
      const { value, problem } = parseCell(name, kind, fromCell(kind === 'text' ? text : cell))
      if (problem) report(name, problem)
      record = withField(record, name, value)
    }
    const isBlank = Object.keys(record).length === 0
    lines.push(...padded(isBlank ? '' : JSON.stringify(record), row))
  }
  return { lines, problems }
}

/** `metadata.name` is a field of the object `metadata`. */
function withField(record: Record<string, unknown>, name: string, value: unknown) {
  const [field = '', ...part] = name.split('.')
  if (part.length === 0) return { ...record, [field]: value }
  return { ...record, [field]: { ...Object(record[field]), [part.join('.')]: value } }
}

/** Returns what is wrong with the names of the columns. */
function findNameProblems(names: readonly string[]): LineProblem[] {
  const report = (path: string, message: string): LineProblem => ({
    ...{ line: 1, path, message },
    code: 'unknown_field',
  })
  return names.flatMap((name, i) => {
    if (name === '') return []
    if (!kindOfColumn(name)) return report(name, 'is no field of a user, an NFT or a listing')
    if (names.indexOf(name) !== i) return report(name, 'is the name of two columns')
    const part = names.find((other) => other.startsWith(`${name}.`))
    return part ? report(name, `has a column for one of its parts, ${part}`) : []
  })
}

/** Joins the problems of cells with those of the records, which have some because of them. */
export function joinProblems(
  cells: readonly LineProblem[],
  records: readonly LineProblem[],
): LineProblem[] {
  const place = ({ line, path }: LineProblem) => `${line} ${path}`
  const known = new Set(cells.map(place))
  return [...cells, ...records.filter((problem) => !known.has(place(problem)))].sort(
    (a, b) => a.line - b.line,
  )
}

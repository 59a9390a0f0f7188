/**
 * Puts the statements of `wrangler d1 export` into an order in which D1 takes them back. The export
 * has rows before the tables that they refer to, triggers before their views, and rows as one
 * statement that is longer than D1 accepts.
 */
import { createReadStream } from 'node:fs'
import { CommandError } from '../../shell/command.ts'

/** Bytes of a statement that D1 accepts, less some: https://developers.cloudflare.com/d1/platform/limits */
const MAX_STATEMENT = 90_000
/** Characters of a piece of a longer value: at most 40,000 bytes. */
const MAX_PIECE = 10_000
const CHUNK = 256 * 1024

type Statement = { text: string; start: number; end: number }

/**
 * Yields the statements of a text, each with the end of its line and its place. In Latin-1, as which
 * the text must be decoded, a character is a byte.
 */
export async function* readStatements(chunks: AsyncIterable<string>): AsyncGenerator<Statement> {
  let [rest, text, start] = ['', '', 0]
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      text += `${line}\n`
      if (!isComplete(text)) continue
      yield { text, start, end: start + text.length }
      start += text.length
      text = ''
    }
  }
  text += rest
  if (!text) return
  if (!isComplete(text)) throw new CommandError('The database was not exported to its end.')
  yield { text: `${text}\n`, start, end: start + text.length }
}

/** Semicolons are also in texts and in triggers, and the ends of lines in definitions. */
function isComplete(text: string): boolean {
  if (!text.trimEnd().endsWith(text.startsWith('CREATE TRIGGER') ? 'END;' : ';')) return false
  let quotes = 0
  for (let i = text.indexOf("'"); i >= 0; i = text.indexOf("'", i + 1)) quotes++
  return quotes % 2 === 0
}

type Table = { definition: string; references: string[]; rows: { start: number; end: number }[] }

/** Yields the sorted statements of a dump, in chunks. Throws a `CommandError`. */
export async function* sortDump(file: string): AsyncGenerator<Buffer> {
  const tables = new Map<string, Table>()
  const later: Record<string, string> = { INDEX: '', VIEW: '', TRIGGER: '' }
  for await (const { text, start, end } of readStatements(read(file))) {
    const [, kind = '', name = ''] =
      /^(CREATE TABLE|CREATE (?:UNIQUE )?INDEX|CREATE VIEW|CREATE TRIGGER|INSERT INTO|DELETE FROM)(?: IF NOT EXISTS)? ["'`]?(\w+)/.exec(
        text,
      ) ?? []
    if (kind === 'CREATE TABLE') tables.set(name, { ...describe(text), rows: [] })
    else if (kind.startsWith('CREATE')) later[kind.split(' ').at(-1) ?? ''] += text
    // SQLite makes its statistics again.
    else if (/^(PRAGMA|ANALYZE)/.test(text) || name.startsWith('sqlite_stat')) continue
    else if (kind) {
      // The ids that were used last have no definition.
      const table: Table = tables.get(name) ?? { definition: '', references: [], rows: [] }
      tables.set(name, table)
      const last = table.rows.at(-1)
      if (last?.end === start) last.end = end
      else table.rows.push({ start, end })
    } else throw new CommandError(`The export has an unknown statement: ${text.slice(0, 100)}`)
  }
  if (tables.size === 0) throw new CommandError('The database is empty.')
  const { INDEX, VIEW, TRIGGER } = later
  const sorted = sortTables(tables)
  const definitions = sorted.map(({ definition }) => definition).join('')
  yield Buffer.from(`PRAGMA defer_foreign_keys = true;\n${definitions}${PIECES}`, 'latin1')
  for (const { start, end } of sorted.flatMap(({ rows }) => rows)) yield* readRows(file, start, end)
  yield Buffer.from(`DROP TABLE backupPieces;\n${INDEX}${VIEW}${TRIGGER}`, 'latin1')
}

const read = (file: string, start = 0, end = Number.POSITIVE_INFINITY): AsyncIterable<string> =>
  createReadStream(file, { encoding: 'latin1', highWaterMark: CHUNK, start, end: end - 1 })

const describe = (definition: string) => ({
  definition,
  references: [...definition.matchAll(/REFERENCES ["`](\w+)/g)].flatMap(([, name]) => name ?? []),
})

/** Those that others refer to first. */
function sortTables(tables: Map<string, Table>): Table[] {
  const sorted = new Set<Table>()
  const visited = new Set<string>()
  const visit = (name: string) => {
    const table = tables.get(name)
    if (!table || visited.has(name)) return
    visited.add(name)
    table.references.forEach(visit)
    sorted.add(table)
  }
  for (const name of tables.keys()) visit(name)
  return [...sorted]
}

/** Joins inserts into the same columns: workerd imports them 20 times as fast. */
async function* readRows(file: string, start: number, end: number): AsyncGenerator<Buffer> {
  let [columns, rows] = ['', '']
  for await (const { text } of readStatements(read(file, start, end))) {
    const [into = ''] = /^INSERT INTO .*? VALUES/.exec(text) ?? []
    const isJoined = into && into === columns && rows.length + text.length < MAX_STATEMENT
    if (isJoined) rows += `,${text.slice(into.length, -2)}`
    else {
      if (rows) yield Buffer.from(`${rows};\n`, 'latin1')
      columns = into
      rows = (text.length > MAX_STATEMENT ? splitValues(text) : text).slice(0, -2)
    }
  }
  yield Buffer.from(`${rows};\n`, 'latin1')
}

const PIECES = 'CREATE TABLE backupPieces (id INTEGER PRIMARY KEY, piece TEXT NOT NULL);\n'

/** Inserts pieces of the long values first, and the row with what they make together. */
function splitValues(statement: string): string {
  const pieces: string[] = []
  const row = Buffer.from(statement, 'latin1')
    .toString()
    .replaceAll(/'([^']*(?:''[^']*)*)'/g, (literal, value: string) => {
      if (value.length < MAX_PIECE) return literal
      const from = pieces.length
      for (const [piece] of value.replaceAll("''", "'").matchAll(/.{1,10000}/gsu))
        pieces.push(`(${pieces.length},'${piece.replaceAll("'", "''")}')`)
      return `(SELECT group_concat(piece, '' ORDER BY id) FROM backupPieces WHERE id >= ${from} AND id < ${pieces.length})`
    })
  const inserts = pieces.map((piece) => `INSERT INTO backupPieces VALUES ${piece};\n`).join('')
  return Buffer.from(`${inserts}${row}DELETE FROM backupPieces;\n`).toString('latin1')
}

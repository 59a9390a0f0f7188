/**
 * What was read of a collection so far: a SQLite file beside the output. Whatever was stored is not
 * read again, however the command ended.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import * as z from 'zod'
import { CommandError } from '../../shell/command.ts'

/** A token, by its id as 64 hexadecimal digits: their order is that of the numbers. */
export type TokenKey = string

export const keyOf = (id: bigint): TokenKey => id.toString(16).padStart(64, '0')
export const idOf = (key: TokenKey): bigint => BigInt(`0x${key}`)

const progressSchema = z.object({
  /** Chain id and contract. */
  collection: z.string(),
  /** The final block of the last run. Its hash tells one history of a chain from another. */
  final: z.object({ block: z.number(), hash: z.string() }).optional(),
  /** The last block whose events are in the tokens. */
  readTo: z.number().optional(),
  /** While the contract lists its tokens: at which block, how many, and the next one to read. */
  listing: z.object({ block: z.number(), count: z.number(), next: z.number() }).nullish(),
  /** SHA-256 of what was written to the output: the last version and the one before. */
  written: z.array(z.string()),
})
export type Progress = z.infer<typeof progressSchema>

export type StoredToken = { key: TokenKey; supply: bigint; metadata: string }

const tokenRow = z
  .object({ key: z.string(), supply: z.string(), metadata: z.string() })
  .transform(({ supply, ...row }): StoredToken => ({ ...row, supply: BigInt(supply) }))
const keyRow = z.object({ key: z.string() })
const valueRow = z.object({ value: z.union([z.string(), z.number()]) })

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS progress (id INTEGER PRIMARY KEY CHECK (id = 1), value TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS tokens (
    key TEXT PRIMARY KEY,
    supply TEXT NOT NULL,
    metadata TEXT
  ) WITHOUT ROWID`

/** SQLITE_BUSY: https://www.sqlite.org/rescode.html#busy */
const BUSY = 5

export class CollectionState {
  progress: Progress
  readonly #db: DatabaseSync

  /** Throws a `CommandError` if the file belongs to another collection, or is in use. */
  constructor(path: string, collection: string) {
    this.#db = new DatabaseSync(path)
    try {
      this.#db.exec(`PRAGMA locking_mode = EXCLUSIVE; ${SCHEMA}`)
      const row = this.#rows(valueRow, 'SELECT value FROM progress')[0]
      this.progress = row
        ? progressSchema.parse(JSON.parse(String(row.value)))
        : { collection, written: [] }
    } catch (error) {
      this.#db.close()
      throw explain(error, path)
    }
    if (this.progress.collection === collection) return
    this.#db.close()
    throw new CommandError(`${path} belongs to another collection. Choose another file.`)
  }

  close(): void {
    this.#db.close()
  }

  /** Runs changes in one transaction. */
  change(work: () => void): void {
    this.#db.exec('BEGIN')
    try {
      work()
      this.#db.exec('COMMIT')
    } catch (error) {
      this.#db.exec('ROLLBACK')
      throw error
    }
  }

  save(changes: Partial<Progress>): void {
    this.progress = { ...this.progress, ...changes }
    const value = JSON.stringify(this.progress)
    this.#run('INSERT OR REPLACE INTO progress (id, value) VALUES (1, ?)', value)
  }

  /** Sets the supply of a token. 0: it does not exist any more. */
  setSupply(key: TokenKey, supply: bigint): void {
    this.#run(
      'INSERT INTO tokens (key, supply) VALUES (?, ?) ON CONFLICT DO UPDATE SET supply = excluded.supply',
      key,
      String(supply),
    )
  }

  supplyOf(key: TokenKey): bigint {
    const row = this.#rows(valueRow, 'SELECT supply AS value FROM tokens WHERE key = ?', key)[0]
    return BigInt(row?.value ?? 0)
  }

  removeTokens(): void {
    this.#run('DELETE FROM tokens')
  }

  countTokens(): number {
    return this.#count(`supply <> '0'`)
  }

  countMissingMetadata(): number {
    return this.#count(`supply <> '0' AND metadata IS NULL`)
  }

  /** Returns the next tokens without metadata, in order. */
  missingMetadata(after: TokenKey, limit: number): TokenKey[] {
    return this.#rows(
      keyRow,
      `SELECT key FROM tokens WHERE supply <> '0' AND metadata IS NULL AND key > ?
       ORDER BY key LIMIT ?`,
      after,
      limit,
    ).map(({ key }) => key)
  }

  saveMetadata(key: TokenKey, metadata: string): void {
    this.#run('UPDATE tokens SET metadata = ? WHERE key = ?', metadata, key)
  }

  /** Yields the tokens that exist and have metadata, in order. */
  *tokens(): Generator<StoredToken> {
    const rows = this.#db.prepare(
      `SELECT key, supply, metadata FROM tokens
       WHERE supply <> '0' AND metadata IS NOT NULL ORDER BY key`,
    )
    for (const row of rows.iterate()) yield tokenRow.parse(row)
  }

  #count(condition: string): number {
    const row = this.#rows(valueRow, `SELECT count(*) AS value FROM tokens WHERE ${condition}`)[0]
    return Number(row?.value)
  }

  #rows<T>(shape: z.ZodType<T>, sql: string, ...values: SQLInputValue[]): T[] {
    return this.#statement(sql)
      .all(...values)
      .map((row) => shape.parse(row))
  }

  #run(sql: string, ...values: SQLInputValue[]): void {
    this.#statement(sql).run(...values)
  }

  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()

  #statement(sql: string) {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql)
    this.#statements.set(sql, known)
    return known
  }
}

function explain(error: unknown, path: string): unknown {
  if (!(error instanceof Error)) return error
  if ('errcode' in error && error.errcode === BUSY)
    return new CommandError(`Another command reads this collection already (${path} is in use).`)
  return new CommandError(`${path} cannot be read: ${error.message}. Choose another file.`)
}

/** A D1 with a replica that has the state of its last `sync`, as one that lags. */
import { env } from 'cloudflare:workers'

/**
 * Which copy answered, and the mark at which its session began. `any`: a session that begins at the
 * primary may read from a replica later.
 */
type Answer = { copy: 'primary' | 'replica' | 'any'; from: string }

const isWrite = (sql: string) => /^\s*(INSERT|UPDATE|DELETE|REPLACE)\b/i.test(sql)

/** Statements keep the real ones of both databases. */
class Copied {
  readonly sql: string
  readonly primary: D1PreparedStatement
  readonly replica: D1PreparedStatement
  readonly nearest: boolean

  constructor(
    sql: string,
    primary: D1PreparedStatement,
    replica: D1PreparedStatement,
    nearest = false,
  ) {
    this.sql = sql
    this.primary = primary
    this.replica = replica
    this.nearest = nearest
  }

  bind(...values: unknown[]) {
    return new Copied(
      this.sql,
      this.primary.bind(...values),
      this.replica.bind(...values),
      this.nearest,
    )
  }

  /** A statement that runs alone, outside of a batch. */
  get alone() {
    return this.nearest && !isWrite(this.sql) ? this.replica : this.primary
  }
  raw = () => this.alone.raw()
  all = () => this.alone.all()
  run = () => this.alone.run()
}

/** Copies the primary to the replica, which has no triggers and no foreign keys. */
async function sync(): Promise<void> {
  const { results: tables } = await env.DB.prepare(
    `SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'
       AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name <> 'd1_migrations'`,
  ).all<{ name: string; sql: string }>()
  const { results: indexes } = await env.DB.prepare(
    "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL",
  ).all<{ sql: string }>()
  const columns = await env.DB.batch<{ name: string }>(
    tables.map(({ name }) =>
      env.DB.prepare(`SELECT name FROM pragma_table_xinfo('${name}') WHERE hidden = 0`),
    ),
  )
  const named = tables.map(({ name, sql }, i) => {
    const names = columns[i]?.results.map((column) => column.name) ?? []
    return { name, sql, names, list: names.map((column) => `"${column}"`).join() }
  })
  const rows = await env.DB.batch<Record<string, unknown>>(
    named.map(({ name, list }) => env.DB.prepare(`SELECT ${list} FROM "${name}"`)),
  )
  const run = (query: string, ...values: unknown[]) => env.REPLICA.prepare(query).bind(...values)
  await env.REPLICA.batch([
    ...named.flatMap(({ name, sql, names, list }, i) => [
      run(`DROP TABLE IF EXISTS "${name}"`),
      run(sql.replaceAll(/,\s*FOREIGN KEY \([^)]*\) REFERENCES [^,\n]*/g, '')),
      ...(rows[i]?.results ?? []).map((row) =>
        run(
          `INSERT INTO "${name}" (${list}) VALUES (${names.map(() => '?')})`,
          ...names.map((column) => row[column]),
        ),
      ),
    ]),
    ...indexes.map(({ sql }) => run(sql)),
  ])
}

/** Returns a database for the Worker, and the copies that have answered since. */
export async function aLaggingReplica() {
  const answers: Answer[] = []
  await sync()
  const withSession = (from: string) => {
    const primary = env.DB.withSession('first-primary')
    const isNearest = from !== 'first-primary'
    let hasBegun = false
    return {
      prepare: (sql: string) =>
        new Copied(sql, primary.prepare(sql), env.REPLICA.prepare(sql), isNearest),
      async batch(statements: Copied[]) {
        const isRead = !statements.some(({ sql }) => isWrite(sql))
        const isReplica = isNearest && isRead
        const copy = isReplica ? 'replica' : isRead && hasBegun ? 'any' : 'primary'
        answers.push({ copy, from })
        hasBegun = true
        if (!isReplica) return primary.batch(statements.map((statement) => statement.primary))
        const results = await env.REPLICA.batch(statements.map(({ replica }) => replica))
        return results.map((result) => ({
          ...result,
          meta: { ...result.meta, served_by_primary: false },
        }))
      },
      getBookmark: () => primary.getBookmark() ?? '0-0-0-0',
    }
  }
  const database = {
    prepare: (sql: string) => env.DB.prepare(sql),
    batch: (statements: D1PreparedStatement[]) => env.DB.batch(statements),
    withSession,
  } as unknown as D1Database
  return { database, answers, copies: () => answers.splice(0).map(({ copy }) => copy) }
}

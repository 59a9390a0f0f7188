/**
 * Takes the place of wrangler's command line in a project of `anAccountProject`: as a process, or in that
 * of a test (`child.ts`). It records every command, and answers from a Cloudflare account in
 * `account.json`, in the words of wrangler 4.156.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { backup, DatabaseSync } from 'node:sqlite'
import type { Account, Upload } from './account.ts'

/** What a command prints. */
type Answer = string

type Command = ReturnType<typeof parse>

const parse = (args: readonly string[]) => ({
  args,
  line: args.join(' '),
  optionOf: (name: string) => args[args.indexOf(name) + 1] ?? '',
})

/** Answers a command in the working directory. `isKilled`: who has run it is to be killed then. */
export async function answer(args: readonly string[]) {
  const account: Account = JSON.parse(readFileSync('account.json', 'utf8'))
  const { failure } = account
  const command = parse(args)
  const isFailing = failure !== undefined && command.line.startsWith(failure.command)
  account.commands.push(command.line)
  const printed = { out: '', errors: '', code: 0 }
  try {
    if (isFailing && failure.how === 'refuse') throw new Error(apiError('try again', 10001))
    printed.out = `${await run(account, command)}\n`
  } catch (error) {
    printed.errors = `\x1b[31m✘ [ERROR] ${Object(error).message}\x1b[0m\n`
    printed.code = 1
  }
  writeFileSync('account.json', JSON.stringify(account, null, 2))
  return { ...printed, isKilled: isFailing && failure.how === 'kill' }
}

/** Answers the command of this process. A dry run is left to wrangler itself. */
export async function main(): Promise<void> {
  const args = process.argv.slice(2)
  if (args.includes('--dry-run')) {
    const path = createRequire(import.meta.url).resolve('wrangler')
    const options = { stdio: 'inherit' } as const
    process.exitCode =
      spawnSync(process.execPath, ['--no-warnings', path, ...args], options).status ?? 1
    return
  }
  const { out, errors, code, isKilled } = await answer(args)
  process.stdout.write(out)
  process.stderr.write(errors)
  process.exitCode = code
  if (isKilled) process.kill(process.ppid, 'SIGKILL')
}

const apiError = (reason: string, code: number) =>
  `A request to the Cloudflare API failed.\n\n  ${reason} [code: ${code}]`

const idOf = (name: string) => {
  const hash = createHash('sha256').update(name).digest('hex')
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}

/** The part of wrangler.toml that is of an environment. */
const sectionsOf = (environment: string) =>
  [...`${readFileSync('wrangler.toml', 'utf8')}\n[`.matchAll(/^\[+([\w.]+)\]+\n([^[]*)/gm)]
    .filter(([, name]) => name === environment || name?.startsWith(`${environment}.`))
    .map(([text]) => text)
    .join('\n')

async function run(account: Account, command: Command): Promise<Answer> {
  const { args, line, optionOf } = command
  const [name = ''] = args.slice(-1)
  const environment = sectionsOf(`env.${optionOf('--env')}`)
  const worker = /^name = "(.*)"$/m.exec(environment)?.[1] ?? ''
  const existing = account.workers[worker]

  if (line === 'whoami --json') {
    if (!account.login) throw new Error('{"loggedIn":false}')
    return JSON.stringify({ loggedIn: true, authType: 'OAuth Token', ...account.login })
  }
  if (!account.login) throw new Error('You are not logged in.')
  if (line === 'd1 list --json') return JSON.stringify(account.databases)
  if (line.startsWith('d1 create ')) {
    account.databases.push({ uuid: idOf(name), name })
    return `✅ Successfully created DB '${name}'`
  }
  if (line.startsWith('d1 time-travel restore ')) {
    // The test has saved it there. SQLite copies it into the file that others have open.
    await backup(new DatabaseSync('snapshot.sqlite'), realpathSync('remote.sqlite'))
    return '⚡️ Time travel restored the database to the bookmark bookmark-1'
  }
  if (line.startsWith('d1 info ')) {
    const database = account.databases.find((database) => database.name === args[2])
    if (!database) throw new Error(`Couldn't find DB with name '${args[2]}'`)
    if (!args.includes('--json')) return '│ database_size │ 1 MB │'
    const { uuid, replication: mode = 'disabled' } = database
    return JSON.stringify({ uuid, read_replication: { mode } })
  }
  if (line.startsWith('d1 ')) {
    const known = account.databases.some(({ uuid }) => environment.includes(uuid))
    if (!known) throw new Error(apiError('The database could not be found', 7404))
    return runDatabase(command)
  }
  if (line.startsWith('r2 ') && account.lacks?.includes('r2'))
    throw new Error(apiError('Please enable R2 through the Cloudflare Dashboard.', 10042))
  const place = args.includes('--jurisdiction') ? ` (${optionOf('--jurisdiction')})` : ''
  if (line.startsWith('r2 bucket create ')) {
    account.buckets[`${args[3]}${place}`] = []
    return `✅ Created bucket '${args[3]}' with default storage class of Standard.`
  }
  if (line.startsWith('r2 bucket lifecycle list ')) {
    const rules = account.buckets[`${args[4]}${place}`]
    if (!rules) throw new Error(apiError('The specified bucket does not exist.', 10006))
    if (rules.length === 0) return `There are no lifecycle rules for bucket '${args[4]}'.`
    return rules
      .map((rule) => `name:    ${rule}\naction:  Abort incomplete multipart uploads after 7 days`)
      .join('\n\n')
  }
  if (line.startsWith('r2 bucket lifecycle add ')) {
    account.buckets[`${args[4]}${place}`]?.push(args[5] ?? '')
    return `✨ Added lifecycle rule '${args[5]}' to bucket '${args[4]}'.`
  }
  if (line.startsWith('r2 object ')) return moveObject(command)
  if (line.startsWith('queues create ')) {
    account.queues[name] = []
    return `✅ Created queue '${name}'`
  }
  if (line.startsWith('queues resume-delivery '))
    return `Resumed message delivery for queue ${name}`
  if (line.startsWith('queues info ')) {
    const consumers = account.queues[name]
    if (!consumers)
      throw new Error(
        `Queue "${name}" does not exist. To create it, run: wrangler queues create ${name}`,
      )
    const list = consumers.map((consumer) => ` worker:${consumer}`).toString()
    return `Queue Name: ${name}\nNumber of Consumers: ${consumers.length}${list ? `\nConsumers: ${list.trim()}` : ''}`
  }
  if (line.startsWith('r2 bucket info ')) return `name: ${name}`
  if (line.startsWith('secret put ')) {
    if (!existing) throw new Error(`Worker "${worker}" (env: ${optionOf('--env')}) not found.`)
    const [, , secret = ''] = args
    existing.secrets = [...new Set([...existing.secrets, secret])]
    account.values = { ...account.values, [secret]: readFileSync(0, 'utf8').trim() }
    return `✨ Success! Uploaded secret ${secret}`
  }
  if (line.startsWith('deployments list '))
    return (existing?.versions ?? []).map((version) => `Version(s):  (100%) ${version}`).join('\n')
  if (line.startsWith('rollback ')) {
    const version = args[1] ?? ''
    if (!existing?.versions.includes(version))
      throw new Error(`The version ${version} does not exist.`)
    existing.versions.push(version)
    return `SUCCESS  Worker Version ${version} has been deployed to 100% of traffic.`
  }
  if (line.startsWith('secret list ')) {
    if (!existing) throw new Error(`Worker "${worker}" (env: ${optionOf('--env')}) not found.`)
    const secrets = existing.secrets.map((secret) => ({ name: secret, type: 'secret_text' }))
    return JSON.stringify(secrets, null, 2)
  }
  if (line.startsWith('deployments status ')) {
    const version = existing?.versions.at(-1)
    if (!version) throw new Error(apiError('This Worker does not exist on your account.', 10007))
    return JSON.stringify({ versions: [{ version_id: version, percentage: 100 }] })
  }
  if (line.startsWith('deploy ')) return deploy(account, command, worker, environment)
  if (line.startsWith('triggers deploy ')) return publish(account, worker, environment)
  if (line.startsWith('email sending list '))
    return account.senders.includes(name)
      ? `┌──────┬─────────┬─────┐\n│ name │ enabled │ tag │\n├──────┼─────────┼─────┤\n│ ${name} │ yes │ t │\n└──────┴─────────┴─────┘`
      : 'No sending subdomains found for this domain.'
  throw new Error(`Unknown command: ${line}`)
}

function deploy(
  account: Account,
  { args, optionOf }: Command,
  worker: string,
  environment: string,
): Answer {
  if (account.lacks?.includes('subdomain'))
    throw new Error(
      apiError(
        'You need a workers.dev subdomain in order to proceed. Please go to the dashboard.',
        10063,
      ),
    )
  const existing = account.workers[worker] ?? { secrets: [], versions: [] }
  const file = args.includes('--secrets-file') ? optionOf('--secrets-file') : undefined
  const upload: Upload | undefined = file
    ? {
        file,
        mode: (statSync(file).mode & 0o777).toString(8),
        secrets: JSON.parse(readFileSync(file, 'utf8')),
      }
    : undefined
  if (upload) account.uploads.push(upload)
  const secrets = [...new Set([...existing.secrets, ...Object.keys(upload?.secrets ?? {})])]
  const versions = [...existing.versions, idOf(`version ${existing.versions.length}`)]
  account.workers[worker] = { secrets, versions }
  return publish(account, worker, environment)
}

/** Fails after the upload if the account lacks the zone. */
function publish(account: Account, worker: string, environment: string): Answer {
  const [, host] = /PUBLIC_URL = "https:\/\/(.*)"/.exec(environment) ?? []
  if (account.lacks?.includes('zone'))
    throw new Error(
      `Could not find zone for \`${host}\`. Make sure the domain is set up to be proxied by Cloudflare.`,
    )
  for (const [, queue = ''] of environment.matchAll(/\.consumers\]+\nqueue = "(.*)"/g))
    account.queues[queue] = [worker]
  return `Uploaded ${worker}`
}

/** Objects are files in the folder. */
function moveObject({ args: [, , action, object = ''], optionOf }: Command): Answer {
  const stored = `r2 ${object.replace('/', ' ')}`
  if (action === 'put') copyFileSync(optionOf('--file'), stored)
  else if (action === 'delete') rmSync(stored, { force: true })
  else if (!existsSync(stored)) throw new Error('The specified key does not exist.')
  else copyFileSync(stored, optionOf('--file'))
  return 'Done.'
}

/** In the order of D1: rows after their table, in which others may be missing, and views last. */
function* dump(database: DatabaseSync) {
  const select = (sql: string) => database.prepare(sql).all() as Record<string, string>[]
  yield 'PRAGMA defer_foreign_keys=TRUE;'
  const tables = "SELECT name, sql FROM sqlite_schema WHERE type = 'table'"
  for (const { name, sql } of select(`${tables} ORDER BY name = 'sqlite_sequence', rowid`)) {
    yield name === 'sqlite_sequence' ? 'DELETE FROM sqlite_sequence;' : `${sql};`
    const columns = select(`PRAGMA table_info("${name}")`).map((column) => `"${column.name}"`)
    const values = columns.map((column) => `quote(${column})`).join(" || ',' || ")
    for (const { row } of select(`SELECT ${values} AS row FROM "${name}"`))
      yield `INSERT INTO "${name}" (${columns}) VALUES(${row});`
  }
  const others = "SELECT sql FROM sqlite_schema WHERE type <> 'table' AND sql NOT NULL"
  for (const { sql } of select(`${others} ORDER BY type`)) yield `${sql};`
}

/** Bytes: https://developers.cloudflare.com/d1/platform/limits */
const MAX_STATEMENT = 100_000

function runDatabase({ args, line, optionOf }: Command): Answer {
  const database = new DatabaseSync('remote.sqlite')
  database.exec('PRAGMA synchronous = OFF')
  if (line.startsWith('d1 export ')) {
    writeFileSync(optionOf('--output'), [...dump(database)].join('\n'))
    return '🌀 Downloaded successfully!'
  }
  if (line.startsWith('d1 time-travel info ')) return '{ "bookmark": "bookmark-1" }'
  if (args.includes('--file')) {
    const text = readFileSync(optionOf('--file'), 'utf8')
    if (text.split('\n').some((statement) => Buffer.byteLength(statement) > MAX_STATEMENT))
      throw new Error(apiError('statement too long: SQLITE_TOOBIG', 7500))
    database.exec(`BEGIN;\n${text}\nCOMMIT`)
    return '🌀 Processed the file.'
  }
  if (line.startsWith('d1 execute ')) {
    const results = database.prepare(optionOf('--command')).all()
    return JSON.stringify([{ results, success: true }])
  }
  database.exec('CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY, name TEXT)')
  const applied = database.prepare('SELECT name FROM d1_migrations').all()
  const pending = readdirSync('migrations')
    .filter((file) => file.endsWith('.sql') && !applied.some(({ name }) => name === file))
    .sort()
  if (pending.length === 0) return '✅ No migrations to apply!'
  if (line.startsWith('d1 migrations apply '))
    for (const file of pending) {
      for (const statement of splitNaively(readFileSync(`migrations/${file}`, 'utf8')))
        database.exec(statement)
      database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').run(file)
    }
  return ['Migrations to be applied:', ...pending.map((file) => `│ ${file} │`)].join('\n')
}

/**
 * Splits SQL as the server of D1 is reported to: at each semicolon that is in no quotes, also in
 * triggers, and with the quotes in comments.
 */
const splitNaively = (text: string) => text.match(/(?:'[^']*'|"[^"]*"|`[^`]*`|[^;])+;?/g) ?? []

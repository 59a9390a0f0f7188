/** What is in the Cloudflare account, as wrangler prints it. */
import { readdir } from 'node:fs/promises'
import { stripVTControlCharacters } from 'node:util'
import { CommandError, returnCommandError } from '../../shell/command.ts'
import { runWrangler } from '../../shell/wrangler.ts'
import type { Bucket, Environment } from './environment.ts'

/** Runs a command. Returns undefined if its output says that what it asks for does not exist. */
async function runUnlessMissing(args: string[], missing: RegExp): Promise<string | undefined> {
  const output = await runWrangler(args).catch(returnCommandError)
  if (typeof output === 'string') return output
  if (missing.test(output.message)) return undefined
  throw output
}

/** Wrangler's error as one line. */
export function oneLineReason({ message }: CommandError): string {
  return stripVTControlCharacters(message)
    .replaceAll(/✘|\[ERROR\]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/**
 * Returns the chosen account, and who is logged in to it as text. Throws a `CommandError` that says
 * how to log in or to choose an account. `accountId` is the one that wrangler.toml names.
 */
export async function readLogin(
  accountId: string | undefined,
): Promise<{ accountId: string; text: string }> {
  const output = await runUnlessMissing(['whoami', '--json'], /"loggedIn":\s*false/)
  if (output === undefined)
    throw new CommandError(
      'You are not logged in to Cloudflare. Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.',
    )
  const { email, accounts } = JSON.parse(output) as {
    email?: string
    accounts: { id: string; name: string }[]
  }
  const chosen = accountId ?? process.env.CLOUDFLARE_ACCOUNT_ID
  const [account, ...others] = chosen ? accounts.filter(({ id }) => id === chosen) : accounts
  if (!account || others.length > 0)
    throw new CommandError(
      `Set the environment variable CLOUDFLARE_ACCOUNT_ID to one of these accounts:\n${accounts
        .map(({ id, name }) => `  ${id}  ${name}`)
        .join('\n')}`,
    )
  const text = `${email ?? 'an API token'}, account ${account.name}`
  return { accountId: account.id, text }
}

/** Returns the URL of the account in Cloudflare's API, for what wrangler has no command for. */
export async function accountUrl(environment: Environment): Promise<string> {
  const { accountId } = await readLogin(environment.accountId)
  // Wrangler reads the same variable.
  const api = process.env.CLOUDFLARE_API_BASE_URL || 'https://api.cloudflare.com/client/v4'
  return `${api}/accounts/${accountId}`
}

/** Calls the API with the operator's token. Throws a `CommandError` without one, or if the call fails. */
export async function callApi(url: string, init: RequestInit = {}): Promise<Response> {
  const { CLOUDFLARE_API_TOKEN: token } = process.env
  if (!token)
    throw new CommandError(
      'The login of wrangler cannot do it, and CLOUDFLARE_API_TOKEN is not set.',
    )
  const headers = { authorization: `Bearer ${token}`, ...init.headers }
  const signal = AbortSignal.timeout(30_000)
  const answer = await fetch(url, { ...init, headers, signal }).catch((error: Error) => {
    throw new CommandError(`${url} cannot be reached: ${error.message}.`)
  })
  if (answer.ok) return answer
  throw new CommandError(`Cloudflare answered ${answer.status}: ${await answer.text()}`)
}

/** Returns the databases of the account: their names by id. */
export async function listDatabases(): Promise<Map<string, string>> {
  const databases: { uuid: string; name: string }[] = JSON.parse(
    await runWrangler(['d1', 'list', '--json']),
  )
  return new Map(databases.map(({ uuid, name }) => [uuid, name]))
}

/** Returns the lifecycle rules of a bucket as text; undefined if there is no such bucket. */
export const readLifecycle = (bucket: Bucket): Promise<string | undefined> =>
  runUnlessMissing(['r2', 'bucket', 'lifecycle', 'list', ...bucketArgs(bucket)], /\[code: 10006\]/)

/** Returns the arguments of wrangler that name a bucket. */
export const bucketArgs = ({ name, jurisdiction }: Bucket): string[] => [
  name,
  ...(jurisdiction ? ['--jurisdiction', jurisdiction] : []),
]

/** Returns the names of the Workers that read the queue; undefined if there is no such queue. */
export async function readConsumers(queue: string): Promise<string[] | undefined> {
  const output = await runUnlessMissing(['queues', 'info', queue], /Queue ".*" does not exist/)
  if (output === undefined) return undefined
  const [, list = ''] = /^Consumers: (.*)$/m.exec(output) ?? []
  return [...list.matchAll(/worker:([^,\s]+)/g)].map(([, name = '']) => name)
}

/** Returns the names of the secrets of the Worker; undefined if it does not exist. */
export async function readSecretNames(environment: string): Promise<string[] | undefined> {
  const args = ['secret', 'list', '--env', environment, '--format', 'json']
  const output = await runUnlessMissing(args, /Worker ".*".* not found/)
  if (output === undefined) return undefined
  return (JSON.parse(output) as { name: string }[]).map(({ name }) => name)
}

/** Returns the id of the version that gets most requests; undefined if none is deployed. */
export async function readVersion(environment: string): Promise<string | undefined> {
  const args = ['deployments', 'status', '--env', environment, '--json']
  const output = await runUnlessMissing(args, /has no deployments|\[code: (10007|10090)\]/)
  if (output === undefined) return undefined
  const { versions } = JSON.parse(output) as {
    versions: { version_id: string; percentage: number }[]
  }
  return versions.sort((a, b) => b.percentage - a.percentage)[0]?.version_id
}

/** Returns the names of the migrations that the database does not have yet, in their order. */
export async function listPendingMigrations(environment: string): Promise<string[]> {
  const args = ['d1', 'migrations', 'list', 'DB', '--remote', '--env', environment]
  const output = await runWrangler(args)
  const files = await readdir('migrations')
  // Wrangler prints a table of the names.
  return files.filter((name) => name.endsWith('.sql') && output.includes(name)).sort()
}

/** Returns the mark of the present state of the database, to which it can be set back. */
export async function readBookmark(environment: string): Promise<string> {
  const args = ['d1', 'time-travel', 'info', 'DB', '--env', environment, '--json']
  const { bookmark } = JSON.parse(await runWrangler(args)) as { bookmark: string }
  return bookmark
}

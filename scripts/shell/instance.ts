/** The instance that a command works on through its API: the local one, or a deployed one. */
import { ApiError, createClient, type MarketplaceClient } from '../../client/src/index.ts'
import { localNow } from '../local/clock.ts'
import { readPublicUrl } from '../local/paths.ts'
import { readConfig } from '../operate/contract/networks.ts'
import { retryWhileBusy } from '../operate/database/busy.ts'
import { openMigratedDatabase } from '../operate/database/local.ts'
import { issueToken, parseIssuer, type TokenRequest } from '../operate/tokens/issue.ts'
import { CommandError, UsageError } from './command.ts'

export const instanceOptions = {
  remote: { help: 'Of a deployed instance.' },
  env: { value: 'NAME', help: 'With --remote: which one.' },
} as const

export const instanceVariables = {
  MARKETPLACE_TOKEN: 'With --remote: a master token of the instance. Required.',
}

/** Returns the environment that the options name; undefined for the local instance. */
export function parseInstance({ remote, env }: { remote: boolean; env?: string | undefined }) {
  if (remote && !env) throw new UsageError('--remote needs --env.')
  if (env && !remote) throw new UsageError('--env needs --remote.')
  return env
}

export type Instance = { url: string; token: string }

/** Returns URL and token of a deployed instance. Throws a `CommandError` if one is missing. */
export function remoteInstance(environment: string): Instance {
  const { MARKETPLACE_TOKEN: token } = process.env
  if (!token)
    throw new CommandError(
      'MARKETPLACE_TOKEN is not set. Set it to a master token of the instance: npm run --silent token -- --master --remote --env …',
    )
  const { vars } = readConfig(environment)
  return { url: String(vars.PUBLIC_URL), token }
}

/** Returns the URL of the last `npm run dev`, and a token for it. */
export async function localInstance(request: TokenRequest): Promise<Instance> {
  await using local = await openMigratedDatabase()
  const url = (await readPublicUrl()) ?? local.env.PUBLIC_URL
  const issuer = parseIssuer({ ...local.env, PUBLIC_URL: url })
  const now = await localNow()
  const token = await retryWhileBusy(() => issueToken(local.db, issuer, request, now))
  return { url, token }
}

/** Calls the API of a deployed instance or the local one. Throws a `CommandError` if a call fails. */
export async function withInstance<T>(
  environment: string | undefined,
  work: (client: MarketplaceClient) => Promise<T>,
): Promise<T> {
  const { url, token } = environment
    ? remoteInstance(environment)
    : await localInstance({ role: 'master', name: 'command line' })
  try {
    return await work(createClient({ url, token }))
  } catch (error) {
    throw described(error, url, environment ? 'Check the address.' : 'Is `npm run dev` running?')
  }
}

/** Returns the error as a `CommandError`, if the API or the network is the cause. */
export function described(error: unknown, url: string, advice: string): unknown {
  if (error instanceof ApiError) {
    const details = error.code === null ? '' : ` (${error.code}, request ${error.requestId})`
    return new CommandError(`${url} answered: ${error.message}${details}`)
  }
  const isUnreachable = error instanceof TypeError && error.cause instanceof Error
  return isUnreachable ? new CommandError(`${error.message}. ${advice}`) : error
}

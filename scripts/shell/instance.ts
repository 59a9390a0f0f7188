/** The instance that a command works on through its API: the local one, or a deployed one. */
import { ApiError, createClient, type MarketplaceClient } from '../../client/src/index.ts'
import { CommandError } from './command.ts'

export type Instance = { url: string; token: string }

/** Returns URL and token of a deployed instance or the local one. Throws a `CommandError`. */
export const findInstance = (environment: string | undefined): Promise<Instance> =>
  environment ? remoteInstance(environment) : localInstance()

async function remoteInstance(environment: string): Promise<Instance> {
  const { MARKETPLACE_TOKEN: token } = process.env
  if (!token)
    throw new CommandError(
      'MARKETPLACE_TOKEN is not set. Set it to a master token of the instance: npm run --silent token -- --master --remote --env …',
    )
  const { readConfig } = await import('../operate/cloudflare/environment.ts')
  const { vars } = readConfig(environment)
  return { url: String(vars.PUBLIC_URL), token }
}

async function localInstance(): Promise<Instance> {
  const { requireRunning } = await import('../local/lock.ts')
  await requireRunning()
  const { issueLocalToken } = await import('../operate/tokens/local.ts')
  return issueLocalToken({ role: 'master', name: 'command line' })
}

/** Calls the API of a deployed instance or the local one. Throws a `CommandError` if a call fails. */
export async function withInstance<T>(
  environment: string | undefined,
  work: (client: MarketplaceClient) => Promise<T>,
): Promise<T> {
  const { url, token } = await findInstance(environment)
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

/** The instance that a command calls. */
import { createClient, type MarketplaceClient } from '../client.ts'
import { type Options, requireUrl, UsageError } from './command.ts'

export const instanceOptions = {
  url: {
    type: 'string',
    value: 'URL',
    default: 'http://localhost:8787',
    help: 'The instance.',
  },
  token: {
    type: 'string',
    value: 'TOKEN',
    help: 'A token of the instance. Default: the environment variable TOKEN',
  },
} as const satisfies Options

/** Returns a client of the instance that the options name. */
export function openInstance({
  url,
  token = process.env.TOKEN,
}: {
  url: string
  token?: string | undefined
}): MarketplaceClient {
  requireUrl('--url', url)
  if (!token)
    throw new UsageError('A token is missing: --token, or the environment variable TOKEN.')
  if (/\s/.test(token))
    throw new UsageError(
      'The token has a blank or a line end. `npm run --silent token` prints it alone.',
    )
  return createClient({ url, token })
}

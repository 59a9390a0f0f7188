/** `npm run --silent token`: prints a JWT, and nothing else. */
import { CommandError, defineCommand, parseInteger, start, UsageError } from '../shell/command.ts'
import { localInstance } from '../shell/instance.ts'
import { readConfig } from './contract/networks.ts'
import { openRemoteDatabase } from './database/remote.ts'
import { issueToken, parseIssuer, parseTokenName, type TokenRequest } from './tokens/issue.ts'

export const command = defineCommand(
  {
    name: 'npm run --silent token',
    purpose:
      'Prints a token (a JWT), and nothing else. Prints the same token again until a day before it expires.',
    options: {
      shop: { help: 'A token for a shop: it places and follows its orders, for every seller.' },
      master: { help: 'A master token. It acts for every user.' },
      metrics: { help: 'A master token that may only read the metrics.' },
      user: {
        value: 'ID',
        help: 'The user whose token it is. Default for a master token: the first administrator',
      },
      name: {
        value: 'TEXT',
        help: 'Name of the token. Each name stands for one shop. Default: command line; shop for --shop, metrics for --metrics',
      },
      remote: { help: 'For a deployed instance.' },
      env: { value: 'NAME', help: 'With --remote: which one. Default: production' },
    },
    variables: { JWT_KEYS: 'With --remote: the signing keys of the instance. Required.' },
    example: 'npm run --silent token -- --user 3',
  },
  async ({ shop, master, metrics, user, name, remote, env }) => {
    if (!shop && !master && !metrics && user === undefined)
      throw new UsageError('--shop, --master, --metrics or --user is missing.')
    if ([shop, master, metrics].filter(Boolean).length > 1)
      throw new UsageError('Only one of --shop, --master and --metrics can be given.')
    if (env && !remote) throw new UsageError('--env needs --remote.')
    const request: TokenRequest = {
      role: shop || master || metrics ? 'master' : 'user',
      scope: metrics ? 'metrics' : shop ? 'orders' : 'write',
      ...(user !== undefined && { userId: parseInteger('--user', user, 1) }),
      name: parseTokenName(name ?? (metrics ? 'metrics' : shop ? 'shop' : 'command line')),
    }
    if (remote) console.log(await issueRemoteToken(env ?? 'production', request))
    else console.log((await localInstance(request)).token)
  },
)

function issueRemoteToken(environment: string, request: TokenRequest): Promise<string> {
  const { JWT_KEYS } = process.env
  if (!JWT_KEYS)
    throw new CommandError(
      `JWT_KEYS is not set. Set it to the signing keys of the ${environment} instance: the value that was passed to \`wrangler secret put JWT_KEYS --env ${environment}\`. Cloudflare does not return secrets.`,
    )
  const { vars } = readConfig(environment)
  const issuer = parseIssuer({ ...vars, JWT_KEYS })
  return issueToken(openRemoteDatabase(environment), issuer, request, new Date())
}

if (import.meta.main) await start(command)

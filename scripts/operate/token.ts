/** `npm run --silent token`: prints a JWT, and nothing else. */
import { defineCommand, parseInteger, start, UsageError } from '../shell/command.ts'
import type { TokenRequest } from './tokens/issue.ts'

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
      name: name ?? (metrics ? 'metrics' : shop ? 'shop' : 'command line'),
    }
    if (remote) {
      const { issueRemoteToken } = await import('./tokens/remote.ts')
      console.log(await issueRemoteToken(env ?? 'production', request))
    } else {
      const { issueLocalToken } = await import('./tokens/local.ts')
      console.log((await issueLocalToken(request)).token)
    }
  },
)

if (import.meta.main) await start(command)

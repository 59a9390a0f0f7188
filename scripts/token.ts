/** `npm run --silent token`: prints a JWT, and nothing else. */
import { unstable_readConfig } from 'wrangler'
import { openMigratedDatabase } from './database/local.ts'
import { openRemoteDatabase } from './database/remote.ts'
import { readPublicUrl } from './local/paths.ts'
import { CommandError, parseInteger, parseOptions, runCommand } from './shell/command.ts'
import { issueToken, parseIssuer, parseTokenName, type TokenRequest } from './tokens/issue.ts'

const USAGE = `usage: npm run --silent token -- --master [--user <id of an administrator>]
       npm run --silent token -- --user <id>
for a token of another shop: --name <name>
for a deployed instance: --remote [--env production]`

await runCommand(async () => {
  const { master, user, name, remote, env } = parseOptions(
    {
      master: { type: 'boolean', default: false },
      user: { type: 'string' },
      name: { type: 'string', default: 'command line' },
      remote: { type: 'boolean', default: false },
      env: { type: 'string', default: 'production' },
    },
    USAGE,
  )
  if (!master && user === undefined) throw new CommandError(USAGE)
  const request: TokenRequest = {
    role: master ? 'master' : 'user',
    ...(user !== undefined && { userId: parseInteger('--user', user, 1) }),
    name: parseTokenName(name),
  }
  console.log(await (remote ? issueRemoteToken(env, request) : issueLocalToken(request)))
})

async function issueLocalToken(request: TokenRequest): Promise<string> {
  const { db, env, close } = await openMigratedDatabase()
  try {
    const url = (await readPublicUrl()) ?? env.PUBLIC_URL
    return await issueToken(db, parseIssuer({ ...env, PUBLIC_URL: url }), request, new Date())
  } finally {
    await close()
  }
}

function issueRemoteToken(environment: string, request: TokenRequest): Promise<string> {
  const { JWT_KEYS } = process.env
  if (!JWT_KEYS)
    throw new CommandError(
      `JWT_KEYS is not set. Set it to the signing keys of the ${environment} instance: the value that was passed to \`wrangler secret put JWT_KEYS --env ${environment}\`. Cloudflare does not return secrets.`,
    )
  const { vars } = unstable_readConfig({ env: environment })
  const issuer = parseIssuer({ ...vars, JWT_KEYS })
  return issueToken(openRemoteDatabase(environment), issuer, request, new Date())
}

/** `npm run --silent token`: prints a JWT, and nothing else. */
import { unstable_readConfig } from 'wrangler'
import { openMigrated } from './database/local.ts'
import { openRemote } from './database/remote.ts'
import { rememberedUrl } from './local/paths.ts'
import { command, Failure, optionsOf, wholeNumber } from './shell/command.ts'
import { issuerOf, issueToken, type Wish } from './tokens/issue.ts'

const USAGE = `usage: npm run --silent token -- --master [--user <administrator's id>]
       npm run --silent token -- --user <id>
for a deployed instance: --remote [--env production]`

await command(async () => {
  const { master, user, remote, env } = optionsOf(
    {
      master: { type: 'boolean', default: false },
      user: { type: 'string' },
      remote: { type: 'boolean', default: false },
      env: { type: 'string', default: 'production' },
    },
    USAGE,
  )
  if (!master && user === undefined) throw new Failure(USAGE)
  const wish: Wish = {
    role: master ? 'master' : 'user',
    ...(user !== undefined && { userId: wholeNumber('--user', user, 1) }),
    name: 'command line',
  }
  console.log(await (remote ? deployedToken(env, wish) : localToken(wish)))
})

async function localToken(wish: Wish): Promise<string> {
  const { db, env, close } = await openMigrated()
  try {
    const url = (await rememberedUrl()) ?? env.PUBLIC_URL
    return await issueToken(db, issuerOf({ ...env, PUBLIC_URL: url }), wish, new Date())
  } finally {
    await close()
  }
}

function deployedToken(environment: string, wish: Wish): Promise<string> {
  const { JWT_KEYS } = process.env
  if (!JWT_KEYS)
    throw new Failure(
      `JWT_KEYS is not set. It is the secret that the ${environment} instance signs with, and Cloudflare does not give secrets back: set it to the value that was given to \`wrangler secret put JWT_KEYS --env ${environment}\`.`,
    )
  const { vars } = unstable_readConfig({ env: environment })
  const issuer = issuerOf({ ...vars, JWT_KEYS })
  return issueToken(openRemote(environment), issuer, wish, new Date())
}

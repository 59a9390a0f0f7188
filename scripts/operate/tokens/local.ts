/** Tokens of the local instance. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { localNow } from '../../local/clock.ts'
import { readPublicUrl, SECRETS } from '../../local/paths.ts'
import { CommandError } from '../../shell/command.ts'
import { openDatabaseFile } from '../database/source.ts'
import { issueToken, parseIssuer, type TokenRequest } from './issue.ts'

/** Returns the URL of the last `npm run dev`, and a token for it. */
export async function issueLocalToken(request: TokenRequest) {
  using local = await openDatabaseFile()
  const url = await readPublicUrl()
  if (!url) throw new CommandError('`npm run dev` is not ready yet. Try again in a minute.')
  const issuer = parseIssuer({ ...(await readSecrets()), PUBLIC_URL: url })
  const now = await localNow()
  const token = await issueToken(local.db, issuer, request, now)
  return { url, token }
}

/** Reads the secrets as wrangler does: those of the file or, without a file, those of the environment. */
const readSecrets = async () =>
  existsSync(SECRETS) ? parseEnv(await readFile(SECRETS, 'utf8')) : process.env

/** Tokens of a deployed instance. */
import { CommandError } from '../../shell/command.ts'
import { readConfig } from '../cloudflare/environment.ts'
import { openRemoteDatabase } from '../database/remote.ts'
import { issueToken, parseIssuer, type TokenRequest } from './issue.ts'

export function issueRemoteToken(environment: string, request: TokenRequest): Promise<string> {
  const { JWT_KEYS } = process.env
  if (!JWT_KEYS)
    throw new CommandError(
      `JWT_KEYS is not set. Set it to the signing keys of the ${environment} instance: the value that was passed to \`wrangler secret put JWT_KEYS --env ${environment}\`. Cloudflare does not return secrets.`,
    )
  const { vars } = readConfig(environment)
  const issuer = parseIssuer({ ...vars, JWT_KEYS })
  return issueToken(openRemoteDatabase(environment), issuer, request, new Date())
}

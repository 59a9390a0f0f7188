import type { IncomingHttpHeaders } from 'node:http'
import { parse } from 'hono/utils/cookie'
import { SESSION_COOKIE } from '../../src/auth/authenticate.ts'
import { type Issuer, verifyToken } from '../../src/auth/tokens.ts'

/** Returns whose valid token the headers have, as a log line says it: `user 3`. */
export async function describeCaller(
  issuer: Issuer,
  { authorization, cookie = '' }: IncomingHttpHeaders,
  now: Date,
): Promise<string | undefined> {
  const jwt = authorization?.replace(/^Bearer +/i, '') ?? parse(cookie)[SESSION_COOKIE]
  const caller = jwt && (await verifyToken(issuer, jwt, now))
  if (!caller) return undefined
  return caller.role === 'master' ? `master (user ${caller.userId})` : `user ${caller.userId}`
}

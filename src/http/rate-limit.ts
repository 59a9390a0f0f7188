/** Rate limits through the bindings of wrangler.toml. */
import { isIPv4 } from 'node:net'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { MINUTE } from '../time.ts'
import type { App } from './context.ts'
import { declarationOf } from './endpoint.ts'
import { rateLimited, TokenRequired } from './errors.ts'

/** The `period` of all bindings, in seconds. A binding does not say how long to wait. */
const PERIOD = 60

type Limit = Extract<keyof Env, `${string}_LIMIT`>

/**
 * Counts a request. Throws `rate_limited` with the message. The instance is part of the key, because
 * all Workers of an account count together where their `namespace_id` is the same.
 */
async function count(c: Context<App>, limit: Limit, key: string, message: string): Promise<void> {
  const { success } = await c.env[limit].limit({ key: `${c.get('settings').PUBLIC_URL} ${key}` })
  if (!success) throw rateLimited(message, PERIOD)
}

/** Milliseconds for which a token that the database refused counts as no token. */
const REFUSAL_LIFETIME = MINUTE
/** Entries kept before the cache is cleared. */
const MAX_REFUSALS = 1000

/** Token id → time at which the database refused it, in milliseconds. */
const refusedAt = new Map<string, number>()

/**
 * Counts requests per token, and those of user tokens per user as well; per client address without
 * a valid token. A token that the database refused is not valid, so a thief with a revoked token
 * does not use up the requests of its user.
 */
export const rateLimit = createMiddleware<App>(async (c, next) => {
  const message = 'too many requests; wait, then send them more slowly'
  const { limit, key, user } = keysOf(c)
  await count(c, limit, key, message)
  if (user) await count(c, 'USER_RATE_LIMIT', user, message)
  await next()
  const caller = c.get('caller')
  if (!caller || !(c.error instanceof TokenRequired)) return
  if (refusedAt.size >= MAX_REFUSALS) refusedAt.clear()
  refusedAt.set(caller.tokenId, c.get('now').getTime())
})

/**
 * Public endpoints do not ask the database whether a token is live, so there every client counts by
 * address. Pages count by session: with a stolen token, nobody keeps its user from revoking it.
 */
function keysOf(c: Context<App>): { limit: Limit; key: string; user?: string } {
  const caller = c.get('caller')
  const refused = caller && refusedAt.get(caller.tokenId)
  const isRefused = refused && c.get('now').getTime() - refused < REFUSAL_LIFETIME
  const isPublic = (declarationOf(c)?.access ?? 'public') === 'public'
  if (!caller || isRefused || isPublic)
    return { limit: 'RATE_LIMIT', key: `address:${rateLimitKey(c.req.raw)}` }
  const key = `token:${caller.tokenId}`
  if (caller.role === 'master') return { limit: 'MASTER_RATE_LIMIT', key }
  const isApi = c.req.path.startsWith('/api/')
  return { limit: 'RATE_LIMIT', key, ...(isApi && { user: `user:${caller.userId}` }) }
}

/** The key of all user tokens of a user together, so that more tokens give no more changes. */
function changeKey(c: Context<App>): string {
  const { key, user } = keysOf(c)
  return user ?? key
}

/** For endpoints that send mail, ask the chain or check secrets: counts per client address. */
export const signInRateLimit = (c: Context<App>) =>
  count(c, 'SIGN_IN_LIMIT', rateLimitKey(c.req.raw), 'too many attempts; wait a minute')

/** For endpoints that convert a picture, all of them together. */
export const avatarRateLimit = (c: Context<App>) =>
  count(c, 'AVATAR_LIMIT', changeKey(c), 'too many changes of pictures; wait a minute')

/** For endpoints that generate a token, all of them together. */
export const tokenRateLimit = (c: Context<App>) =>
  count(c, 'TOKEN_LIMIT', changeKey(c), 'too many new tokens; wait a minute')

/** For what answers content, all of it together. A player asks for a file in many parts: these do not count. */
export const contentRateLimit = (c: Context<App>) =>
  count(c, 'CONTENT_LIMIT', changeKey(c), 'too many requests for content; wait a minute')

/** For what asks the chain who holds a token. */
export const holderRateLimit = (c: Context<App>) =>
  count(c, 'HOLDER_LIMIT', changeKey(c), 'too many requests for content of holders; wait a minute')

/** The IP address of the client, from Cloudflare's header; `''` if there is none. */
export const clientIp = (request: Request): string => request.headers.get('cf-connecting-ip') ?? ''

/**
 * The client as rate limits count it: an IPv4 address, or the /64 network of an IPv6 address,
 * because one subscriber usually has a whole /64.
 */
export function rateLimitKey(request: Request): string {
  const address = clientIp(request).replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIPv4(address)) return address
  if (!URL.canParse(`http://[${address}]`)) return 'unknown'
  // The URL parser shortens one run of zeros to `::`.
  const { hostname } = new URL(`http://[${address}]`)
  const parts = hostname.slice(1, -1).split('::')
  const [head = [], tail = []] = parts.map((part) => part.split(':').filter(Boolean))
  const zeros = Array(8 - head.length - tail.length).fill('0')
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`
}

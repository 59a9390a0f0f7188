import type { RequestIdVariables } from 'hono/request-id'
import type { Database, Trips } from '../db/client.ts'
import type { tokenRoles, tokenScopes } from '../db/schema/users.ts'
import type { Settings } from '../env.ts'

/** The caller, from the verified claims of the token. D1 checks that it is live and has these claims. */
export type Caller = {
  /** Claim `jti`. */
  tokenId: string
  userId: number
  role: (typeof tokenRoles)[number]
  scope: (typeof tokenScopes)[number]
  /**
   * What the endpoint requires of the token: a session, or a session of an administrator. Checked
   * together with the token, by `readAs` and `writeAs`.
   */
  requires?: 'session' | 'administrator'
}

/**
 * What a verb needs of a request: handlers pass `c.var`. A verb takes `(ctx, input)`, and names the
 * parts of the context that it uses.
 */
export type Ctx = { db: Database; caller: Caller; now: Date }

/**
 * The context of every handler. Middleware that runs for each request reads single variables with
 * `c.get`, because `c.var` copies all of them each time.
 */
export type App = {
  Bindings: Env
  Variables: RequestIdVariables & {
    settings: Settings
    /** A D1 session that begins where the endpoint declares (`reads`). */
    db: Database
    trips: Trips
    caller: Caller | null
    /** Why the token of the request is not valid; undefined without a token. */
    tokenProblem?: string
    now: Date
    /** Fields that error responses have besides `error` and `code`. */
    errorFields?: Record<string, string | null>
  }
}

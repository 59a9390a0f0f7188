import type { RequestIdVariables } from 'hono/request-id'
import type { Database, Trips } from '../db/client.ts'
import type { Settings } from '../env.ts'

/** The caller, from the signed claims of the token. Only D1 knows whether the token is still live. */
export type Caller = {
  /** Claim `jti`. */
  tokenId: string
  userId: number
  role: 'user' | 'master'
}

/**
 * The context of every handler. Middleware that runs for each request reads single variables with
 * `c.get`, because `c.var` copies all of them each time.
 */
export type App = {
  Bindings: Env
  Variables: RequestIdVariables & {
    settings: Settings
    /** A D1 session that begins at the caller's bookmark. */
    db: Database
    /** How often this request has called the database. */
    trips: Trips
    caller: Caller | null
    /** The time of the request. */
    now: Date
    /** Fields that error responses have beside `error` and `code`. */
    errorFields?: Record<string, null>
  }
}

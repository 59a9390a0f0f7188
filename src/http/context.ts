import type { RequestIdVariables } from 'hono/request-id'
import type { Database, Trips } from '../db/client.ts'
import type { Settings } from '../env.ts'

/** Who asks, as the signed claims of their token say. Whether it is still live, only D1 knows. */
export type Caller = {
  /** Claim `jti`. */
  tokenId: string
  userId: number
  role: 'user' | 'master'
}

/** What every handler finds in its context. */
export type App = {
  Bindings: Env
  Variables: RequestIdVariables & {
    settings: Settings
    /** A D1 session that begins at the caller's bookmark. */
    db: Database
    /** What this request has cost `db` so far. */
    trips: Trips
    caller: Caller | null
    /** When the request came in. */
    now: Date
  }
}

/**
 * A replica may lag by seconds behind what others have written. What it has is answered as it is, a list
 * may lack what is new, and a token that was revoked just now may still read. But a replica alone refuses
 * nothing, and finds nothing missing that was asked for by its number: `answer` in `endpoint.ts` calls the
 * handler once more at the primary then. A missing order id is an error of the API; a list by number and
 * the link of an order call `requirePrimary`. `mayLag`: D1 has said that a replica answered.
 */
import type { Database } from '../db/client.ts'
import { ApiError } from './errors.ts'

class NothingFound extends Error {}

/** Call it if nothing was found, and that may be because a replica lags. */
export function requirePrimary(db: Database): void {
  if (db.$client.mayLag) throw new NothingFound('a replica found nothing')
}

/** Whether this error is one of the API, or of `requirePrimary`, after a replica has answered. */
export const mayBeStale = (error: unknown, db: Database): boolean =>
  db.$client.mayLag && (error instanceof ApiError || error instanceof NothingFound)

/**
 * A replica may lag by seconds behind what others have written. What it has is answered as it is, a list
 * may lack what is new, and a token that was revoked just now may still read. But nothing is refused, and nothing that was asked for by its number is
 * missing, because a replica says so: `answer` in `endpoint.ts` asks the primary then.
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

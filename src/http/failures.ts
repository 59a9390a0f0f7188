/** Counts what fails. Nothing is written while all goes well. */

import { batch } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { raw } from '../db/statements.ts'
import { log } from '../log.ts'
import { DAY, HOUR } from '../time.ts'

/**
 * `mails`: those that Cloudflare did not take. `pictures`: those that it did not convert, without those
 * that cannot be converted. `requests`: those that ended with an unexpected error.
 */
export const failureKinds = ['mails', 'pictures', 'requests'] as const
export type FailureKind = (typeof failureKinds)[number]

/**
 * Milliseconds without a failure, after which the count of recent ones begins again. A quiet instance sends few
 * mails.
 */
export const failuresLast = { mails: DAY, pictures: DAY, requests: HOUR } as const satisfies Record<
  FailureKind,
  number
>

/** Counts a failure, by one statement. If that fails, too, it is only logged. */
export async function countFailure(db: Database, kind: FailureKind, now: Date): Promise<void> {
  const at = now.toISOString()
  const before = new Date(now.getTime() - failuresLast[kind]).toISOString()
  try {
    await batch(db, {
      count: raw<never>(db)`INSERT INTO failures (kind, total, recent, since, lastAt)
        VALUES (${kind}, 1, 1, ${at}, ${at}) ON CONFLICT (kind) DO UPDATE SET total = total + 1,
          recent = iif(lastAt <= ${before}, 0, recent) + 1, since = iif(lastAt <= ${before}, ${at}, since),
          lastAt = max(lastAt, ${at})`,
    })
  } catch (error) {
    log.error('failure_not_counted', { kind, error })
  }
}

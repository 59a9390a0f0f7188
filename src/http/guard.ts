import { type SQL, sql } from 'drizzle-orm'
import type { Guard } from '../db/batch.ts'
import type { Quota } from '../db/quota.ts'
import { describeLimit, type Limit } from '../limits.ts'
import { ApiError, type ErrorCode, rateLimited } from './errors.ts'

/**
 * Rejects what is written with this error if the condition holds.
 *
 * @example guard('conflict', 'the order is cancelled')`EXISTS (SELECT 1 FROM …)`
 */
export const guard =
  (code: ErrorCode, message: string) =>
  (text: TemplateStringsArray, ...values: unknown[]): Guard => ({
    when: sql(text, ...values),
    error: () => new ApiError(code, message),
  })

/** The quota of an owner, such as a user id. One of SQL may be null: of a user who does not exist yet. */
export function quotaOf(
  { quota, per, of, max }: Limit & Required<Pick<Limit, 'quota' | 'per'>>,
  owner: number | string | SQL,
): Quota {
  const utc = per === 'day' ? ' (UTC)' : ''
  const message = `${of}: at most ${describeLimit({ max, per })}${utc}`
  return {
    // D1 binds a number as a floating point number.
    name:
      typeof owner === 'object'
        ? sql`${`${quota}:`} || CAST(${owner} AS INTEGER)`
        : `${quota}:${owner}`,
    per,
    limit: max,
    error: (seconds) => rateLimited(message, seconds),
  }
}

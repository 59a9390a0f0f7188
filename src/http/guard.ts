import type { SQL } from 'drizzle-orm'
import type { Guard } from '../db/batch.ts'
import type { Quota } from '../db/quota.ts'
import { ApiError, type ErrorCode, rateLimited } from './errors.ts'

/** Rejects what is written with this error if the condition holds. */
export const guard = (when: Guard['when'], code: ErrorCode, message: string): Guard => ({
  when,
  error: () => new ApiError(code, message),
})

/** A quota of a day (UTC). The error has the sentence. */
export const perDay = (name: string | SQL<string>, limit: number, message: string): Quota => ({
  name,
  per: 'day',
  limit,
  error: (seconds) => rateLimited(message, seconds),
})

import type { SQL } from 'drizzle-orm'
import type { Quota } from '../db/quota.ts'
import { rateLimited } from './errors.ts'

/** A quota of a day (UTC). The error has the sentence. */
export const perDay = (name: string | SQL<string>, limit: number, message: string): Quota => ({
  name,
  per: 'day',
  limit,
  error: (seconds) => rateLimited(message, seconds),
})

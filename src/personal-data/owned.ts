import { type SQL, sql } from 'drizzle-orm'

/** Matches links that were sent to the person or requested by them. Cron deletes links after 15 minutes. */
export const isMailLink = (userId: number): SQL => sql`(userId = ${userId}
  OR email = (SELECT email FROM users WHERE id = ${userId} AND email <> ''))`

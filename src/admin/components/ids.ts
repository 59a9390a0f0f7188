/** Times as ids, for lists of rows that are never deleted: there is one for each id, and a later one has a later time. */
import { type SQL, sql } from 'drizzle-orm'

const times = { auditLog: 'at', users: 'createdAt', nfts: 'createdAt', listings: 'createdAt' }

/** The id of the first row of a table at a time, by bisection. */
export function idAt(table: keyof typeof times, time: string): SQL {
  const [rows, at] = [sql.raw(table), sql.raw(times[table])]
  return sql`(WITH RECURSIVE s(low, high) AS (
    SELECT 1, coalesce(max(id), 0) + 1 FROM ${rows} UNION ALL
    SELECT iif(${at} < ${time}, id + 1, low), iif(${at} < ${time}, high, id)
    FROM s JOIN ${rows} ON id = (low + high) / 2 WHERE low < high)
  SELECT max(low) FROM s)`
}

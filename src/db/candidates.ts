/**
 * Lists with filters. One index gives candidates, in the order of the list and after the last one of the
 * page before; the filters choose among them. A call looks at a limited number, so its cost does not
 * depend on how many rows there are. If these do not fill the page, it ends at the last of them.
 */
import { type SQL, sql } from 'drizzle-orm'

/** Candidates that a call looks at. */
export const MAX_CANDIDATES = 1000

/**
 * The first candidates, numbered, as the table `candidates`. SQLite reads them one by one in their order,
 * and no more than a page needs: an ORDER BY around them would read all of them. `withClause`: tables that
 * `candidates` reads.
 */
export const firstCandidates = (candidates: SQL, withClause = sql``): SQL =>
  sql`(${withClause} SELECT *, row_number() OVER () AS number
    FROM (${candidates} LIMIT ${MAX_CANDIDATES})) AS candidates`

/** The columns of a candidate that `cutPage` needs, with what `position` says of its place in the list. */
export const candidateColumns = <Position extends Record<string, SQL.Aliased>>(
  position: Position,
  isMatch: SQL,
) => ({
  ...position,
  number: sql<number>`candidates.number`.as('number'),
  isMatch: sql<0 | 1 | null>`(${isMatch})`.as('isMatch'),
})

/** Whether a candidate matches, or tells where the next page begins. */
export const isReturnedSql = sql`isMatch OR number = ${sql.raw(`${MAX_CANDIDATES}`)}`

/**
 * Returns the rows of a page, of which one more than `limit` was read if there is one, and the candidate
 * after which the next page begins; undefined on the last page.
 */
export function cutPage<Row extends { candidate: { number: number; isMatch: 0 | 1 | null } }>(
  rows: readonly Row[],
  limit: number,
) {
  const found = rows.filter(({ candidate }) => candidate.isMatch)
  const page = found.slice(0, limit)
  const isEnd = ({ candidate }: Row) => candidate.number === MAX_CANDIDATES
  const last = found.length > limit ? page.at(-1) : rows.find(isEnd)
  const candidate: Row['candidate'] | undefined = last?.candidate
  return { page, last: candidate }
}

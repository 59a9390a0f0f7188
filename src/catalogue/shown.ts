/** What somebody was shown of an import before it: the commit does just that, or nothing. */
import { sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { raw } from '../db/statements.ts'
import { jsonObject, listingRecord, quoted, storedNft, value, withLines } from './sql.ts'

/** Users who have signed in keep their names. */
const userName = (field: string) => `iif(u.lastAccessAt IS NULL, u.${field}, ${value(field)})`

/** What an import may change of the user `u`, and what its record says of that. */
const storedUser = jsonObject(
  quoted({ name: userName('name'), username: userName('username'), shopUrl: 'u.shopUrl' }),
)
const newUser = jsonObject(
  quoted({ name: value('name'), username: value('username'), shopUrl: value('shopUrl') }),
)

/** The lines of records that are stored, and what is stored of each. */
const sources = [
  {
    stored: storedUser,
    from: `r JOIN users u ON u.externalId = r.externalId WHERE r.type = 'user'`,
  },
  {
    stored: storedNft,
    from: `r JOIN nfts n ON n.externalId = r.externalId LEFT JOIN users u ON u.id = n.creatorId
      WHERE r.type = 'nft'`,
  },
  {
    stored: listingRecord,
    from: `r JOIN listings l ON l.externalId = r.externalId LEFT JOIN nfts n ON n.id = l.nftId
      LEFT JOIN users u ON u.id = l.sellerId WHERE r.type = 'listing'`,
  },
]

/**
 * Returns the statements that stop a transaction with this text, if what is stored is not what was shown
 * any more. They are no guards, because D1 limits the depth of an expression.
 */
export const refuseChanged = (db: Database, importId: string, failure: string) =>
  sources.map(
    ({ stored, from }) => raw<never>(db)`INSERT INTO guard
      ${withLines(importId)} SELECT ${failure} FROM ${sql.raw(from)}
        AND r.shown <> ${sql.raw(stored)} LIMIT 1`,
  )

/** What the record of a line `r` would store, to compare it with what was shown. */
export const recordSql = sql.raw(`iif(r.type = 'user', ${newUser}, r.record)`)

/** Returns the statements that set `shown` of the lines of an import to what is stored. */
export const setShown = (db: Database, importId: string) => [
  raw<never>(db)`UPDATE catalogueLines SET shown = '' WHERE importId = ${importId}`,
  ...sources.map(
    ({ stored, from }) => raw<never>(db)`${withLines(importId)}
      UPDATE catalogueLines SET shown = s.stored
      FROM (SELECT r.line, ${sql.raw(stored)} AS stored FROM ${sql.raw(from)}) s
      WHERE catalogueLines.importId = ${importId} AND catalogueLines.line = s.line`,
  ),
]

/** Reads the catalogue of a database. */
import { sql } from 'drizzle-orm'
import {
  jsonObject,
  listingRecord,
  nftRecord,
  quoted,
  userReference,
} from '../../../src/catalogue/sql.ts'
import type { SqliteDatabase } from '../database/remote.ts'

const PAGE = 2000

/** The record of the user `u`, in its normal form. */
const userRecord = jsonObject({
  ...quoted({
    type: `'user'`,
    id: userReference('u'),
    name: 'u.name',
    username: 'u.username',
    email: `nullif(u.email, '')`,
    ethereumPublicAddr: `nullif(u.ethereumPublicAddr, '')`,
    walletChainId: 'u.walletChainId',
    shopUrl: 'u.shopUrl',
  }),
  removed: `iif(u.removedAt IS NULL, 'false', 'true')`,
})

/** Selects a record a row, of a table whose alias comes first. */
const sources = [
  {
    id: 'u.id',
    record: userRecord,
    from: `users u WHERE (u.externalId IS NOT NULL
      OR u.id IN (SELECT creatorId FROM nfts) OR u.id IN (SELECT sellerId FROM listings))`,
  },
  {
    id: 'n.id',
    record: nftRecord(),
    from: 'nfts n JOIN users u ON u.id = n.creatorId WHERE n.deletedAt IS NULL',
  },
  {
    id: 'l.id',
    record: listingRecord,
    from: `listings l JOIN nfts n ON n.id = l.nftId JOIN users u ON u.id = l.sellerId
      WHERE n.deletedAt IS NULL`,
  },
]

/** Yields the lines: users, then NFTs, then listings, by the time of their creation. */
export async function* readCatalogue(db: SqliteDatabase): AsyncGenerator<string, void> {
  for (const { id, record, from } of sources) {
    let rows: [id: number, record: string][] = []
    do {
      const after = rows.at(-1)?.[0] ?? 0
      const page = sql`SELECT ${sql.raw(id)} AS id, ${sql.raw(record)} AS record
        FROM ${sql.raw(from)} AND ${sql.raw(id)} > ${after} ORDER BY ${sql.raw(id)} LIMIT ${PAGE}`
      rows = await db.values(page)
      for (const [, record] of rows) yield record
    } while (rows.length === PAGE)
  }
}

import { sql } from 'drizzle-orm'
import {
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { nfts } from './catalogue.ts'
import { idColumn, isOneOfSql, reference, timestamp } from './columns.ts'
import { orderItems } from './orders.ts'

/**
 * `missing`: the catalogue names it, and its bytes are not stored yet. `removed`: the catalogue names another
 * version or none, and its object is deleted a day later.
 */
export const fileStates = ['missing', 'stored', 'removed'] as const

/**
 * Versions of the files of NFTs. The one that is `stored` is what people get, also while the bytes of the
 * next one are `missing`. A row comes before its object in R2, and is deleted after it.
 */
export const contentFiles = sqliteTable(
  'contentFiles',
  {
    /** The key of its object in R2: random, in hex. */
    key: text().primaryKey(),
    nftId: reference(() => nfts.id),
    name: text().notNull(),
    /** Its place among the files of the NFT, from 0. */
    place: integer().notNull(),
    /** Media type (RFC 9110), as the catalogue says it. */
    type: text().notNull(),
    bytes: integer().notNull(),
    /** In hex. */
    sha256: text().notNull(),
    state: text({ enum: fileStates }).notNull(),
    /** When it got its state. */
    changedAt: timestamp().notNull(),
  },
  (t) => [
    uniqueIndex('contentFiles_name')
      .on(t.nftId, t.state, t.name)
      .where(sql`${t.state} <> 'removed'`),
    // SQLite does not see that `stored` is not `removed`, so statements use this one.
    index('contentFiles_nft').on(t.nftId, t.state, t.place),
    index('contentFiles_removed').on(t.changedAt).where(sql`${t.state} = 'removed'`),
    check('contentFiles_state', isOneOfSql(t.state, fileStates)),
  ],
)

/** How often who has bought an NFT, or holds its token, has loaded a file, by day. WITHOUT ROWID. */
export const downloads = sqliteTable(
  'downloads',
  {
    /** As in `2026-01-31`, of UTC. */
    day: text().notNull(),
    nftId: integer().notNull(),
    name: text().notNull(),
    /** The buyer, or who has held the token. No foreign key: it is deleted with the data of the person. */
    userId: integer().notNull(),
    /** 0 for who has held the token. */
    orderItemId: integer().notNull(),
    count: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.nftId, t.day, t.name, t.userId, t.orderItemId] }),
    index('downloads_user').on(t.userId),
    index('downloads_day').on(t.day),
  ],
)

/** One row: the bytes of all rows of `contentFiles`. Updated by triggers. */
export const contentStorage = sqliteTable('contentStorage', {
  /** Always 1. */
  id: integer().primaryKey(),
  bytes: integer().notNull(),
})

/** Codes of pieces, one for each. The transition `deliver` gives an order item as many as it has pieces. */
export const codes = sqliteTable(
  'codes',
  {
    id: idColumn(),
    nftId: reference(() => nfts.id),
    /** HMAC of the code (`hashCodes` in `content/cipher.ts`): the same code is stored once. */
    hash: text().notNull(),
    /** The encrypted code, with the id of its key. */
    sealed: text().notNull(),
    /** Whose it is, for ever. Null while it is in the pool. */
    orderItemId: integer().references(() => orderItems.id),
  },
  (t) => [
    uniqueIndex('codes_hash').on(t.nftId, t.hash),
    index('codes_pool').on(t.nftId).where(sql`${t.orderItemId} IS NULL`),
    index('codes_orderItem').on(t.orderItemId).where(sql`${t.orderItemId} IS NOT NULL`),
  ],
)

/** Order items that were delivered while the pool had too few codes. The next ones are theirs. WITHOUT ROWID. */
export const owedCodes = sqliteTable(
  'owedCodes',
  {
    nftId: integer().notNull(),
    orderItemId: integer().notNull(),
    since: timestamp().notNull(),
  },
  (t) => [primaryKey({ columns: [t.nftId, t.orderItemId] })],
)

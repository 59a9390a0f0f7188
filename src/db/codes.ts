/**
 * The codes of NFTs whose pieces have one each. A code is in the pool of its NFT (`orderItemId` is null) or
 * belongs to an order item, for ever. A piece is sold only if there is a code for it: the stock follows from
 * their number (`db/stock.ts`), so its guards keep sales within it. Only what takes codes away, or a fork, can
 * leave a delivery without one: it waits in `owedCodes`.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { raw } from './statements.ts'

/** The codes of an order item, as SQL. */
export const givenCodes = (orderItemId: SQL): SQL =>
  sql`(SELECT count(*) FROM codes WHERE codes.orderItemId = ${orderItemId})`

/** Says that delivered order items get codes, which `giveCodes` then gives. `ids`: a list in parentheses. */
export const oweCodes = (db: Database, ids: SQL, now: Date) =>
  raw<never>(db)`INSERT INTO owedCodes (nftId, orderItemId, since)
    SELECT i.nftId, i.id, ${now.toISOString()} FROM orderItems i
      JOIN nfts n ON n.id = i.nftId AND n.hasCodes
      JOIN deliveries d ON d.id = i.id AND d.state = 'transferred'
    WHERE i.id IN ${ids} AND ${givenCodes(sql`i.id`)} < i.quantity
    ON CONFLICT DO NOTHING`

/**
 * Returns the statements that give each delivered order item a code for each of its pieces, as far as the pools
 * have them: those that were delivered first get them first. What lacks some goes on waiting.
 */
export const giveCodes = (db: Database) => [
  raw<never>(db)`WITH owed AS MATERIALIZED (
      SELECT o.nftId, o.orderItemId, i.quantity - ${givenCodes(sql`i.id`)} AS pieces,
        row_number() OVER (PARTITION BY o.nftId ORDER BY o.since, i.id) AS turn
      FROM owedCodes o JOIN orderItems i ON i.id = o.orderItemId
        JOIN deliveries d ON d.id = i.id AND d.state = 'transferred'
      WHERE EXISTS (SELECT 1 FROM codes c WHERE c.nftId = o.nftId AND c.orderItemId IS NULL)),
    spans AS (SELECT *, sum(pieces) OVER (PARTITION BY nftId ORDER BY turn) AS last FROM owed),
    pool AS MATERIALIZED (
      SELECT c.id, c.nftId, row_number() OVER (PARTITION BY c.nftId ORDER BY c.id) AS place
      FROM (SELECT DISTINCT nftId FROM owed) n JOIN codes c ON c.id IN (SELECT id FROM codes
        WHERE nftId = n.nftId AND orderItemId IS NULL ORDER BY id LIMIT (SELECT sum(pieces) FROM owed)))
    UPDATE codes SET orderItemId = spans.orderItemId
    FROM pool JOIN spans ON spans.nftId = pool.nftId
      AND pool.place > spans.last - spans.pieces AND pool.place <= spans.last
    WHERE codes.id = pool.id`,
  raw<never>(db)`DELETE FROM owedCodes WHERE EXISTS (SELECT 1 FROM orderItems i
      JOIN deliveries d ON d.id = i.id
    WHERE i.id = owedCodes.orderItemId AND (d.state IN ('cancelled', 'written_off')
      OR i.quantity <= ${givenCodes(sql`i.id`)}))`,
]

/** Order items that lack codes, counted up to a limit, and when the first and the last of them was delivered. */
export const selectOwedCodes = (db: Database, limit: number) =>
  raw<{ orderItems: number; nfts: number; first: string | null; last: string | null }>(db)`
    SELECT count(*) AS orderItems, count(DISTINCT nftId) AS nfts, min(since) AS first, max(since) AS last
    FROM (SELECT o.* FROM owedCodes o JOIN deliveries d ON d.id = o.orderItemId
      WHERE d.state = 'transferred' LIMIT ${limit})`

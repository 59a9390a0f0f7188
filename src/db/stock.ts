/**
 * The stock of NFTs (`nfts.availableAmount`). An unlimited NFT does not use it up. Orders take pieces by
 * `reduceStock` in `orders/placing/write.ts`, and an import adds what the amount grows by. Of an NFT with
 * codes (`db/codes.ts`) there is a piece for each code.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { givenCodes } from './codes.ts'
import { raw } from './statements.ts'

/** Whether orders do not reduce the stock of an NFT. `isUnlimitedSql` says the same. */
export const isUnlimited = (amountType: unknown): boolean => amountType === 'unlimited'

/** `nft`: how the statement calls the row of `nfts`. */
export const isUnlimitedSql = (nft: string): SQL => sql.raw(`(${nft}.amountType IS 'unlimited')`)

/** The pieces of order items by NFT. One that has a code is its buyer's for ever, so it does not move. */
const piecesOf = (ids: SQL) =>
  sql`(SELECT nftId, sum(quantity - ${givenCodes(sql`orderItems.id`)}) AS quantity FROM orderItems
    WHERE id IN ${ids} GROUP BY nftId)`

/**
 * Returns the pieces of order items to the stock: of a final cancellation (`delivery/store/changes.ts`), or
 * as an operator asks who writes deliveries off. `ids`: a list in parentheses.
 */
export const returnPieces = (db: Database, ids: SQL, now: Date) =>
  setStock(db, sql`(SELECT nftId, -quantity AS sold FROM ${piecesOf(ids)})`, now)

/** Takes them again if what was cancelled is delivered after a fork. What was sold meanwhile is missing. */
export const takePieces = (db: Database, ids: SQL, now: Date) =>
  setStock(db, sql`(SELECT nftId, quantity AS sold FROM ${piecesOf(ids)})`, now)

/** Makes the stock of an NFT with codes follow from them. */
export const setStockOfCodes = (db: Database, nftId: number, now: Date) =>
  setStock(db, sql`(SELECT ${nftId} AS nftId, 0 AS sold)`, now)

/**
 * What is left is what there is, but for what is sold: `amount - availableAmount`, and what `change` adds to
 * it (rows of `nftId` and `sold`). Of an NFT with codes there are as many pieces as codes. If more is sold,
 * `amount` says so, because codes that are uploaded later are for that.
 */
const setStock = (db: Database, change: SQL, now: Date) =>
  raw<never>(db)`UPDATE nfts SET availableAmount = max(0, s.pieces - s.sold),
      amount = iif(hasCodes, max(s.pieces, s.sold), amount), updatedAt = ${now.toISOString()},
      changedAt = iif(hasCodes AND amount <> max(s.pieces, s.sold), max(changedAt, ${now.toISOString()}), changedAt)
    FROM (SELECT n.id, n.amount - n.availableAmount + c.sold AS sold,
        iif(n.hasCodes, (SELECT count(*) FROM codes WHERE codes.nftId = n.id), n.amount) AS pieces
      FROM ${change} c CROSS JOIN nfts n ON n.id = c.nftId AND NOT ${isUnlimitedSql('n')}) s
    WHERE nfts.id = s.id AND (availableAmount <> max(0, s.pieces - s.sold)
      OR hasCodes AND amount <> max(s.pieces, s.sold))`

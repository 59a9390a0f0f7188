/**
 * The stock of NFTs (`nfts.availableAmount`). An unlimited NFT does not use it up. Orders take pieces by
 * `reduceStock` in `orders/placing/write.ts`, and an import adds what the amount grows by.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { raw } from './statements.ts'

/** Whether orders do not reduce the stock of an NFT. `isUnlimitedSql` says the same. */
export const isUnlimited = (amountType: unknown): boolean => amountType === 'unlimited'

/** `nft`: how the statement calls the row of `nfts`. */
export const isUnlimitedSql = (nft: string): SQL => sql.raw(`(${nft}.amountType IS 'unlimited')`)

/**
 * Returns the pieces of order items to the stock: of a final cancellation (`delivery/store/changes.ts`), or
 * as an operator asks who writes deliveries off. `ids`: a list in parentheses.
 */
export const returnPieces = (db: Database, ids: SQL, now: Date) =>
  setStock(db, sql`availableAmount + moved.quantity`, ids, now)

/** Takes them again if what was cancelled is delivered after a fork. What was sold meanwhile is missing. */
export const takePieces = (db: Database, ids: SQL, now: Date) =>
  setStock(db, sql`max(0, availableAmount - moved.quantity)`, ids, now)

const setStock = (db: Database, available: SQL, ids: SQL, now: Date) =>
  raw<never>(db)`UPDATE nfts SET availableAmount = ${available}, updatedAt = ${now.toISOString()}
    FROM (SELECT nftId, sum(quantity) AS quantity FROM orderItems WHERE id IN ${ids}
      GROUP BY nftId) AS moved
    WHERE nfts.id = moved.nftId AND NOT ${isUnlimitedSql('nfts')}`

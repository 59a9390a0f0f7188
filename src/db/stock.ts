/**
 * The stock of NFTs (`nfts.availableAmount`). An unlimited NFT does not use it up. Orders take pieces by
 * `reduceStock` in `orders/placing/write.ts`, and an import adds what the amount grows by.
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
const moved = (ids: SQL) =>
  sql`(SELECT nftId, sum(quantity - ${givenCodes(sql`orderItems.id`)}) AS quantity FROM orderItems
    WHERE id IN ${ids} GROUP BY nftId) AS moved`

/**
 * Returns the pieces of order items to the stock: of a final cancellation (`delivery/store/changes.ts`), or
 * as an operator asks who writes deliveries off. `ids`: a list in parentheses.
 */
export const returnPieces = (db: Database, ids: SQL, now: Date) =>
  raw<never>(db)`UPDATE nfts SET availableAmount = availableAmount + moved.quantity,
      updatedAt = ${now.toISOString()}
    FROM ${moved(ids)} WHERE nfts.id = moved.nftId AND NOT ${isUnlimitedSql('nfts')}`

/**
 * Takes them again if what was cancelled is delivered after a fork. What was sold meanwhile is missing: of an
 * NFT with codes more is sold then than there is, and `amount` says so.
 */
export const takePieces = (db: Database, ids: SQL, now: Date) =>
  raw<never>(db)`UPDATE nfts SET availableAmount = max(0, availableAmount - moved.quantity),
      amount = iif(hasCodes, max(amount, amount + moved.quantity - availableAmount), amount),
      updatedAt = ${now.toISOString()}
    FROM ${moved(ids)} WHERE nfts.id = moved.nftId AND NOT ${isUnlimitedSql('nfts')}`

/** Pieces that reservations hold. */
import { type SQL, sql } from 'drizzle-orm'

/** SQL of the pieces of an NFT that are held at a time. They cannot be ordered without their reservation. */
export const heldQuantity = (nftId: SQL, now: SQL | string): SQL<number> =>
  sql`coalesce((SELECT sum(quantity) FROM heldPieces WHERE nftId = ${nftId} AND expiresAt > ${now}), 0)`

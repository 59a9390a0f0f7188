/**
 * Stops the sale of what could not be delivered, in the transaction that stores what becomes of the
 * delivery. An obstacle of one piece stops the listings of this NFT. Any other one may be that of the contract,
 * or of the holder: it stops all that the seller lists of the contract with the same `heldBySeller`, until one
 * of them was tried again (`catalogue/check-listings.ts`), which the next cron run does.
 */

import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { NEVER, pieceObstacles, type SaleObstacle, saleObstacles } from '../db/schema/catalogue.ts'
import { raw } from '../db/statements.ts'
import { isUnlimitedSql } from '../db/stock.ts'
import { DAY } from '../time.ts'
import type { DeliveryChange } from './rules/delivery-changes.ts'

/** `id`: the order item. */
type Undeliverable = { id: number; obstacle: SaleObstacle }

/**
 * Returns what the changes of deliveries say about other pieces. The gas that a transfer needs may be that of
 * its recipient.
 */
export const findUndeliverable = (changes: readonly DeliveryChange[]): Undeliverable[] =>
  changes.flatMap(({ id, reasonCode, stopsSale, transition }) => {
    const obstacle = saleObstacles.find((code) => code === reasonCode)
    const isProven = stopsSale || (transition === 'fail' && obstacle === 'token_moved_nothing')
    return obstacle && isProven && obstacle !== 'gas_limit_exceeded' ? { id, obstacle } : []
  })

/** Whether a token has recorded no transfer, although it had accepted it: a trial sees nothing of that. */
const movedNothing = (obstacle: SQL) => sql`(${obstacle} = 'token_moved_nothing')`

/**
 * Returns the statements. What was found before changes nothing, so that a delivery that waits does not stop
 * again what a trial has put back on sale. A token that has moved nothing is not tried again, and no other
 * obstacle takes the place of that. If there are too few pieces for an order of several, there may be one.
 * SQLite takes the obstacle from a row that has the maximum.
 */
export function stopSales(db: Database, deliveries: readonly Undeliverable[], now: Date) {
  if (deliveries.length === 0) return []
  const at = now.toISOString()
  const inOneDay = new Date(now.getTime() + DAY).toISOString()
  const found = sql`found AS MATERIALIZED (SELECT i.nftId, i.sellerId, n.contractNetwork, n.contractAddr,
      n.fulfilment, n.heldBySeller, max(${movedNothing(sql`r.value ->> 'obstacle'`)}),
      r.value ->> 'obstacle' AS obstacle
    FROM json_each(${JSON.stringify(deliveries)}) r CROSS JOIN orderItems i ON i.id = r.value ->> 'id'
      CROSS JOIN nfts n ON n.id = i.nftId
    WHERE n.recipients = 'anybody'
      AND (i.quantity = 1 OR r.value ->> 'obstacle' NOT IN ('holder_has_no_token', 'mint_refused'))
    GROUP BY i.nftId, i.sellerId)`
  const isPiece = sql`found.obstacle IN (SELECT value FROM json_each(${JSON.stringify(pieceObstacles)}))`
  const others = sql`others AS MATERIALIZED (
    SELECT found.*, l.id, l.sellerId AS otherSellerId, n.fulfilment AS otherFulfilment,
      n.heldBySeller AS otherHeldBySeller, l.obstacle AS stored
    FROM found CROSS JOIN nfts n ON n.contractAddr = found.contractAddr
        AND n.contractNetwork = found.contractNetwork AND n.id <> found.nftId AND n.recipients = 'anybody'
      CROSS JOIN listings l ON l.nftId = n.id
    WHERE NOT ${isPiece} AND EXISTS (SELECT 1 FROM listings own WHERE own.nftId = found.nftId
        AND own.sellerId = found.sellerId
        AND (own.obstacle IS NOT found.obstacle OR ${movedNothing(sql`found.obstacle`)}))
      AND NOT EXISTS (SELECT 1 FROM found f WHERE f.nftId = l.nftId AND f.sellerId = l.sellerId))`
  return [
    // One of each seller of the contract is tried at once.
    raw<never>(db)`WITH ${found}, ${others}
      UPDATE listings SET checkAt = ${at} WHERE id IN (SELECT min(l.id)
        FROM others CROSS JOIN listings l ON l.id = others.id CROSS JOIN nfts n ON n.id = l.nftId
        WHERE l.active AND l.obstacle IS NULL AND (${isUnlimitedSql('n')} OR n.availableAmount > 0)
        GROUP BY otherSellerId, otherFulfilment, otherHeldBySeller)`,
    raw<never>(db)`WITH ${found}, ${others}
      UPDATE listings SET obstacle = o.obstacle, obstacleSince = ${at}, foundBy = 'delivery', isShared = 1,
        checkAt = CASE WHEN ${movedNothing(sql`o.obstacle`)} THEN ${NEVER}
          WHEN checkAt = ${at} THEN checkAt ELSE ${inOneDay} END, updatedAt = ${at}
      FROM (SELECT id, obstacle, max(${movedNothing(sql`obstacle`)}) FROM others WHERE stored IS NULL
        AND otherSellerId = sellerId AND otherFulfilment = fulfilment
        AND otherHeldBySeller = heldBySeller GROUP BY id) o
      WHERE listings.id = o.id`,
    raw<never>(db)`WITH ${found}
      UPDATE listings SET obstacle = found.obstacle, foundBy = 'delivery', isShared = 0, disputedSince = NULL,
        obstacleSince = coalesce(iif(listings.obstacle = found.obstacle, obstacleSince, NULL), ${at}),
        checkAt = iif(${movedNothing(sql`found.obstacle`)}, ${NEVER}, ${at}),
        updatedAt = iif(listings.obstacle IS found.obstacle, updatedAt, ${at})
      FROM found WHERE listings.nftId = found.nftId AND listings.sellerId = found.sellerId
        AND listings.checkAt <> ${NEVER}
        AND (listings.obstacle IS NOT found.obstacle OR foundBy IS NOT 'delivery' OR isShared)`,
  ] as const
}

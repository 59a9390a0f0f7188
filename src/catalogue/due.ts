/**
 * What cron does with listings: it tries a few each minute, and each once a day, because what cannot be
 * delivered is not sold; and it tells lists of changes what happens at a stored time.
 */
import { batch } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { listings, orderableStatuses, saleObstacles } from '../db/schema/catalogue.ts'
import { raw } from '../db/statements.ts'
import { checkSales, type Sale, type SellingSettings } from '../delivery/sales.ts'
import { DAY, MINUTE } from '../time.ts'

/** Listings of one run. Each takes about nine calls. */
const MAX_TRIED = 100

/** Milliseconds until a listing is tried again: usually, and if it has an obstacle or nodes are silent. */
const SOON = 15 * MINUTE

type Row = Sale & {
  id: number
  was: string
  stored: (typeof saleObstacles)[number] | null
  isForSale: 0 | 1
}

/** As many in a run as the slowest node takes calls in a second. Permissions may still be given. */
export async function checkListings(db: Database, settings: SellingSettings, now: Date) {
  const paces = Object.values(settings.NETWORKS).map((network) => Math.ceil(network.callsPerSecond))
  const time = now.toISOString()
  const { due } = await batch(db, {
    due: raw<Row>(db)`
      SELECT l.id, l.checkAt AS was, l.obstacle AS stored, n.contractNetwork AS network, n.contractAddr AS contract,
        n.tokenId, n.fulfilment, u.ethereumPublicAddr AS holder,
        coalesce(l.activeTill > ${time}, 1) AND n.status IN ${orderableStatuses} AND n.deletedAt IS NULL
          AND (n.amountType IS 'unlimited' OR n.availableAmount > 0) AS isForSale
      FROM listings l CROSS JOIN nfts n ON n.id = l.nftId CROSS JOIN users u ON u.id = l.sellerId
      WHERE l.active AND l.checkAt <= ${time}
      ORDER BY l.checkAt LIMIT ${Math.min(MAX_TRIED, ...paces)}`,
  })
  if (due.length === 0) return
  const forSale = due.filter(({ isForSale }) => isForSale)
  const tried = await checkSales(settings, forSale)
  const rows = due.map(({ id, was, stored }) => {
    const found = tried.find((sale) => sale.id === id)
    const isSilent = found && found.obstacle === undefined && found.network in settings.NETWORKS
    const told = saleObstacles.find((code) => code === found?.obstacle?.reasonCode) ?? null
    const obstacle = isSilent ? stored : told
    const wait = isSilent || obstacle ? SOON : DAY
    return { id, was, obstacle, checkAt: new Date(now.getTime() + wait).toISOString() }
  })
  await batch(db, {
    tried: raw<never>(db)`
      UPDATE ${listings} SET obstacle = value ->> 'obstacle', checkAt = value ->> 'checkAt',
        updatedAt = iif(obstacle IS value ->> 'obstacle', updatedAt, ${time})
      FROM json_each(${JSON.stringify(rows)}) WHERE listings.id = value ->> 'id' AND checkAt = value ->> 'was'`,
  })
}

/**
 * Sets the time of the change of listings that end, and of NFTs whose release was postponed after lists
 * had shown them. Once for each, also after a time without runs. What has ended before its last change
 * was told with it.
 */
export function tellDue(db: Database, now: Date) {
  const at = now.toISOString()
  // The first condition is that of the index.
  return batch(db, {
    ended: raw<never>(db)`UPDATE listings SET updatedAt = ${at}
      WHERE updatedAt < activeTill AND activeTill <= ${at}`,
    released: raw<never>(db)`UPDATE nfts SET changedAt = ${at}
      WHERE changedAt < releaseAt AND releaseAt <= ${at}`,
  })
}

/** Tells lists of changes what happens at a stored time. The cron run does so. */

import { batch } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { raw } from '../db/statements.ts'
import { DAY } from '../time.ts'

/**
 * Sets the time of the change of listings that end, and of NFTs whose release was postponed after lists
 * had shown them. Once for each, also after a time without runs. What has ended before its last change
 * was told with it.
 */
export function tellDue(db: Database, now: Date) {
  const at = now.toISOString()
  const dayAgo = new Date(now.getTime() - DAY).toISOString()
  return batch(db, {
    ended: raw<never>(db)`UPDATE listings SET updatedAt = ${at}
      WHERE activeTill > ${dayAgo} AND activeTill <= ${at} AND updatedAt < activeTill`,
    // The first condition is that of the index.
    released: raw<never>(db)`UPDATE nfts SET changedAt = ${at}
      WHERE changedAt < releaseAt AND releaseAt <= ${at}`,
  })
}

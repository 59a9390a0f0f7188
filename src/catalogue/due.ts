/** What cron tells lists of changes: what happens at a stored time. */
import { batch } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { raw } from '../db/statements.ts'

/**
 * Sets the time of the change of listings that end, or that are sold from now on although no node has told
 * whether they can be delivered, and of NFTs whose release was postponed after lists had shown them. Once for each, also after a time without runs. What has ended before its last change
 * was told with it.
 */
export function tellDue(db: Database, now: Date) {
  const at = now.toISOString()
  // Each first condition is that of an index.
  return batch(db, {
    ended: raw<never>(db)`UPDATE listings SET updatedAt = ${at}
      WHERE updatedAt < activeTill AND activeTill <= ${at}`,
    untried: raw<never>(db)`UPDATE listings SET updatedAt = ${at}
      WHERE updatedAt < untriedUntil AND untriedUntil <= ${at}`,
    released: raw<never>(db)`UPDATE nfts SET changedAt = ${at}
      WHERE changedAt < releaseAt AND releaseAt <= ${at}`,
  })
}

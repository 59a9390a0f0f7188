import { batch } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { raw } from '../db/statements.ts'
import { DAY } from '../time.ts'

/** Once for each, also after a time without runs. What has ended before its last change was told with it. */
export function tellEnded(db: Database, now: Date) {
  const at = now.toISOString()
  const dayAgo = new Date(now.getTime() - DAY).toISOString()
  return batch(db, {
    ended: raw<never>(db)`UPDATE listings SET updatedAt = ${at}
      WHERE activeTill > ${dayAgo} AND activeTill <= ${at} AND updatedAt < activeTill`,
  })
}

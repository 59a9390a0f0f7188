/** Deletes files that the catalogue names no more, a day later: what is being loaded goes on until then. */
import { inArray, lt, sql } from 'drizzle-orm'
import { batch } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { contentFiles } from '../db/schema/content.ts'
import { contentLimits } from '../limits.ts'

/** Objects that R2 deletes in one call. */
const MAX_SWEPT = 500

/** The row goes after the object, so that nothing is left over if this breaks off. */
export async function sweepFiles(bucket: R2Bucket, db: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - contentLimits.removed.max).toISOString()
  const { removed } = await batch(db, {
    removed: db
      .select({ key: contentFiles.key })
      .from(contentFiles)
      .where(sql`${contentFiles.state} = 'removed' AND ${lt(contentFiles.changedAt, before)}`)
      .limit(MAX_SWEPT),
  })
  const keys = removed.map(({ key }) => key)
  if (keys.length === 0) return
  await bucket.delete(keys)
  await batch(db, {
    deleted: db
      .delete(contentFiles)
      .where(sql`${contentFiles.state} = 'removed' AND ${inArray(contentFiles.key, keys)}`),
  })
}

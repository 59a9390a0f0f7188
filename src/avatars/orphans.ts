/** Finds the pictures that an upload cut off has left behind. */
import { sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { DRAWN } from './url.ts'

/** Objects looked at in one run; the next run goes on behind them. */
const PAGE = 1000
/** Milliseconds in which an upload under way is sure to have pointed its user to the new object. */
const GRACE = 60 * 60_000
/** Where the last run came to, kept beside the pictures; empty at the end. */
const BOOKMARK = 'sweep/after'

const isPicture = /^\d+\/[0-9a-f]+\.jpg$/

/** Removes what no user points to. `db` must be the primary: a replica may be behind. */
export async function removeOrphans(bucket: R2Bucket, db: Database, now: Date): Promise<number> {
  const after = (await (await bucket.get(BOOKMARK))?.text()) ?? ''
  const page = await bucket.list({ limit: PAGE, ...(after && { startAfter: after }) })
  const old = page.objects.filter(({ uploaded }) => uploaded.getTime() < now.getTime() - GRACE)
  const keys = old.map(({ key }) => key).filter((key) => isPicture.test(key))
  const orphans = await unowned(
    db,
    keys.filter((key) => !key.endsWith(`/${DRAWN}.jpg`)),
  )
  if (orphans.length > 0) await bucket.delete(orphans)
  const next = page.truncated ? (page.objects.at(-1)?.key ?? '') : ''
  if (next !== after) await bucket.put(BOOKMARK, next)
  return orphans.length
}

/** The keys that are not their user's. SQLite's cast reads the number that a key begins with. */
async function unowned(db: Database, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return []
  const rows = await db.all<{ key: string }>(
    sql`SELECT stored.value AS key FROM json_each(${JSON.stringify(keys)}) AS stored
        LEFT JOIN users ON users.id = CAST(stored.value AS INTEGER)
        WHERE users.avatarKey IS NOT stored.value`,
  )
  return rows.map(({ key }) => key)
}

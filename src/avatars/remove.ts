/** Removes pictures: from Cloudflare's cache, which keeps them for a year, and what nobody uses. */
import { sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { log } from '../log.ts'
import { DAY } from '../time.ts'
import { pictureKeyPattern, uploadedCoverPattern } from './serve.ts'

type Purge = (options: CachePurgeOptions) => Promise<CachePurgeResult | undefined>

let purge: Purge | undefined

/** Sets what removes answers from the cache. Commands have none. */
export function setPurge(given: Purge | undefined): void {
  purge = given
}

/** Paths of one call. Cloudflare allows five calls a minute. */
const MAX_PATHS = 30

/**
 * Removes pictures from the cache, whose R2 keys begin with these texts. Call it when their objects
 * are deleted, or the cache would get them again. A failure is only logged.
 */
export async function purgePictures(keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  const pathPrefixes =
    keys.length > MAX_PATHS ? ['/avatars/'] : keys.map((key) => `/avatars/${key}`)
  try {
    const result = await purge?.({ pathPrefixes })
    if (result?.success === false)
      throw new Error(result.errors.map(({ message }) => message).join())
  } catch (error) {
    log.error('cache_not_purged', { paths: pathPrefixes, error })
  }
}

/** Objects per run. The next run continues after them. */
const PAGE_SIZE = 1000
/** Milliseconds before an unused object is removed: replaced pictures work for a day. */
const GRACE_PERIOD = DAY
/** The object that holds the last key of the previous run; empty after the last page. */
const CURSOR_KEY = 'orphans/cursor'

/**
 * Removes pictures that no user points to, and covers that no NFT and no proposal names, replaced or left
 * by interrupted uploads, and the art of deleted NFTs, and returns how many. `db` must be the primary: a
 * replica may be stale.
 */
export async function removeOrphans(bucket: R2Bucket, db: Database, now: Date): Promise<number> {
  const cursor = (await (await bucket.get(CURSOR_KEY))?.text()) ?? ''
  const page = await bucket.list({ limit: PAGE_SIZE, ...(cursor && { startAfter: cursor }) })
  const uploadedBefore = new Date(now.getTime() - GRACE_PERIOD)
  const keys = page.objects
    .filter(
      ({ key, uploaded }) =>
        (pictureKeyPattern.test(key) || key.startsWith('art/') || uploadedCoverPattern.test(key)) &&
        uploaded < uploadedBefore,
    )
    .map(({ key }) => key)
  const orphans = keys.length > 0 ? await selectOrphans(db, keys) : []
  if (orphans.length > 0) await bucket.delete(orphans)
  await purgePictures(orphans.filter((key) => pictureKeyPattern.test(key)))
  const nextCursor = page.truncated ? (page.objects.at(-1)?.key ?? '') : ''
  if (nextCursor !== cursor) await bucket.put(CURSOR_KEY, nextCursor)
  return orphans.length
}

/** Returns the keys that their user or NFT does not use. CAST reads the id at the start of a text. */
async function selectOrphans(db: Database, keys: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ key: string }>(
    sql`SELECT stored.value AS key FROM json_each(${JSON.stringify(keys)}) AS stored
        LEFT JOIN users ON users.id = CAST(stored.value AS INTEGER)
        WHERE users.avatarKey IS NOT stored.value AND NOT EXISTS (SELECT 1 FROM nfts
          WHERE stored.value LIKE 'art/' || id || '/%' AND deletedAt IS NULL
            AND id = CAST(substr(stored.value, 5) AS INTEGER))
          AND NOT EXISTS (SELECT 1 FROM nfts WHERE coverKey = stored.value AND deletedAt IS NULL
            AND id = CAST(substr(stored.value, 9) AS INTEGER))
          AND NOT EXISTS (SELECT 1 FROM proposals WHERE fields ->> '$.coverKey' = stored.value
            AND kind = 'nft' AND subjectId = CAST(substr(stored.value, 9) AS INTEGER))`,
  )
  return rows.map(({ key }) => key)
}

/** Pictures in Cloudflare's cache, which keeps them for a year. */
import { log } from '../log.ts'

let cache: Partial<CacheContext> | undefined

/** Sets the cache in front of this Worker. The local runtime, and commands, have none. */
export function setCache(given: Partial<CacheContext> | undefined): void {
  cache = given
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
    const result = await cache?.purge?.({ pathPrefixes })
    if (result?.success === false)
      throw new Error(result.errors.map(({ message }) => message).join())
  } catch (error) {
    log.error('cache_not_purged', { paths: pathPrefixes, error })
  }
}

/** Answers that are the same for everybody, and may be up to a minute old. */
import type { Context } from 'hono'
import type { App } from '../http/context.ts'

/** Seconds for which a response may be reused, by this isolate and by HTTP caches. */
export const MAX_AGE = 60

/** The results of this isolate. Keys come from a fixed set, so the cache stays small. */
const entries = new Map<string, { data: unknown; at: Date }>()

/**
 * Returns the result of `read`, or the one of the last minute in this isolate, and its age in
 * seconds. The key must not contain free text of the caller.
 *
 * @example const { data, age } = await cachedResult('home', now, () => readHome({ db, now }))
 */
export async function cachedResult<T>(key: string, now: Date, read: () => Promise<T>) {
  const entry = entries.get(key)
  const age = entry ? Math.floor((now.getTime() - entry.at.getTime()) / 1000) : MAX_AGE
  if (entry && age < MAX_AGE) return { data: entry.data as T, age }
  const data = await read()
  entries.set(key, { data, at: now })
  return { data, age: 0 }
}

/** Returns the cached result, and allows HTTP caches to keep the response for as long. */
export async function cachedAnswer<T>(
  c: Context<App>,
  key: string,
  read: () => Promise<T>,
): Promise<T> {
  const { data, age } = await cachedResult(key, c.get('now'), read)
  // Set only now, because errors must not be cached.
  if (age > 0) c.header('Age', String(age))
  allowCaching(c)
  return data
}

/** Allows HTTP caches to keep the response. Errors must not be cached. */
export const allowCaching = (c: Context<App>): void =>
  c.header('Cache-Control', `public, max-age=${MAX_AGE}`)

/** Forgets the results of this isolate. */
export const clearCachedResults = (): void => entries.clear()

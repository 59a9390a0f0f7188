import type { Context } from 'hono'
import type { App } from '../http/context.ts'

/** Seconds for which a response may be reused, by this isolate and by HTTP caches. */
export const MAX_AGE = 60

/** The responses of this isolate. Keys come from a fixed set, so the cache stays small. */
const entries = new Map<string, { data: unknown; at: Date }>()

/**
 * Returns the result of `read`, or the one of the last minute in this isolate, and sets the cache
 * headers. The key must not contain free text of the caller.
 */
export async function cached<T>(c: Context<App>, key: string, read: () => Promise<T>): Promise<T> {
  const now = c.get('now')
  const entry = entries.get(key)
  const age = entry ? Math.floor((now.getTime() - entry.at.getTime()) / 1000) : MAX_AGE
  const isFresh = entry && age < MAX_AGE
  const data = isFresh ? (entry.data as T) : await read()
  // Set only now, because errors must not be cached.
  if (isFresh) c.header('Age', String(age))
  else entries.set(key, { data, at: now })
  c.header('Cache-Control', `public, max-age=${MAX_AGE}`)
  return data
}

import type { Context } from 'hono'
import type { App } from '../http/context.ts'

/** For how many seconds an answer may be used again, here and by everyone between. */
const MAX_AGE = 60

/** This isolate's answers. There are as many keys as `limit` has values, so they do not pile up. */
const kept = new Map<string, { data: unknown; at: Date }>()

/**
 * What `read` gives, or gave in this isolate within the last minute, and the headers that say so.
 * The key leaves no room for a query of the caller's making.
 */
export async function cached<T>(c: Context<App>, key: string, read: () => Promise<T>): Promise<T> {
  const now = c.get('now')
  const known = kept.get(key)
  const age = known ? Math.floor((now.getTime() - known.at.getTime()) / 1000) : MAX_AGE
  const isFresh = known && age < MAX_AGE
  const data = isFresh ? (known.data as T) : await read()
  // Not before there is an answer: an error is not for keeping.
  if (isFresh) c.header('Age', String(age))
  else kept.set(key, { data, at: now })
  c.header('Cache-Control', `public, max-age=${MAX_AGE}`)
  return data
}

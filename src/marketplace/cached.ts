import type { Context } from 'hono'
import type { App } from '../http/context.ts'

/** For how many seconds an answer may be used again, here and by everyone between. */
const CACHE_CONTROL = 'public, max-age=60'

/**
 * What `read` gives, or gave in this location within the last minute, and the headers that say
 * so. Only the data is kept, for headers as `x-request-id` are each answer's own; and under a key
 * that leaves no room for a query of the caller's making.
 */
export async function cached<T>(c: Context<App>, key: string, read: () => Promise<T>): Promise<T> {
  const { settings, now } = c.var
  const cache = await caches.open('marketplace')
  const url = settings.PUBLIC_URL + key
  const hit = await cache.match(url)
  const data = hit ? await hit.json<T>() : await read()
  // Not before there is an answer: an error is not for keeping.
  c.header('Cache-Control', CACHE_CONTROL)
  if (hit) {
    c.header('Age', String(secondsSince(hit.headers.get('date') ?? '', now)))
  } else {
    const headers = { date: now.toUTCString(), 'cache-control': CACHE_CONTROL }
    c.executionCtx.waitUntil(cache.put(url, Response.json(data, { headers })))
  }
  return data
}

const secondsSince = (date: string, now: Date): number =>
  Math.max(0, Math.floor((now.getTime() - Date.parse(date)) / 1000))

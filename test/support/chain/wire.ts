/** The test's end of every HTTP connection: here they break, and here a dead consumer's stay silent. */
import { BROKEN } from './faults.ts'

/** Stands around each request whose URL begins with the key. */
type Watch = (body: string, send: () => Promise<Response>) => Promise<Response>

const watches = new Map<string, Watch>()

/** Runs every request to URLs that begin so through `watch`; returns what ends it. */
export function watchRequests(urlPrefix: string, watch: Watch): () => void {
  watches.set(urlPrefix, watch)
  return () => watches.delete(urlPrefix)
}

const realFetch = globalThis.fetch

globalThis.fetch = async (input, init) => {
  const url = input instanceof Request ? input.url : `${input}`
  const send = async () => {
    const response = await realFetch(input, init)
    const broken = response.headers.get(BROKEN)
    if (broken === 'drop') throw new Error('Network connection lost.')
    return broken === 'hang'
      ? aborted(input instanceof Request ? input.signal : init?.signal)
      : response
  }
  const watch = [...watches].find(([prefix]) => url.startsWith(prefix))?.[1]
  if (!watch) return send()
  return watch(input instanceof Request ? await input.clone().text() : `${init?.body}`, send)
}

/** What a request that is never answered ends in. */
const aborted = (signal: AbortSignal | null | undefined) =>
  new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
  })

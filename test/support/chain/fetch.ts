/** Replaces `fetch` in tests: simulates broken connections and observes requests. */
import { BROKEN } from './faults.ts'

/** Handles a request instead of `fetch`. `send` sends it. */
type Watch = (body: string, send: () => Promise<Response>) => Promise<Response>

const watches = new Map<string, Watch>()

/** Passes each request to a URL with this prefix to `watch`. Returns a function that stops this. */
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
      ? timeOut(input instanceof Request ? input.signal : init?.signal)
      : response
  }
  const watch = [...watches].find(([prefix]) => url.startsWith(prefix))?.[1]
  if (!watch) return send()
  return watch(input instanceof Request ? await input.clone().text() : `${init?.body}`, send)
}

/** Fails at once if the request has a time limit, and hangs for ever if not. */
const timeOut = (signal: AbortSignal | null | undefined) =>
  new Promise<never>((_, reject) => {
    if (signal) reject(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  })

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
  const signal = input instanceof Request ? input.signal : init?.signal
  const send = async () => simulate(await realFetch(input, init), signal)
  const watch = [...watches].find(([prefix]) => url.startsWith(prefix))?.[1]
  if (!watch) return send()
  const body = input instanceof Request ? await input.clone().text() : `${init?.body}`
  return simulate(await watch(body, send), signal)
}

type Signal = AbortSignal | null | undefined

/** Breaks the connection, if the response says so. */
function simulate(response: Response, signal: Signal): Response | Promise<never> {
  const broken = response.headers.get(BROKEN)
  if (broken === 'drop') throw new Error('Network connection lost.')
  if (broken === 'hang') return timeOut(signal)
  if (broken !== 'stall' || !response.body) return response
  const { readable, writable } = new TransformStream()
  response.body.pipeTo(writable, { preventClose: true }).then(
    () => timeOut(signal).catch((error) => writable.abort(error)),
    () => {},
  )
  return new Response(readable, { status: response.status })
}

/** Fails at once if the request has a time limit, and hangs for ever if not. */
const timeOut = (signal: Signal) =>
  new Promise<never>((_, reject) => {
    if (signal) reject(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  })

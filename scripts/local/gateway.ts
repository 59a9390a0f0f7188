/**
 * The port of the marketplace. It opens last, forwards to the port of `wrangler dev`, and sees what
 * a log line for people needs: path, status, duration and the sentence of an error.
 */
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import type { Server } from 'node:net'
import type { Control } from './control.ts'
import { listen } from './port.ts'
import type { Target } from './target.ts'

export type Exchange = {
  method: string
  path: string
  requestHeaders: IncomingHttpHeaders
  /** Milliseconds. */
  duration: number
  /** Undefined if the client closed the connection before it had the response. */
  response: { status: number; headers: IncomingHttpHeaders; body: string } | undefined
}

/** Characters of the body of an error response that are kept for the log. */
const MAX_BODY = 16_384

/** The answer while the Worker restarts. Nothing was done, so clients may send the request again. */
const RESTARTING = {
  headers: { 'content-type': 'application/json', 'retry-after': '1' },
  body: JSON.stringify({ error: 'the local instance restarts', code: 'try_later' }),
}

type Handlers = {
  target: Target
  /** Answers what is below `/dev/`. */
  control: Control
  /** Called after each request to the Worker. */
  report: (exchange: Exchange) => void
}

/** Opens the port, on each address of `localhost`. */
export function openGateway(
  port: number,
  { target, control, report }: Handlers,
): Promise<Server[]> {
  const agent = new Agent()
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const start = performance.now()
    const { method = '', url: path = '', headers: requestHeaders } = incoming
    if (path.startsWith('/dev/')) return control(incoming, outgoing)
    const end = target.begin()
    const answer = forward(incoming, outgoing, { target, agent, method, path })
    outgoing.once('close', () => {
      end()
      const response = outgoing.writableFinished ? answer.response : undefined
      report({ method, path, requestHeaders, duration: performance.now() - start, response })
    })
  }
  return listen(() => createServer(handle), port, 'PORT')
}

type Forwarded = { target: Target; agent: Agent; method: string; path: string }

/** Sends the request on, and its response back. The result has the response once it is there. */
function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { target, ...options }: Forwarded,
) {
  const result: Pick<Exchange, 'response'> = { response: undefined }
  const respond = (status: number, headers: Record<string, string>, body: string) => {
    result.response = { status, headers, body }
    outgoing.writeHead(status, headers).end(body)
  }
  const sayRestarting = () => respond(503, RESTARTING.headers, RESTARTING.body)
  const url = target.url()
  if (!url) {
    sayRestarting()
    return result
  }
  // The log needs the text of errors, so they must not be compressed.
  const requestHeaders = without('accept-encoding', incoming.rawHeaders)
  const upstream = request(url, { ...options, headers: requestHeaders }, (answer) => {
    const { statusCode: status = 0, headers, rawHeaders } = answer
    const response = { status, headers, body: '' }
    result.response = response
    // It is about one connection (RFC 9110, section 7.6.1), and this is another one.
    outgoing.writeHead(status, answer.statusMessage, without('connection', rawHeaders))
    answer.on('error', () => outgoing.destroy())
    if (status >= 400)
      answer.on('data', (chunk: Buffer) => {
        if (response.body.length < MAX_BODY) response.body += chunk
      })
    answer.pipe(outgoing)
  })
  upstream.on('error', ({ message }) => {
    if (outgoing.headersSent) return
    if (target.url() !== url) return sayRestarting()
    const headers = { 'content-type': 'text/plain' }
    respond(502, headers, `The Worker does not respond: ${message}\n`)
  })
  outgoing.once('close', () => upstream.destroy())
  incoming.pipe(upstream)
  return result
}

/** Leaves a header out of a list of names and values. */
const without = (name: string, raw: string[]) =>
  raw.filter((_, i) => raw[i - (i % 2)]?.toLowerCase() !== name)

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
import { listen } from './port.ts'

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

/**
 * Opens the port, on each address of `localhost`. `target` is the URL of `wrangler dev`. `report` is
 * called after each request.
 */
export async function openGateway(
  port: number,
  target: string,
  report: (exchange: Exchange) => void,
): Promise<Server[]> {
  const options = { ...urlToHost(target), agent: new Agent() }
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const start = performance.now()
    const { method = '', url: path = '', headers: requestHeaders } = incoming
    const answer = forward(incoming, outgoing, { ...options, method, path })
    outgoing.once('close', () => {
      const response = outgoing.writableFinished ? answer.response : undefined
      report({ method, path, requestHeaders, duration: performance.now() - start, response })
    })
  }
  return listen(() => createServer(handle), port, 'PORT')
}

const urlToHost = (url: string) => {
  const { hostname, port } = new URL(url)
  return { hostname, port }
}

type Target = { hostname: string; port: string; agent: Agent; method: string; path: string }

/** Sends the request on, and its response back. The result has the response once it is there. */
function forward(incoming: IncomingMessage, outgoing: ServerResponse, target: Target) {
  const result: Pick<Exchange, 'response'> = { response: undefined }
  // The log needs the text of errors, so they must not be compressed.
  const requestHeaders = without('accept-encoding', incoming.rawHeaders)
  const upstream = request({ ...target, headers: requestHeaders }, (answer) => {
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
    const body = `The Worker does not respond: ${message}\n`
    result.response = { status: 502, headers: {}, body }
    outgoing.writeHead(502, { 'content-type': 'text/plain' }).end(body)
  })
  outgoing.once('close', () => upstream.destroy())
  incoming.pipe(upstream)
  return result
}

/** Leaves a header out of a list of names and values. */
const without = (name: string, raw: string[]) =>
  raw.filter((_, i) => raw[i - (i % 2)]?.toLowerCase() !== name)

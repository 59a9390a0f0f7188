/**
 * Downloads metadata. The URL is chosen by the author of a contract, so it may only lead to public
 * hosts: the URL itself is checked, again for each redirect, and so is the address that a name
 * resolves to, by the lookup of the connection itself.
 */
import { lookup } from 'node:dns'
import { Agent as HttpAgent, get as httpGet, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, get as httpsGet } from 'node:https'
import { gunzipSync } from 'node:zlib'
import { parseDestination } from '../../../src/avatars/destination.ts'
import { retryAfterOf } from '../../../src/delivery/chain/rpc.ts'
import { ApiError } from '../../../src/http/errors.ts'
import { delayAfter, type Wait } from './nodes.ts'
import { MetadataError } from './problem.ts'
import { PrivateAddress, publicLookup, type Resolve } from './public-lookup.ts'

/** Bytes. */
export const MAX_BYTES = 128 * 1024
const MAX_REDIRECTS = 5
/** Milliseconds for all redirects and the content together. Gateways of IPFS are slow. */
const TIMEOUT = 30_000
/** Attempts for one document. */
const ATTEMPTS = 4
/** Failures in a row after which a host is not asked any more in this run. */
const MAX_FAILURES = 20
const redirectStatuses = new Set([301, 302, 303, 307, 308])

const headers = {
  accept: 'application/json, */*;q=0.5',
  'accept-encoding': 'identity',
  'user-agent': 'marketplace-api (catalogue)',
}

type Options = {
  /** Loopback servers that are allowed, as `host:port`. */
  loopbackHosts: readonly string[]
  /** URLs that begin like this are allowed whatever their host is. */
  trusted: readonly string[]
  wait: Wait
  /** Milliseconds. */
  timeout?: number
  resolve?: Resolve
}

/** A failure that may pass. `retryAfter` is in milliseconds; 0 if the server does not say. */
class Unavailable extends Error {
  readonly retryAfter: number

  constructor(message: string, retryAfter = 0) {
    super(message)
    this.retryAfter = retryAfter
  }
}

export type Download = (url: string) => Promise<string>

/** Returns a function that downloads a text. It throws `MetadataError` with the reason. */
export function downloading({
  loopbackHosts,
  trusted,
  wait,
  timeout = TIMEOUT,
  resolve = lookup,
}: Options): Download {
  const failuresOf = new Map<string, number>()
  const agents = {
    http: new HttpAgent({ keepAlive: true }),
    https: new HttpsAgent({ keepAlive: true }),
  }

  async function attempt(text: string): Promise<string> {
    const signal = AbortSignal.timeout(timeout)
    let url = destination(text, undefined)
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const response = await send(url, signal)
      const { location } = response.headers
      if (!redirectStatuses.has(response.statusCode ?? 0) || location === undefined)
        return await read(response, signal)
      response.destroy()
      url = destination(location, url)
    }
    throw new MetadataError('metadata_unavailable', `more than ${MAX_REDIRECTS} redirects`)
  }

  const isAllowed = ({ host, href }: URL) =>
    loopbackHosts.includes(host) || trusted.some((start) => href.startsWith(start))

  function destination(text: string, base: URL | undefined): URL {
    try {
      const url = URL.parse(text, base)
      return parseDestination(text, base, url && isAllowed(url) ? [url.host] : [])
    } catch (error) {
      const reason = error instanceof ApiError ? error.issues[0]?.message : undefined
      throw new MetadataError('uri_invalid', reason ?? 'must be a URL')
    }
  }

  function send(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
    const options = { headers, signal, ...(!isAllowed(url) && { lookup: publicLookup(resolve) }) }
    const { promise, resolve: respond, reject } = Promise.withResolvers<IncomingMessage>()
    const request =
      url.protocol === 'https:'
        ? httpsGet(url.href, { ...options, agent: agents.https }, respond)
        : httpGet(url.href, { ...options, agent: agents.http }, respond)
    request.on('error', (error) => reject(failure(error, signal)))
    return promise
  }

  return async (url) => {
    const host = URL.parse(url)?.host ?? ''
    for (let tries = 1; ; tries++) {
      const failures = failuresOf.get(host) ?? 0
      if (failures >= MAX_FAILURES)
        throw new MetadataError(
          'metadata_unavailable',
          `${host} failed ${MAX_FAILURES} times in a row and was not asked again`,
        )
      try {
        const text = await attempt(url)
        failuresOf.delete(host)
        return text
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error
        failuresOf.set(host, failures + 1)
        if (tries === ATTEMPTS) throw new MetadataError('metadata_unavailable', error.message)
        await wait(error.retryAfter || delayAfter(tries + 2))
      }
    }
  }
}

function failure(error: Error, signal: AbortSignal): Error {
  if (error instanceof PrivateAddress) return new MetadataError('uri_invalid', error.message)
  if (signal.aborted) return new Unavailable('the server did not answer in time')
  const code = 'code' in error ? ` (${error.code})` : ''
  return new Unavailable(`the download failed${code}`)
}

async function read(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const { statusCode = 0, headers } = response
  if (statusCode !== 200) {
    response.destroy()
    const message = `the server answered with HTTP ${statusCode}`
    if (statusCode === 408 || statusCode === 429 || statusCode >= 500)
      throw new Unavailable(
        message,
        retryAfterOf(new Headers({ 'retry-after': headers['retry-after'] ?? '' })),
      )
    throw new MetadataError('metadata_unavailable', message)
  }
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response) {
      size += chunk.length
      if (size > MAX_BYTES) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof MetadataError) throw error
    throw failure(error instanceof Error ? error : new Error(String(error)), signal)
  }
  return new TextDecoder().decode(decompress(Buffer.concat(chunks), headers['content-encoding']))
}

export const tooLarge = () =>
  new MetadataError('metadata_too_large', `must have at most ${MAX_BYTES / 1024} KiB`)

/** Some storages send what was stored compressed, whatever the request accepts. */
function decompress(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding !== 'gzip') return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES })
  } catch {
    throw new MetadataError('metadata_invalid', 'cannot be decompressed, or is too large')
  }
}

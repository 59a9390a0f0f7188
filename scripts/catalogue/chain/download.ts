/**
 * Downloads metadata. The URL is chosen by the author of a contract, so it may only lead to public
 * hosts: the URL itself is checked, again for each redirect, and so is the address that a name
 * resolves to, by the lookup of the connection itself.
 */
import { lookup } from 'node:dns'
import { Agent as HttpAgent, get as httpGet, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, get as httpsGet } from 'node:https'
import { gunzipSync } from 'node:zlib'
import { retryAfterOf } from '../../../src/ethereum/rpc.ts'
import { parseDestination } from '../../../src/http/destination.ts'
import { ApiError } from '../../../src/http/errors.ts'
import { delayAfter, type Wait } from './nodes.ts'
import { MetadataError } from './problem.ts'
import { PrivateAddress, publicLookup, type Resolve } from './public-lookup.ts'

/** Bytes. */
export const MAX_BYTES = 128 * 1024
const MAX_REDIRECTS = 5
/** Milliseconds for all redirects and the content together. Gateways of IPFS are slow. */
const TIMEOUT = 30_000
/** Attempts for one document: until about 7 seconds have passed, or 2 minutes if it is limited. */
const ATTEMPTS = 4
const BUSY_ATTEMPTS = 8
/** Documents in a row after which a server that does not give them is not asked in this run. */
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

/** A failure that may pass. */
class Unavailable extends Error {
  /** Whether the server limits requests. */
  readonly isBusy: boolean
  /** Milliseconds; 0 if the server does not say. */
  readonly retryAfter: number

  constructor(message: string, isBusy = false, retryAfter = 0) {
    super(message)
    this.isBusy = isBusy
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
      return parseDestination(text, {
        field: 'uri',
        base,
        loopbackHosts: url && isAllowed(url) ? [url.host] : [],
      })
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

  async function repeat(url: string): Promise<string> {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(url)
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error
        if (tries === (error.isBusy ? BUSY_ATTEMPTS : ATTEMPTS)) throw error
        await wait(error.retryAfter || delayAfter(tries + 2))
      }
    }
  }

  return async (url) => {
    const host = URL.parse(url)?.host ?? ''
    const failures = failuresOf.get(host) ?? 0
    if (failures >= MAX_FAILURES)
      throw new MetadataError(
        'metadata_unavailable',
        `${host} failed ${MAX_FAILURES} times in a row and was not asked again`,
      )
    try {
      const text = await repeat(url)
      failuresOf.delete(host)
      return text
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      failuresOf.set(host, (failuresOf.get(host) ?? 0) + 1)
      throw new MetadataError('metadata_unavailable', error.message)
    }
  }
}

function failure(error: unknown, signal: AbortSignal): Error {
  if (error instanceof PrivateAddress) return new MetadataError('uri_invalid', error.message)
  if (signal.aborted) return new Unavailable('the server did not answer in time')
  const code = error instanceof Error && 'code' in error ? ` (${error.code})` : ''
  return new Unavailable(`the download failed${code}`)
}

async function read(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  if (response.statusCode !== 200) {
    response.destroy()
    throw rejection(response)
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
    throw error instanceof MetadataError ? error : failure(error, signal)
  }
  const bytes = decompress(Buffer.concat(chunks), response.headers['content-encoding'])
  return new TextDecoder().decode(bytes)
}

function rejection({ statusCode = 0, headers }: IncomingMessage): Error {
  const message = `the server answered with HTTP ${statusCode}`
  const isBusy = statusCode === 429
  if (!isBusy && statusCode !== 408 && statusCode < 500)
    return new MetadataError('metadata_unavailable', message)
  const { 'retry-after': retryAfter = '' } = headers
  return new Unavailable(message, isBusy, retryAfterOf(new Headers({ 'retry-after': retryAfter })))
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

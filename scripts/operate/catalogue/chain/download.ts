/**
 * Downloads metadata. The author of a contract chooses the URL, so it may only lead to public hosts:
 * the URL is checked, again for each redirect, and so is the address that a name resolves to, by the
 * lookup of the connection itself.
 */
import { lookup } from 'node:dns'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { get as httpsGet } from 'node:https'
import type { LookupFunction } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { isPublic, parseDestination } from '../../../../src/http/destination.ts'
import { ApiError, invalidField } from '../../../../src/http/errors.ts'
import { catalogueLimits, describeLimit } from '../../../../src/limits.ts'

const MAX_REDIRECTS = 5
const ATTEMPTS = 4

export type DownloadOptions = {
  /** Hosts that are allowed although they are not public, as `127.0.0.1:8000`. */
  loopbackHosts: readonly string[]
  /** Milliseconds for all redirects and the content together. Gateways of IPFS are slow. */
  timeout?: number
  /** Milliseconds. The wait after each attempt is twice as long as before. */
  retryDelay?: number
  /** Resolves names. */
  resolve?: typeof lookup
  /** Hosts that have failed at every attempt. They get one attempt until they answer. */
  failedHosts?: Set<string>
}

const invalidMetadata = (reason: string) => invalidField('metadata', reason)

/** Returns a text. Throws `invalid_input` with the reason. */
export async function download(url: string, options: DownloadOptions): Promise<string> {
  const { timeout = 30_000, retryDelay = 500, loopbackHosts, failedHosts } = options
  const destination = parseDestination(url, { field: 'uri', loopbackHosts })
  const attempts = failedHosts?.has(destination.host) ? 1 : ATTEMPTS
  for (let attempt = 1; ; attempt++) {
    const signal = AbortSignal.timeout(timeout)
    try {
      const text = await load(destination, signal, options)
      failedHosts?.delete(destination.host)
      return text
    } catch (error) {
      if (error instanceof ApiError) throw error
      if (attempt === attempts) {
        failedHosts?.add(destination.host)
        const reason = signal.aborted ? `no complete answer in ${timeout / 1000} seconds` : error
        throw invalidMetadata(`cannot be downloaded (${reason})`)
      }
      await setTimeout(retryDelay * 2 ** attempt)
    }
  }
}

/** Follows redirects. A failure that may pass is no `ApiError`. */
async function load(first: URL, signal: AbortSignal, options: DownloadOptions): Promise<string> {
  const { loopbackHosts } = options
  let url = first
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await send(url, signal, options)
    const { statusCode = 0, headers } = response
    if (statusCode === 200) return read(response)
    response.destroy()
    if (statusCode === 408 || statusCode === 429 || statusCode >= 500)
      throw new Error(`the server answered with HTTP ${statusCode}`)
    if (!headers.location) throw invalidMetadata(`the server answered with HTTP ${statusCode}`)
    url = parseDestination(headers.location, { field: 'uri', base: url, loopbackHosts })
  }
  throw invalidMetadata(`is behind more than ${MAX_REDIRECTS} redirects`)
}

function send(
  url: URL,
  signal: AbortSignal,
  { loopbackHosts, resolve: resolveName = lookup }: DownloadOptions,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const get = url.protocol === 'https:' ? httpsGet : httpGet
  const guard = loopbackHosts.includes(url.host) ? {} : { lookup: publicLookup(resolveName) }
  get(url.href, { signal, ...guard }, resolve)
    .on('error', reject)
    // A server that changes to another protocol gives neither a response nor an error.
    .on('close', () => reject(new Error('the server closed the connection')))
  return promise
}

/** Returns a lookup that fails unless all addresses are public. */
const publicLookup =
  (resolve: typeof lookup): LookupFunction =>
  (hostname, options, callback) =>
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      // Without an address there is no list, whatever the type says.
      if (error) return callback(error, [])
      const [first] = addresses
      if (!first) return callback(new Error(`${hostname} has no address`), [])
      const isSafe = addresses.every(({ address, family }) =>
        isPublic(family === 6 ? `[${address}]` : address),
      )
      if (!isSafe) callback(invalidField('uri', 'must point to a public host'), [])
      else if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })

async function read(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > catalogueLimits.metadata.max)
      throw invalidMetadata(`must have at most ${describeLimit(catalogueLimits.metadata)}`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

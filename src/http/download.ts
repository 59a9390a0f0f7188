/** Downloads what somebody names by a URL: from public hosts only, and up to a size. */
import { SECOND } from '../time.ts'
import { type Destination, parseDestination } from './destination.ts'
import { ApiError, invalidField } from './errors.ts'

export const MAX_REDIRECTS = 3
/** Milliseconds. */
export const TIMEOUT = 10 * SECOND

const redirectStatuses = new Set([301, 302, 303, 307, 308])

export type Download = {
  /** The header `Accept`. */
  accept: string
  /** What the server gets to know of it. */
  purpose: string
  /** Bytes. */
  max: number
  /** The error of more bytes. */
  tooLarge: () => ApiError
}

/** `timeout`: milliseconds for all redirects and the content together. */
export type DownloadFrom = Omit<Destination, 'base'> & { timeout?: number }

/** Downloads a file of any declared type. Throws `invalid_input`, and the error of more bytes. */
export async function downloadFile(
  url: string,
  download: Download,
  { timeout = TIMEOUT, ...destination }: DownloadFrom,
): Promise<Blob> {
  const invalidUrl = (reason: string) => invalidField(destination.field, reason)
  const signal = AbortSignal.timeout(timeout)
  // Every header that is sent. Nothing of the caller's request is forwarded.
  const headers = {
    accept: download.accept,
    'accept-encoding': 'identity',
    'user-agent': `marketplace-api (${download.purpose})`,
  }
  try {
    const response = await followRedirects(url, destination, { signal, headers })
    if (response.status !== 200)
      throw invalidUrl(`the server must answer 200, but answered ${response.status}`)
    return await readBody(response, download)
  } catch (error) {
    if (error instanceof ApiError) throw error
    if (signal.aborted) throw invalidUrl(`the download took longer than ${timeout / 1000} s`)
    throw invalidUrl('the download failed')
  }
}

/** `fetch` would follow redirects without a check of their destinations. */
async function followRedirects(
  start: string,
  destination: Destination,
  request: { signal: AbortSignal; headers: Record<string, string> },
): Promise<Response> {
  let url = parseDestination(start, destination)
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetch(url, { redirect: 'manual', ...request })
    const isRedirect = redirectStatuses.has(response.status)
    const location = isRedirect ? response.headers.get('location') : null
    if (location === null) return response
    await response.body?.cancel()
    url = parseDestination(location, { ...destination, base: url })
  }
  throw invalidField(destination.field, `must not redirect more than ${MAX_REDIRECTS} times`)
}

/** Counts the bytes that arrive, because `content-length` may be absent or wrong. */
async function readBody({ body, headers }: Response, { max, tooLarge }: Download): Promise<Blob> {
  if (Number(headers.get('content-length')) > max) throw tooLarge()
  if (!body) return new Blob()
  let size = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      size += chunk.byteLength
      if (size > max) throw tooLarge()
      controller.enqueue(chunk)
    },
  })
  return new Response(body.pipeThrough(counter)).blob()
}

import { type Destination, parseDestination } from '../http/destination.ts'
import { ApiError, invalidField } from '../http/errors.ts'
import { peopleLimits } from '../http/limits.ts'
import { SECOND } from '../time.ts'
import { tooLarge } from './format.ts'

export const MAX_REDIRECTS = 3
/** Milliseconds. */
export const TIMEOUT = 10 * SECOND

const redirectStatuses = new Set([301, 302, 303, 307, 308])

/** Every header that is sent. Nothing of the caller's request is forwarded. */
const headers = {
  accept: 'image/*',
  'accept-encoding': 'identity',
  'user-agent': 'marketplace-api (pictures)',
}

/**
 * Downloads a picture of any declared type; the converter checks the bytes. `timeout`: milliseconds
 * for all redirects and the content together.
 */
export async function fetchPicture(
  url: string,
  { timeout = TIMEOUT, ...destination }: Omit<Destination, 'base'> & { timeout?: number },
): Promise<Blob> {
  const invalidUrl = (reason: string) => invalidField(destination.field, reason)
  const signal = AbortSignal.timeout(timeout)
  try {
    const response = await followRedirects(url, destination, signal)
    if (response.status !== 200)
      throw invalidUrl(`the server must answer 200, but answered ${response.status}`)
    return await readPicture(response)
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
  signal: AbortSignal,
): Promise<Response> {
  let url = parseDestination(start, destination)
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetch(url, { redirect: 'manual', signal, headers })
    const isRedirect = redirectStatuses.has(response.status)
    const location = isRedirect ? response.headers.get('location') : null
    if (location === null) return response
    await response.body?.cancel()
    url = parseDestination(location, { ...destination, base: url })
  }
  throw invalidField(destination.field, `must not redirect more than ${MAX_REDIRECTS} times`)
}

/**
 * Reads a body within the limit of pictures. Counts the bytes that arrive, because `content-length` may be
 * absent or wrong.
 */
async function readPicture({ body, headers }: Response): Promise<Blob> {
  if (Number(headers.get('content-length')) > peopleLimits.picture.max) throw tooLarge()
  if (!body) return new Blob()
  let size = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      size += chunk.byteLength
      if (size > peopleLimits.picture.max) throw tooLarge()
      controller.enqueue(chunk)
    },
  })
  return new Response(body.pipeThrough(counter)).blob()
}

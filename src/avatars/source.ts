/** Reads a new picture, from the body of a request or from the server at a URL. */
import type { Context } from 'hono'
import { bufferToFormData } from 'hono/utils/buffer'
import { bodyReader } from '../http/body.ts'
import { type Destination, parseDestination } from '../http/destination.ts'
import { ApiError, invalidField } from '../http/errors.ts'
import { peopleLimits, requestLimits } from '../limits.ts'
import { SECOND } from '../time.ts'
import { tooLarge } from './picture.ts'

/** The media type in lower case without parameters; `''` if there is none. */
const mediaType = (contentType: string) => contentType.split(';')[0]?.trim().toLowerCase() ?? ''

const readBytes = bodyReader(peopleLimits.picture.max, tooLarge().message)
const readForm = bodyReader(peopleLimits.picture.max + requestLimits.form.max, tooLarge().message)

/** Returns the body, whatever type it declares. */
export const pictureFromBody = async (c: Context): Promise<Blob> => new Blob([await readBytes(c)])

/** Quotes what lacks quotes: HttpClient of .NET sends `name=avatar`, which the platform does not know. */
function quoteParameters(body: ArrayBuffer): ArrayBuffer {
  const text = Buffer.from(body).toString('latin1')
  const quoted = text.replace(/^content-disposition:.*=[^"\s].*$/gim, (header) => {
    const parameters = header.replace(/(?<=;\s*[\w*]+=)[^\s";]+/g, '"$&"')
    return /;\s*filename=/i.test(header) ? parameters : `${parameters}; filename="avatar"`
  })
  return quoted === text ? body : new Uint8Array(Buffer.from(quoted, 'latin1')).buffer
}

/** Returns the file in the form's part `avatar`. */
export async function pictureFromForm(c: Context): Promise<Blob> {
  const contentType = c.req.header('content-type') ?? ''
  if (mediaType(contentType) !== 'multipart/form-data')
    throw new ApiError('unsupported_media_type', 'send the body as multipart/form-data')
  const body = await readForm(c)
  const form = await bufferToFormData(quoteParameters(body), contentType).catch(() => {
    throw new ApiError('invalid_input', 'the body is not valid multipart/form-data')
  })
  const [file, another] = form.getAll('avatar')
  // A browser sends an empty file without a name if the visitor chose none.
  if (!(file instanceof File) || another || (file.size === 0 && file.name === ''))
    throw invalidField('avatar', 'must be exactly one part with a file')
  const type = mediaType(file.type)
  // Clearly no picture, such as HTML. The converter reads the real format from the bytes.
  if (!/^(image\/.+|application\/octet-stream|)$/.test(type))
    throw new ApiError(
      'unsupported_media_type',
      `send the picture as image/* or application/octet-stream, not as ${type}`,
    )
  if (file.size > peopleLimits.picture.max) throw tooLarge()
  if (body.byteLength - file.size > requestLimits.form.max)
    throw new ApiError('payload_too_large', 'the form may have at most 16 KiB besides the picture')
  return file
}

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

/** Answers with a stored picture. RFC 9110, sections 13 (conditions) and 14 (ranges). */
import { ApiError } from '../http/errors.ts'

const headers = {
  'content-type': 'image/jpeg',
  'cache-control': 'public, max-age=31536000, immutable',
  'accept-ranges': 'bytes',
  // Opened by itself it is a picture and nothing else; any site may show it.
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}

/**
 * The object, the part of it that is asked for, or 304. Null when there is none of this key.
 * Throws `precondition_failed`, `range_not_satisfiable`.
 */
export async function serveAvatar(
  bucket: R2Bucket,
  key: string,
  request: Headers,
): Promise<Response | null> {
  const object = await bucket.get(key, { onlyIf: request })
  if (!object) return null
  const validators = {
    ...headers,
    etag: object.httpEtag,
    'last-modified': object.uploaded.toUTCString(),
  }
  if (!('body' in object)) {
    if (request.has('if-match') || request.has('if-unmodified-since'))
      throw new ApiError('precondition_failed', 'the picture is another one')
    return new Response(null, { status: 304, headers: validators })
  }
  // A picture is some 50 KB: to cut it here is less than to learn how R2 takes each odd range.
  const bytes = await object.arrayBuffer()
  const range = isStillFor(request, object.httpEtag)
    ? rangeOf(request.get('range') ?? '', object.size)
    : null
  if (!range) return new Response(bytes, { headers: validators })
  const { first, last } = range
  return new Response(bytes.slice(first, last + 1), {
    status: 206,
    headers: { ...validators, 'content-range': `bytes ${first}-${last}/${object.size}` },
  })
}

/** A range belongs to the content that `If-Range` names; a date is no strong validator for us. */
const isStillFor = (request: Headers, etag: string) =>
  !request.has('if-range') || request.get('if-range') === etag

/** Positions of the first and the last byte; null for the whole: no range, several, or nonsense. */
function rangeOf(header: string, size: number): { first: number; last: number } | null {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? []
  if (from === '' && to === '') return null
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null
  const first = from === '' ? Math.max(size - Number(to), 0) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (first < size) return { first, last }
  throw new ApiError('range_not_satisfiable', `the picture has ${size} bytes`, {
    'Content-Range': `bytes */${size}`,
  })
}

import * as z from 'zod'
import type { Operation } from '../../../src/http/endpoint.ts'
import { bookmarkPattern } from '../../../src/http/request-context.ts'

const text = z.string().optional()
const bookmark = z.string().regex(bookmarkPattern).optional()
const seconds = z.int().min(1)

export const bookmarkParameter = bookmark.meta({
  description:
    'The `x-d1-bookmark` of your last response. This request reads data at least as new, so you ' +
    'can read your own writes.',
  param: { in: 'header', name: 'x-d1-bookmark', id: 'Bookmark' },
})

export const ifNoneMatchParameter = text.meta({
  description: 'The `ETag` of the copy that you have. If it is still right, the answer is 304.',
  param: { in: 'header', name: 'If-None-Match', id: 'IfNoneMatch' },
})

/** Headers of every response, also of those that caches may keep. docs/versioning.md promises them. */
export const deprecationHeaders = {
  Deprecation: z
    .string()
    .regex(/^@\d+$/)
    .optional()
    .meta({
      description:
        'Since when the operation is deprecated: `@` and a Unix time in seconds (RFC 9745). Absent ' +
        'if it is not.',
      example: '@1798761600',
      header: { id: 'Deprecation' },
    }),
  Sunset: text.meta({
    description:
      'From when on the deprecated operation may be gone, as an HTTP date (RFC 8594). Absent if ' +
      'it is not deprecated.',
    example: 'Sat, 01 Jan 2028 00:00:00 GMT',
    header: { id: 'Sunset' },
  }),
}

const header = (id: string, schema: z.ZodType, description: string) =>
  schema.meta({ description, header: { id } })

/** Headers of every response that caches may not keep. */
export const commonHeaders = {
  ...deprecationHeaders,
  'x-request-id': header(
    'RequestId',
    z.uuid(),
    'The id of this request. Quote it when you ask for support.',
  ),
  'x-d1-bookmark': header(
    'Bookmark',
    bookmark,
    'The state of the database that this request has seen. Send it with the next request. Absent ' +
      'if the request did not use the database.',
  ),
}

export const wwwAuthenticate = header(
  'WwwAuthenticate',
  z.string(),
  'The authentication scheme to use (RFC 9110): `Bearer`. If a token was sent, also `error` and ' +
    '`error_description`: what is wrong with it (RFC 6750).',
)

export const acceptEncoding = header(
  'AcceptEncoding',
  z.literal('identity').optional(),
  'Set if the body was compressed: send it as it is (RFC 7694).',
)

export const retryAfter = header('RetryAfter', seconds, 'Seconds to wait before the next attempt.')

/** Of a status that has other codes as well. */
export const retryAfterOfSome = header(
  'RetryAfterOfSome',
  seconds.optional(),
  'Seconds to wait before the next attempt. Only with `request_in_progress` and `try_later`.',
)

/** By name. A component is declared by using the same object everywhere. */
const headers = new Map<string, z.ZodType>()

/** Returns the headers that only this endpoint has. */
export function ownHeaders(declared: Operation['headers'] = {}): Record<string, z.ZodType> {
  for (const [name, description] of Object.entries(declared))
    if (!headers.has(name)) headers.set(name, header(name.replaceAll('-', ''), text, description))
  return Object.fromEntries([...headers].filter(([name]) => name in declared))
}

import * as z from 'zod'
import type { Operation } from '../../../src/http/endpoint.ts'
import { bookmarkPattern } from '../../../src/http/request-context.ts'

export const bookmarkParameter = z
  .string()
  .regex(bookmarkPattern)
  .optional()
  .meta({
    description:
      'The `x-d1-bookmark` of your last response. This request reads data at least as new, so ' +
      'you can read your own writes.',
    param: { in: 'header', name: 'x-d1-bookmark', id: 'Bookmark' },
  })

export const ifNoneMatchParameter = z
  .string()
  .optional()
  .meta({
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
  Sunset: z
    .string()
    .optional()
    .meta({
      description:
        'From when on the deprecated operation may be gone, as an HTTP date (RFC 8594). Absent if ' +
        'it is not deprecated.',
      example: 'Sat, 01 Jan 2028 00:00:00 GMT',
      header: { id: 'Sunset' },
    }),
}

/** Headers of every response that caches may not keep. */
export const commonHeaders = {
  ...deprecationHeaders,
  'x-request-id': z.uuid().meta({
    description: 'The id of this request. Quote it when you ask for support.',
    header: { id: 'RequestId' },
  }),
  'x-d1-bookmark': z
    .string()
    .regex(bookmarkPattern)
    .optional()
    .meta({
      description:
        'The state of the database that this request has seen. Send it with the next request. ' +
        'Absent if the request did not use the database.',
      header: { id: 'Bookmark' },
    }),
}

export const wwwAuthenticate = z.string().meta({
  description:
    'The authentication scheme to use (RFC 9110): `Bearer`. If a token was sent, also `error` and ' +
    '`error_description`: what is wrong with it (RFC 6750).',
  header: { id: 'WwwAuthenticate' },
})

export const acceptEncoding = z
  .literal('identity')
  .optional()
  .meta({
    description: 'Set if the body was compressed: send it as it is (RFC 7694).',
    header: { id: 'AcceptEncoding' },
  })

export const retryAfter = z
  .int()
  .min(1)
  .meta({ description: 'Seconds to wait before the next attempt.', header: { id: 'RetryAfter' } })

/** Of a status that has other codes as well. */
export const retryAfterOfSome = z
  .int()
  .min(1)
  .optional()
  .meta({
    description:
      'Seconds to wait before the next attempt. Only with `request_in_progress` and `try_later`.',
    header: { id: 'RetryAfterOfSome' },
  })

/** By name. A component is declared by using the same object everywhere. */
const headers = new Map<string, z.ZodType>()

/** Returns the headers that only this endpoint has. */
export function ownHeaders(declared: Operation['headers'] = {}): Record<string, z.ZodType> {
  for (const [name, description] of Object.entries(declared)) {
    const id = name.replaceAll('-', '')
    if (!headers.has(name))
      headers.set(name, z.string().optional().meta({ description, header: { id } }))
  }
  return Object.fromEntries([...headers].filter(([name]) => name in declared))
}

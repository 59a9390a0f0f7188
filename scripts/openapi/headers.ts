import * as z from 'zod'
import { bookmarkPattern } from '../../src/http/request-context.ts'
import { callerIdPattern } from '../../src/http/request-log.ts'

export const requestIdParameter = z
  .string()
  .regex(callerIdPattern)
  .optional()
  .meta({
    description:
      'Your own id of this request. The server logs it beside its own id, which the response has.',
    param: { in: 'header', name: 'x-request-id', id: 'RequestId' },
  })

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

/** Headers of every response. */
export const commonHeaders = {
  'x-request-id': z.string().meta({
    description: 'The id of this request. Quote it when you ask for support.',
    header: { id: 'RequestId' },
  }),
  'x-d1-bookmark': z
    .string()
    .optional()
    .meta({
      description:
        'The state of the database that this request has seen. Send it with the next request. ' +
        'Absent if the request did not use the database.',
      header: { id: 'Bookmark' },
    }),
}

export const wwwAuthenticate = z.literal('Bearer').meta({
  description: 'The authentication scheme to use (RFC 9110).',
  header: { id: 'WwwAuthenticate' },
})

export const retryAfter = z
  .string()
  .regex(/^[1-9]\d*$/)
  .meta({ description: 'Seconds to wait before the next attempt.', header: { id: 'RetryAfter' } })

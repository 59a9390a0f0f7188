import * as z from 'zod'
import { isBookmark } from '../context.ts'

export const requestIdParameter = z
  .string()
  .regex(/^[\w\-=]{1,255}$/)
  .optional()
  .meta({
    description: 'An id of your own for this request; without one, we make one.',
    param: { in: 'header', name: 'x-request-id', id: 'RequestId' },
  })

export const bookmarkParameter = z
  .string()
  .regex(isBookmark)
  .optional()
  .meta({
    description:
      'The `x-d1-bookmark` of your last answer: this one will be at least as new, so that you ' +
      'read what you have written.',
    param: { in: 'header', name: 'x-d1-bookmark', id: 'Bookmark' },
  })

/** Headers of every answer. */
export const commonHeaders = {
  'x-request-id': z.string().meta({
    description: 'Names this request; quote it when you ask us about it.',
    header: { id: 'RequestId' },
  }),
  'x-d1-bookmark': z
    .string()
    .optional()
    .meta({
      description: 'The state of the database that you have seen, when it was asked.',
      header: { id: 'Bookmark' },
    }),
}

export const wwwAuthenticate = z.literal('Bearer').meta({
  description: 'The scheme that would do (RFC 9110).',
  header: { id: 'WwwAuthenticate' },
})

export const retryAfter = z
  .string()
  .regex(/^[1-9]\d*$/)
  .meta({ description: 'Seconds to wait.', header: { id: 'RetryAfter' } })

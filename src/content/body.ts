/** The body of a request that uploads a file. It is streamed, so its length has to be known. */
import type { Context } from 'hono'
import { ApiError } from '../http/errors.ts'
import { contentLimits, describeLimit } from '../limits.ts'

/** Returns the body and its length in bytes. Throws `length_required`, `payload_too_large`, `file_differs`. */
export function fileFromBody(c: Context): { body: ReadableStream; length: number } {
  const length = c.req.header('content-length')
  if (!length || !/^\d{1,15}$/.test(length))
    throw new ApiError('length_required', 'the header Content-Length is required')
  if (Number(length) > contentLimits.file.max)
    throw new ApiError(
      'payload_too_large',
      `a file may have at most ${describeLimit(contentLimits.file)}`,
    )
  const { body } = c.req.raw
  if (!body) throw new ApiError('file_differs', 'the body is empty')
  return { body, length: Number(length) }
}

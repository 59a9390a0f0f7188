import { ApiError } from '../http/errors.ts'

/** Largest picture, in bytes. */
export const MAX_BYTES = 10 * 1024 * 1024

export const tooLarge = (reason = `it has more than ${MAX_BYTES / 1024 / 1024} MiB`) =>
  new ApiError('payload_too_large', `the picture is too large: ${reason}`)

/**
 * Reads a body of at most `limit` bytes. Counts the bytes that arrive, because `content-length` may
 * be absent or wrong. Throws `payload_too_large`, and the platform's error if the body breaks off.
 */
export async function readLimited(
  { body, headers }: Pick<Request | Response, 'body' | 'headers'>,
  limit = MAX_BYTES,
): Promise<Blob> {
  if (Number(headers.get('content-length')) > limit) throw tooLarge()
  if (!body) return new Blob()
  let size = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      size += chunk.byteLength
      if (size > limit) throw tooLarge()
      controller.enqueue(chunk)
    },
  })
  return new Response(body.pipeThrough(counter)).blob()
}

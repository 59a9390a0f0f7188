/** Reads request bodies up to a limit. */
import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { ApiError } from './errors.ts'

const KIBIBYTE = 1024

/** Largest form, and what a form may have besides a picture, in bytes. */
export const MAX_FORM_BYTES = 16 * KIBIBYTE

/**
 * Returns a function that reads a body of at most `maxSize` bytes, and keeps it in the request for
 * handlers. It refuses a body without reading it if `content-length` is above the limit. Throws
 * `payload_too_large` with the message, `unsupported_media_type` if the body is compressed, and
 * `invalid_input` if it breaks off.
 */
export function bodyReader(maxSize: number, message: string) {
  const limit = bodyLimit({
    maxSize,
    onError: () => {
      throw new ApiError('payload_too_large', message)
    },
  })
  return async (c: Context): Promise<ArrayBuffer> => {
    // RFC 7694.
    if (!/^(identity)?$/i.test(c.req.header('content-encoding') ?? ''))
      throw new ApiError('unsupported_media_type', 'send the body without Content-Encoding', {
        'Accept-Encoding': 'identity',
      })
    try {
      await limit(c, async () => void (await c.req.arrayBuffer()))
      return await c.req.arrayBuffer()
    } catch (error) {
      if (error instanceof ApiError) throw error
      throw new ApiError('invalid_input', 'the body broke off')
    }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Decodes a body. Throws `invalid_input` if it is not UTF-8. */
export function decodeUtf8(bytes: ArrayBuffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ApiError('invalid_input', 'the body is not valid UTF-8')
  }
}

/** Reads a form. Throws `payload_too_large`, `invalid_input`. */
export const formBody = bodyReader(
  MAX_FORM_BYTES,
  `a form may have at most ${MAX_FORM_BYTES / KIBIBYTE} KiB`,
)

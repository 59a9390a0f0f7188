import { ApiError } from '../http/errors.ts'

/** Largest picture, in bytes. */
export const MAX_BYTES = 10 * 1024 * 1024

const tooManyBytes = `it has more than ${MAX_BYTES / 1024 / 1024} MiB`

/** Some plans of Cloudflare convert AVIF and HEIC, too. */
export const notConvertible = (reason = 'the picture cannot be converted') =>
  new ApiError('unsupported_media_type', `${reason}: send a JPEG, PNG, GIF or WebP file`)

/** Returns the error for a picture that is too large. */
export const tooLarge = (reason = tooManyBytes) =>
  new ApiError('payload_too_large', `the picture is too large: ${reason}`)

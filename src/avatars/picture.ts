import { ApiError } from '../http/errors.ts'
import { removeMetadata } from './jpeg.ts'
import { tooLarge } from './limits.ts'

/** Longest edge of a stored picture, in pixels. */
export const MAX_EDGE = 512
export const MAX_PIXELS = 50_000_000

/** Accepted formats, as the Images binding detects them from the bytes. */
const formats = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/heic',
  'image/heif',
])

/** Longest edge of an AVIF picture, in pixels. Cloudflare reads no larger ones; `wrangler dev` does. */
export const MAX_AVIF_EDGE = 1200

/**
 * Error codes of Cloudflare Images for pictures that it cannot convert: not a picture, broken, or of
 * an unsupported format. Codes that are not listed here or below mean a failure of the service.
 */
const unusableCodes = new Set([9412, 9416, 9516, 9520, 9523])
/** Error codes for pictures with too many bytes or pixels. */
const oversizedCodes = new Set([9402, 9413])
/** `wrangler dev` has one code for all errors, and this message for too many pixels. */
const oversizedMessage = /exceeds pixel limit/

/**
 * Converts the first frame of a picture to an upright JPEG of at most 512 × 512 pixels without
 * metadata. The conversion proves that the file is an image and drops everything else in it.
 * Throws `unsupported_media_type`, `payload_too_large`.
 */
export async function toJpeg(
  images: ImagesBinding,
  picture: Blob,
): Promise<Uint8Array<ArrayBuffer>> {
  if (picture.size === 0) throw notConvertible()
  const info = await withApiErrors(images.info(picture.stream()))
  if (!formats.has(info.format)) throw notConvertible()
  if ('width' in info && info.width * info.height > MAX_PIXELS)
    throw tooLarge(`it has more than ${MAX_PIXELS / 1e6} megapixels`)
  if (info.format === 'image/avif' && Math.max(info.width, info.height) > MAX_AVIF_EDGE)
    throw tooLarge(`as AVIF, its longer edge may have at most ${MAX_AVIF_EDGE} pixels`)
  const output = await withApiErrors(
    images
      .input(picture.stream())
      .transform({ width: MAX_EDGE, height: MAX_EDGE, fit: 'scale-down' })
      .output({ format: 'image/jpeg', quality: 85, background: '#ffffff', anim: false }),
  )
  // The converter may keep a copyright notice, and returns files that it cannot convert unchanged.
  const jpeg = removeMetadata(new Uint8Array(await output.response().arrayBuffer()))
  if (!jpeg || jpeg.width > MAX_EDGE || jpeg.height > MAX_EDGE) throw notConvertible()
  return jpeg.bytes
}

const notConvertible = () =>
  new ApiError(
    'unsupported_media_type',
    'the picture cannot be converted: send a JPEG, PNG, GIF, WebP, AVIF or HEIC file',
  )

/** Turns errors of the converter that the picture causes into errors for the client. */
async function withApiErrors<T>(conversion: Promise<T>): Promise<T> {
  try {
    return await conversion
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? Number(error.code) : 0
    if (oversizedCodes.has(code) || oversizedMessage.test(String(error)))
      throw tooLarge('it has more pixels than can be converted')
    if (unusableCodes.has(code)) throw notConvertible()
    throw error
  }
}

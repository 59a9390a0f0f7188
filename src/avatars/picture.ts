/** Any picture in, a small JPEG out. Decisions: "Avatars", stored as, accepted, limits. */
import { ApiError } from '../http/errors.ts'
import { withoutMetadata } from './jpeg.ts'
import { tooLarge } from './limits.ts'

/** Longest edge of what is stored, in pixels. */
const EDGE = 512
const MAX_PIXELS = 50_000_000

/** What the bytes may be, as the converter tells; what they were called counts for nothing. */
const formats = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/heic',
  'image/heif',
  // Without pixels of its own: `wrangler dev` makes some, Cloudflare refuses it with 9412.
  'image/svg+xml',
])

/**
 * Codes by which the converter refuses a picture (Cloudflare Images, "Errors"): not a picture or
 * none that it converts, broken, unsupported. All others are troubles of the service.
 */
const unusable = new Set([9412, 9416, 9516, 9520, 9523])
/** More bytes or pixels than the converter takes. */
const oversized = new Set([9402, 9413])
/** The converter of `wrangler dev` has one code for all, and says this. */
const isPixelLimit = /exceeds pixel limit/

/**
 * The first frame as a JPEG of at most 512 × 512, upright, with nothing but pixels in it: that it
 * was decoded and encoded again proves that it is an image, and leaves behind what it hid.
 * Throws `unsupported_media_type`, `payload_too_large`.
 */
export async function toJpeg(
  images: ImagesBinding,
  picture: Blob,
): Promise<Uint8Array<ArrayBuffer>> {
  if (picture.size === 0) throw notAPicture()
  const info = await converted(images.info(picture.stream()))
  if (!formats.has(info.format)) throw notAPicture()
  if ('width' in info && info.width * info.height > MAX_PIXELS)
    throw tooLarge('it has more than 50 megapixels')
  const output = await converted(
    images
      .input(picture.stream())
      .transform({ width: EDGE, height: EDGE, fit: 'scale-down' })
      .output({ format: 'image/jpeg', quality: 85, background: '#ffffff', anim: false }),
  )
  // The converter may keep a copyright notice, and passes on what it cannot transform.
  const jpeg = withoutMetadata(new Uint8Array(await output.response().arrayBuffer()))
  if (!jpeg || jpeg.width > EDGE || jpeg.height > EDGE) throw notAPicture()
  return jpeg.bytes
}

const notAPicture = () =>
  new ApiError('unsupported_media_type', 'this is not a picture that can be converted to JPEG')

/** Tells a bad picture from a bad day of the converter's. */
async function converted<T>(conversion: Promise<T>): Promise<T> {
  try {
    return await conversion
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? Number(error.code) : 0
    if (oversized.has(code) || isPixelLimit.test(String(error)))
      throw tooLarge('it has more pixels than can be converted')
    if (unusable.has(code)) throw notAPicture()
    throw error
  }
}

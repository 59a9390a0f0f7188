import { tryLater } from '../http/errors.ts'
import { peopleLimits } from '../http/limits.ts'
import { log } from '../log.ts'
import { notConvertible, readHeader, tooLarge } from './format.ts'
import { removeMetadata } from './jpeg.ts'
import { mayBeTransparent, onWhite } from './transparency.ts'

/** Longest edge of an avatar, in pixels. */
export const MAX_EDGE = 512

/**
 * Error codes of Cloudflare Images for pictures that it cannot convert: not a picture, broken, or of
 * an unsupported format. Codes that are not listed here or below mean a failure of the service.
 */
const unusableCodes = new Set([9412, 9416, 9516, 9520, 9523])
/** Error codes for pictures with too many bytes or pixels. */
const oversizedCodes = new Set([9402, 9413])
/**
 * Error codes of a service that cannot convert at the moment: the quota of the account is used up,
 * or the service is busy or fails.
 */
const unavailableCodes = new Set([9422, 9522, 9527, 9528, 9529])
/** `wrangler dev` has one code for all errors, and this message for too many pixels. */
const oversizedMessage = /exceeds pixel limit/

/**
 * Converts the first frame of a picture to an upright JPEG without metadata, whose longest edge has
 * at most `edge` pixels. `claim` is called before the conversion, because each costs. A picture that
 * may be transparent is converted twice. The conversion proves
 * that the file is an image and drops everything else in it.
 */
export async function toJpeg(
  images: ImagesBinding,
  picture: Blob,
  { edge, claim }: { edge: number; claim: () => Promise<unknown> },
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await picture.arrayBuffer())
  const header = readHeader(bytes)
  if (!header) throw notConvertible()
  const { pixels = 0 } = header
  if (pixels > peopleLimits.pixels.max)
    throw tooLarge(`it has more than ${peopleLimits.pixels.max / 1e6} megapixels`)
  await claim()
  const convert = async (source: Blob, format: 'image/jpeg' | 'image/png') => {
    const output = await images
      .input(source.stream())
      .transform({ width: edge, height: edge, fit: 'scale-down' })
      .output({ format, quality: 85, background: '#ffffff', anim: false })
      .catch(throwApiError)
    return new Uint8Array(await output.response().arrayBuffer())
  }
  const opaque = mayBeTransparent(bytes)
    ? await onWhite(await convert(picture, 'image/png')).catch(() => bytes)
    : bytes
  // The converter may keep a copyright notice, and returns files that it cannot convert unchanged.
  const jpeg = removeMetadata(await convert(new Blob([opaque]), 'image/jpeg'))
  if (!jpeg || jpeg.width > edge || jpeg.height > edge) throw notConvertible()
  return jpeg.bytes
}

/** Throws the error for the client that an error of the converter means. */
function throwApiError(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? Number(error.code) : 0
  if (oversizedCodes.has(code) || oversizedMessage.test(String(error)))
    throw tooLarge('it has more pixels than can be converted')
  if (unusableCodes.has(code)) throw notConvertible()
  if (!unavailableCodes.has(code)) throw error
  log.error('pictures_unavailable', { error })
  throw tryLater('pictures cannot be converted at the moment', 60)
}

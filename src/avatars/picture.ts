/**
 * Converts pictures. Which ones are accepted is read from the header of the file, which costs no
 * conversion.
 */
import type { Database } from '../db/client.ts'
import { ApiError, tryLater } from '../http/errors.ts'
import { countFailure } from '../http/failures.ts'
import { describeLimit, peopleLimits } from '../limits.ts'
import { log } from '../log.ts'
import { removeMetadata } from './jpeg.ts'

/** Some plans of Cloudflare convert AVIF and HEIC, too. */
const notConvertible = (reason = 'the picture cannot be converted') =>
  new ApiError('unsupported_media_type', `${reason}: send a JPEG, PNG, GIF or WebP file`)

export const tooLarge = (reason = `it has more than ${describeLimit(peopleLimits.picture)}`) =>
  new ApiError('payload_too_large', `the picture is too large: ${reason}`)

/** The size of the frame, or of the canvas, of a WebP file (RFC 9649). */
function webpPixels(chunk: string, view: DataView): number | undefined {
  const uint24 = (offset: number) =>
    view.getUint16(offset, true) + view.getUint8(offset + 2) * 65536
  switch (chunk) {
    case 'VP8X':
      return (uint24(24) + 1) * (uint24(27) + 1)
    case 'VP8 ':
      return (view.getUint16(26, true) & 0x3fff) * (view.getUint16(28, true) & 0x3fff)
    case 'VP8L': {
      const bits = view.getUint32(21, true)
      return ((bits & 0x3fff) + 1) * (((bits >>> 14) & 0x3fff) + 1)
    }
    default:
      return undefined
  }
}

/**
 * Returns the header of a picture that may be converted; null for any other file. `pixels` is
 * undefined if the size is not in a simple place.
 */
export function readHeader(bytes: Uint8Array<ArrayBuffer>): { pixels?: number | undefined } | null {
  if (bytes.length < 32) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, 32)
  const start = String.fromCharCode(...bytes.subarray(0, 16))
  if (start.startsWith('\xff\xd8\xff')) {
    const jpeg = removeMetadata(bytes)
    return { pixels: jpeg ? jpeg.width * jpeg.height : undefined }
  }
  // Only programs of Apple read it.
  if (start.endsWith('CgBI')) throw notConvertible('it is a PNG of Xcode (CgBI)')
  if (start.startsWith('\x89PNG\r\n\x1a\n'))
    return { pixels: view.getUint32(16) * view.getUint32(20) }
  if (/^GIF8[79]a/.test(start)) return { pixels: view.getUint16(6, true) * view.getUint16(8, true) }
  if (/^RIFF.{4}WEBP/s.test(start)) return { pixels: webpPixels(start.slice(12), view) }
  // AVIF and HEIC (ISO/IEC 23008-12).
  const [, brand] = /^.{4}ftyp(.{4})/s.exec(start) ?? []
  return brand && /^(avi[fs]|hei[cxms]|hev[cxms]|mif1|msf1)$/.test(brand) ? {} : null
}

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

/** Throws `unsupported_media_type` or `payload_too_large` if a file cannot be converted. */
export async function requireConvertible(picture: Blob): Promise<void> {
  const header = readHeader(new Uint8Array(await picture.arrayBuffer()))
  if (!header) throw notConvertible()
  const { pixels = 0 } = header
  if (pixels > peopleLimits.pixels.max)
    throw tooLarge(`it has more than ${peopleLimits.pixels.max / 1e6} megapixels`)
}

/**
 * Converts the first frame of a picture to an upright JPEG without metadata, whose longest edge has
 * at most `edge` pixels, on white where it is transparent. Each conversion costs: call
 * `requireConvertible` first. The conversion proves that the file is an image and drops everything else
 * in it.
 */
export async function toJpeg(
  { images, db, now }: { images: ImagesBinding; db: Database; now: Date },
  picture: Blob,
  edge: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const output = await images
    .input(picture.stream())
    .transform({ width: edge, height: edge, fit: 'scale-down' })
    // The converter of `wrangler dev` ignores `background`, and makes black of what is transparent.
    .output({ format: 'image/jpeg', quality: 85, background: '#ffffff', anim: false })
    .catch(async (error) => {
      const code = error instanceof Error && 'code' in error ? Number(error.code) : 0
      if (unavailableCodes.has(code)) {
        log.error('pictures_unavailable', { error })
        await countFailure(db, 'pictures', now)
        throw tryLater('pictures cannot be converted at the moment', 60)
      }
      throw readError(error, code)
    })
  const bytes = new Uint8Array(await output.response().arrayBuffer())
  // The converter may keep a copyright notice, and returns files that it cannot convert unchanged.
  const jpeg = removeMetadata(bytes)
  if (!jpeg || jpeg.width > edge || jpeg.height > edge) throw notConvertible()
  return jpeg.bytes
}

/** Returns what to answer if the picture is at fault; else the error itself. */
function readError(error: unknown, code: number): unknown {
  if (oversizedCodes.has(code) || oversizedMessage.test(String(error)))
    return tooLarge('it has more pixels than can be converted')
  return unusableCodes.has(code) ? notConvertible() : error
}

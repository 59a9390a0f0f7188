/**
 * Which pictures are accepted. Reads the format and the size of a picture from its header, which
 * costs no conversion.
 */
import { ApiError } from '../http/errors.ts'
import { describeLimit, peopleLimits } from '../http/limits.ts'
import { removeMetadata } from './jpeg.ts'

/** Some plans of Cloudflare convert AVIF and HEIC, too. */
export const notConvertible = (reason = 'the picture cannot be converted') =>
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

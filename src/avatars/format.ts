/**
 * Which pictures are accepted. Reads the format and the size of a picture from its header, which
 * costs no conversion.
 */
import { ApiError } from '../http/errors.ts'
import { describeLimit, peopleLimits } from '../http/limits.ts'

/** Reads the segments of a JPEG file (ITU-T T.81, annex B). */

/** Markers: the second byte after 0xFF. */
const SOI = 0xd8
const SOS = 0xda
const COM = 0xfe
const APP0 = 0xe0
const APP2 = 0xe2
const APP14 = 0xee
const APP15 = 0xef

/** Frame headers: C0 to CF without the tables (C4, CC) and the reserved marker (C8). */
const isFrameHeader = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/**
 * Comments and application data. JFIF (APP0), the colour profile (APP2) and Adobe's colour
 * transform (APP14) are needed to show the pixels correctly.
 */
const isMetadata = (marker: number) =>
  marker === COM || (marker >= APP0 && marker <= APP15 && ![APP0, APP2, APP14].includes(marker))

/** Width and height are in pixels. */
type Jpeg = { bytes: Uint8Array<ArrayBuffer>; width: number; height: number }

/**
 * Removes EXIF, XMP, IPTC, comments and vendor data from a JPEG. Returns null if the bytes are not
 * a JPEG.
 */
export function removeMetadata(bytes: Uint8Array<ArrayBuffer>): Jpeg | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes[0] !== 0xff || bytes[1] !== SOI) return null
  const segments = [bytes.subarray(0, 2)]
  let width = 0
  let height = 0
  for (let offset = 2; offset + 9 < bytes.length; ) {
    const marker = bytes[offset + 1] ?? 0
    if (bytes[offset] !== 0xff || marker < 0xc0) return null
    if (marker === SOS) {
      segments.push(bytes.subarray(offset))
      const whole = Uint8Array.from(Buffer.concat(segments))
      return width * height > 0 ? { bytes: whole, width, height } : null
    }
    const end = offset + 2 + view.getUint16(offset + 2)
    if (isFrameHeader(marker)) {
      height = view.getUint16(offset + 5)
      width = view.getUint16(offset + 7)
    }
    if (!isMetadata(marker)) segments.push(bytes.subarray(offset, end))
    offset = end
  }
  return null
}

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

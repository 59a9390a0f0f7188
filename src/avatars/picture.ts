/**
 * Converts pictures. Which ones are accepted is read from the header of the file, which costs no
 * conversion.
 */
import { ApiError, tryLater } from '../http/errors.ts'
import { describeLimit, peopleLimits } from '../http/limits.ts'
import { log } from '../log.ts'

/** Markers of the segments of a JPEG file (ITU-T T.81, annex B): the second byte after 0xFF. */
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

function throwApiError(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? Number(error.code) : 0
  if (oversizedCodes.has(code) || oversizedMessage.test(String(error)))
    throw tooLarge('it has more pixels than can be converted')
  if (unusableCodes.has(code)) throw notConvertible()
  if (!unavailableCodes.has(code)) throw error
  log.error('pictures_unavailable', { error })
  throw tryLater('pictures cannot be converted at the moment', 60)
}

type Bytes = Uint8Array<ArrayBuffer>

/** Whether pixels may be transparent: not those of a JPEG, nor of a PNG with colours alone. */
export function mayBeTransparent(bytes: Bytes): boolean {
  const hasColoursAlone = bytes[0] === 0x89 && [0, 2].includes(bytes[25] ?? 0)
  return bytes[0] !== 0xff && (!hasColoursAlone || Buffer.from(bytes.buffer).includes('tRNS'))
}

/**
 * A JPEG has no transparency, and the converter of `wrangler dev`, which does not know `background`,
 * paints it black. Returns a PNG with white behind its pixels, if they have 8 bits and a channel for transparency, and
 * no filters. Any other file stays as it is. Throws if the PNG is broken.
 */
export async function onWhite(png: Bytes): Promise<Bytes> {
  const file = Buffer.from(png)
  if (file[0] !== 0x89 || file.toString('hex', 24, 29) !== '0806000000') return png
  const width = file.readUInt32BE(16)
  const height = file.readUInt32BE(20)
  // A converter may return a file as it was.
  if (width * height > 4_000_000) return png
  const parts: Buffer[] = []
  for (let start = 8; start + 12 < file.length; start += 12 + file.readUInt32BE(start))
    if (file.toString('latin1', start + 4, start + 8) === 'IDAT')
      parts.push(file.subarray(start + 8, start + 8 + file.readUInt32BE(start)))
  // Not at the start of the Worker, which it would delay.
  const { crc32, deflateSync, inflateSync } = await import('node:zlib')
  const row = 1 + 4 * width
  const pixels = inflateSync(Buffer.concat(parts), { maxOutputLength: height * row })
  for (let i = 0; i < pixels.length; i++) {
    const x = i % row
    // The first byte of a row is its filter, the fourth one of a pixel its alpha.
    if (x === 0 && pixels[i] !== 0) return png
    if (x % 4 === 0) pixels[i] = x === 0 ? 0 : 255
    else pixels[i] = 255 + ((pixels[i - (x % 4) + 4] ?? 0) / 255) * ((pixels[i] ?? 0) - 255)
  }
  const chunk = Buffer.concat([Buffer.from('....IDAT'), deflateSync(pixels), Buffer.alloc(4)])
  chunk.writeUInt32BE(chunk.length - 12)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4)
  // The first chunk and the last one stay.
  return Uint8Array.from(Buffer.concat([file.subarray(0, 33), chunk, file.subarray(-12)]))
}

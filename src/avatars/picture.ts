import { tryLater } from '../http/errors.ts'
import { peopleLimits } from '../http/limits.ts'
import { log } from '../log.ts'
import { notConvertible, readHeader, removeMetadata, tooLarge } from './format.ts'

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

/**
 * Puts transparent pictures on white. A JPEG has no transparency, and the converter of `wrangler dev`,
 * which does not know `background`, paints it black.
 */

type Bytes = Uint8Array<ArrayBuffer>

/** Whether pixels may be transparent: not those of a JPEG, nor of a PNG with colours alone. */
export function mayBeTransparent(bytes: Bytes): boolean {
  const hasColoursAlone = bytes[0] === 0x89 && [0, 2].includes(bytes[25] ?? 0)
  return bytes[0] !== 0xff && (!hasColoursAlone || Buffer.from(bytes.buffer).includes('tRNS'))
}

/**
 * Returns a PNG with white behind its pixels, if they have 8 bits and a channel for transparency, and
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

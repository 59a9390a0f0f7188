/** What a JPEG file is made of (ITU-T T.81, annex B): just enough to vouch for one. */

/** Markers, the second byte after 0xFF. */
const SOI = 0xd8
const SOS = 0xda
const COM = 0xfe
const APP0 = 0xe0
const APP2 = 0xe2
const APP14 = 0xee
const APP15 = 0xef

/** Frame headers (C0 to CF, without the tables and the reserved one among them). */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** JFIF, the colour profile and Adobe's colour transform say how to show the pixels; nothing else may. */
const isMetadata = (marker: number) =>
  marker === COM || (marker >= APP0 && marker <= APP15 && ![APP0, APP2, APP14].includes(marker))

export type Jpeg = { bytes: Uint8Array<ArrayBuffer>; width: number; height: number }

/**
 * The same picture without EXIF, XMP, IPTC, comments and maker's data, and its size in pixels.
 * Null for bytes that are no JPEG.
 */
export function withoutMetadata(bytes: Uint8Array<ArrayBuffer>): Jpeg | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes[0] !== 0xff || bytes[1] !== SOI) return null
  const kept = [bytes.subarray(0, 2)]
  let [width, height] = [0, 0]
  for (let at = 2; at + 9 < bytes.length; ) {
    const marker = bytes[at + 1] ?? 0
    if (bytes[at] !== 0xff || marker < 0xc0) return null
    if (marker === SOS) {
      kept.push(bytes.subarray(at))
      return width * height > 0 ? { bytes: concatenated(kept), width, height } : null
    }
    const end = at + 2 + view.getUint16(at + 2)
    if (isFrame(marker)) [height, width] = [view.getUint16(at + 5), view.getUint16(at + 7)]
    if (!isMetadata(marker)) kept.push(bytes.subarray(at, end))
    at = end
  }
  return null
}

function concatenated(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}

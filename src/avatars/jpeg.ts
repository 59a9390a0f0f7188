/** Reads the segments of a JPEG file, and removes those that say more than its pixels. */

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

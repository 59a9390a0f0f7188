/** Puts white behind transparent pixels before a picture becomes a JPEG. */

type Bytes = Uint8Array<ArrayBuffer>

/** Whether pixels may be transparent: not those of a JPEG, nor of a PNG with colours alone. */
export function mayBeTransparent(bytes: Bytes): boolean {
  const hasColoursAlone = bytes[0] === 0x89 && [0, 2].includes(bytes[25] ?? 0)
  return bytes[0] !== 0xff && (!hasColoursAlone || Buffer.from(bytes.buffer).includes('tRNS'))
}

/**
 * A JPEG has no transparency, and the converter of `wrangler dev`, which does not know `background`,
 * paints it black. Returns a PNG with white behind its pixels, if they have 8 bits and a channel for
 * transparency, and no filters. Any other file stays as it is. Throws if the PNG is broken.
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

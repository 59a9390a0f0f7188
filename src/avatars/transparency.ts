/**
 * Puts transparent pictures on white: a JPEG has no transparency, and converters paint it black. They
 * all write PNG, so that is what is painted here (PNG specification, sections 9 and 11).
 */
type Bytes = Uint8Array<ArrayBuffer>

/** Whether the header of a picture says that some pixels may be transparent. */
export function mayBeTransparent(bytes: Bytes): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const has = (name: string, end: number) => file.subarray(0, end).includes(name, 0, 'latin1')
  const bit = (offset: number, mask: number) => ((file[offset] ?? 0) & mask) > 0
  switch (file.toString('latin1', 0, 4)) {
    case '\x89PNG':
      return bit(25, 4) || has('tRNS', file.indexOf('IDAT'))
    case 'GIF8':
      return bit(file.indexOf('\x21\xf9\x04', 0, 'latin1') + 3, 1)
    case 'RIFF':
      // The lossless format has the bit in another place than the extended one.
      return has('VP8X', 16) ? bit(20, 16) : has('VP8L', 16) && bit(24, 16)
    default:
      // AVIF and HEIC.
      return has('auxiliary:alpha', 4096) || has('auxid:1', 4096)
  }
}

/** Pixels of the largest picture that is painted. */
const MAX_PAINTED = 4_000_000

/**
 * Returns a PNG with white behind its pixels. Any other file stays as it is: a PNG whose pixels are
 * opaque, and one that a converter returns unchanged. Throws if the PNG is broken.
 */
export async function onWhite(png: Bytes): Promise<Bytes> {
  const begin = String.fromCharCode(...png.subarray(0, 29))
  // What converters write: 8 bits, colours with transparency, not interlaced.
  if (!begin.startsWith('\x89PNG') || !begin.endsWith('\x08\x06\0\0\0')) return png
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength)
  const [width, height] = [view.getUint32(16), view.getUint32(20)]
  if (width * height > MAX_PAINTED) return png
  // Not at the start of the Worker, which it would delay.
  const { crc32, deflateSync, inflateSync } = await import('node:zlib')
  const length = 4 * width
  const maxOutputLength = height * (1 + length)
  const data = inflateSync(readChunks(png, view, 'IDAT'), { maxOutputLength })
  const painted = Buffer.alloc(height * (1 + 3 * width))
  let above: Uint8Array = new Uint8Array(length)
  for (let y = 0; y < height; y++) {
    const start = y * (1 + length)
    const row = data.subarray(start + 1, start + 1 + length)
    unfilter(data[start] ?? 0, row, above)
    paint(row, painted.subarray(y * (1 + 3 * width) + 1))
    above = row
  }
  const header = Buffer.from(png.subarray(16, 29))
  // Colours without transparency.
  header[9] = 2
  const toChunk = (type: string, data: Uint8Array) => {
    const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)])
    chunk.writeUInt32BE(data.length)
    chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4)
    return chunk
  }
  return Uint8Array.from(
    Buffer.concat([
      png.subarray(0, 8),
      toChunk('IHDR', header),
      toChunk('IDAT', deflateSync(painted)),
      toChunk('IEND', Buffer.alloc(0)),
    ]),
  )
}

/** Joins the data of the chunks of a type. */
function readChunks(png: Bytes, view: DataView, type: string): Buffer {
  const parts: Uint8Array[] = []
  for (let offset = 8; offset + 12 <= png.length; offset += 12 + view.getUint32(offset))
    if (String.fromCharCode(...png.subarray(offset + 4, offset + 8)) === type)
      parts.push(png.subarray(offset + 8, offset + 8 + view.getUint32(offset)))
  return Buffer.concat(parts)
}

/** Adds to each byte what the filter predicts from its neighbours. */
function unfilter(filter: number, row: Uint8Array, above: Uint8Array): void {
  for (let x = 0; x < row.length; x++) {
    const left = row[x - 4] ?? 0
    row[x] = (row[x] ?? 0) + predict(filter, left, above[x] ?? 0, above[x - 4] ?? 0)
  }
}

function predict(filter: number, left: number, up: number, corner: number): number {
  if (filter < 2) return filter === 1 ? left : 0
  if (filter < 4) return filter === 2 ? up : (left + up) >> 1
  const [toLeft, toUp] = [Math.abs(up - corner), Math.abs(left - corner)]
  const toCorner = Math.abs(left + up - 2 * corner)
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}

/** Writes a row without its transparency. */
function paint(row: Uint8Array, painted: Uint8Array): void {
  for (let pixel = 0; 4 * pixel < row.length; pixel++) {
    const alpha = (row[4 * pixel + 3] ?? 0) / 255
    for (let i = 0; i < 3; i++)
      painted[3 * pixel + i] = Math.round(255 + alpha * ((row[4 * pixel + i] ?? 0) - 255))
  }
}

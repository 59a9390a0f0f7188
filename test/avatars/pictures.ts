/** Pictures to upload, and how to look at what came of them. */

import { env } from 'cloudflare:workers'
import { crc32, deflateSync, inflateSync } from 'node:zlib'

type Bytes = Uint8Array<ArrayBuffer>

/** The file behind an import that ends in `?inline`. */
export const fileOf = async (dataUrl: string): Promise<Bytes> =>
  new Uint8Array(await (await fetch(dataUrl)).arrayBuffer())

export const text = (value: string): Bytes => new Uint8Array(Buffer.from(value))

export function joined(...parts: Uint8Array[]): Bytes {
  return new Uint8Array(Buffer.concat(parts))
}

/** Zeros as zlib packs them (RFC 1950), a thousandth of their size. */
export async function packedZeros(bytes: number): Promise<Bytes> {
  const MEBIBYTE = new Uint8Array(1024 * 1024)
  let left = bytes
  const zeros = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(MEBIBYTE.slice(0, left))
      left -= MEBIBYTE.length
      if (left <= 0) controller.close()
    },
  })
  const packed = zeros.pipeThrough(new CompressionStream('deflate'))
  return new Uint8Array(await new Response(packed).arrayBuffer())
}

type Colour = readonly [red: number, green: number, blue: number]

/** A PNG of one colour (PNG specification, section 5); `deflated` stands in for its pixels. */
export function aPng({
  width = 8,
  height = 8,
  colour = [200, 30, 90],
  deflated,
}: {
  width?: number
  height?: number
  colour?: Colour
  deflated?: Uint8Array
} = {}): Bytes {
  const header = new DataView(new ArrayBuffer(13))
  header.setUint32(0, width)
  header.setUint32(4, height)
  header.setUint8(8, 8)
  header.setUint8(9, 2)
  const row = joined(new Uint8Array(1), ...Array.from({ length: width }, () => Buffer.from(colour)))
  const pixels = () => deflateSync(joined(...Array.from({ length: height }, () => row)))
  return joined(
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', new Uint8Array(header.buffer)),
    chunk('IDAT', deflated ?? pixels()),
    chunk('IEND', new Uint8Array(0)),
  )
}

function chunk(type: string, data: Uint8Array): Bytes {
  const body = joined(text(type), data)
  const frame = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return bytes
  }
  return joined(frame(data.byteLength), body, frame(crc32(body)))
}

const converted = async (
  picture: Bytes,
  transform: ImageTransform,
  format: ImageOutputOptions['format'],
) => {
  const output = await env.IMAGES.input(new Blob([picture]).stream())
    .transform(transform)
    .output({ format })
  return new Uint8Array(await output.response().arrayBuffer())
}

/** A JPEG of one colour. */
export const aJpeg = (options: Parameters<typeof aPng>[0] = {}): Promise<Bytes> =>
  converted(aPng(options), {}, 'image/jpeg')

/** What is in the middle of each quarter: top left, top right, bottom left, bottom right. */
export async function quartersOf(picture: Bytes): Promise<string[]> {
  const png = await converted(picture, { width: 4, height: 4, fit: 'squeeze' }, 'image/png')
  const pixels = decoded(png)
  return [0, 3, 12, 15].map((at) => name(pixels.slice(at * 3, at * 3 + 3)))
}

/** The colour by its strongest part: print has no blue as bright as a screen's. */
function name([red = 0, green = 0, blue = 0]: Uint8Array): string {
  const strongest = Math.max(red, green, blue)
  if (strongest - Math.min(red, green, blue) < 64) return strongest > 127 ? 'white' : 'black'
  if (strongest === red) return 'red'
  return strongest === green ? 'green' : 'blue'
}

/** The RGB pixels of a 4 × 4 PNG of 8 bits (PNG specification, section 9: filters). */
function decoded(png: Bytes): Bytes {
  const channels = png[25] === 6 ? 4 : 3
  const length = 4 * channels
  const data = inflateSync(idat(png))
  const rows: Uint8Array[] = []
  for (let y = 0; y < 4; y++) {
    const filter = data[y * (length + 1)] ?? 0
    const row = new Uint8Array(length)
    for (let x = 0; x < length; x++) {
      const [a, b, c] = [
        row[x - channels] ?? 0,
        rows[y - 1]?.[x] ?? 0,
        rows[y - 1]?.[x - channels] ?? 0,
      ]
      const predicted = [0, a, b, (a + b) >> 1, paeth(a, b, c)][filter] ?? 0
      row[x] = (data[y * (length + 1) + 1 + x] ?? 0) + predicted
    }
    rows.push(row)
  }
  const all = joined(...rows)
  return all.filter((_, i) => i % channels < 3)
}

function paeth(a: number, b: number, c: number): number {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)]
  if (pa <= pb && pa <= pc) return a
  return pb <= pc ? b : c
}

function idat(png: Bytes): Bytes {
  const view = new DataView(png.buffer)
  const parts: Uint8Array[] = []
  for (let at = 8; at < png.length; at += 12 + view.getUint32(at)) {
    const type = Buffer.from(png.subarray(at + 4, at + 8)).toString()
    if (type === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + view.getUint32(at)))
  }
  return joined(...parts)
}

/** Format and size of a picture, as the converter tells. */
export async function sizeOf(picture: Bytes): Promise<string> {
  const info = await env.IMAGES.info(new Blob([picture]).stream())
  return 'width' in info ? `${info.format} ${info.width}×${info.height}` : info.format
}

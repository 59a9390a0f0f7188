/** Makes pictures to upload, and inspects the results. */
import { env } from 'cloudflare:workers'
import { crc32, deflateSync, inflateSync } from 'node:zlib'

type Bytes = Uint8Array<ArrayBuffer>

/** Returns the bytes of an import that ends in `?inline`. */
export const readFixture = async (dataUrl: string): Promise<Bytes> =>
  new Uint8Array(await (await fetch(dataUrl)).arrayBuffer())

export const encode = (value: string): Bytes => new Uint8Array(Buffer.from(value))

export const concat = (...parts: Uint8Array[]): Bytes => new Uint8Array(Buffer.concat(parts))

/** Zeros that are compressed with zlib (RFC 1950) to a thousandth of their size. */
export async function deflatedZeros(bytes: number): Promise<Bytes> {
  const chunkOfZeros = new Uint8Array(1024 * 1024)
  let left = bytes
  const zeros = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(chunkOfZeros.slice(0, left))
      left -= chunkOfZeros.length
      if (left <= 0) controller.close()
    },
  })
  const deflated = zeros.pipeThrough(new CompressionStream('deflate'))
  return new Uint8Array(await new Response(deflated).arrayBuffer())
}

type Colour =
  | readonly [red: number, green: number, blue: number]
  | readonly [red: number, green: number, blue: number, alpha: number]

/** A PNG of one colour (PNG specification, section 5). `deflated` replaces the pixel data. */
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
  header.setUint8(9, colour.length === 4 ? 6 : 2)
  const row = concat(new Uint8Array(1), ...Array.from({ length: width }, () => Buffer.from(colour)))
  const pixels = () => deflateSync(concat(...Array.from({ length: height }, () => row)))
  return concat(
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', new Uint8Array(header.buffer)),
    chunk('IDAT', deflated ?? pixels()),
    chunk('IEND', new Uint8Array(0)),
  )
}

function chunk(type: string, data: Uint8Array): Bytes {
  const body = concat(encode(type), data)
  const uint32 = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return bytes
  }
  return concat(uint32(data.byteLength), body, uint32(crc32(body)))
}

const convert = async (
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
  convert(aPng(options), {}, 'image/jpeg')

/** Returns the colour of each quarter: top left, top right, bottom left, bottom right. */
export async function quarterColours(picture: Bytes): Promise<string[]> {
  const png = await convert(picture, { width: 4, height: 4, fit: 'squeeze' }, 'image/png')
  const pixels = decodePng(png)
  return [0, 3, 12, 15].map((pixel) => colourName(pixels.slice(pixel * 3, pixel * 3 + 3)))
}

/** Names a colour by its strongest channel, because conversion from CMYK changes shades. */
function colourName([red = 0, green = 0, blue = 0]: Uint8Array): string {
  const strongest = Math.max(red, green, blue)
  if (strongest - Math.min(red, green, blue) < 64) return strongest > 127 ? 'white' : 'black'
  if (strongest === red) return 'red'
  return strongest === green ? 'green' : 'blue'
}

/** Returns the RGB pixels of an 8-bit PNG of 4 × 4 pixels (PNG specification, section 9). */
function decodePng(png: Bytes): Bytes {
  const channels = png[25] === 6 ? 4 : 3
  const length = 4 * channels
  const data = inflateSync(imageData(png))
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
  const all = concat(...rows)
  return all.filter((_, i) => i % channels < 3)
}

function paeth(a: number, b: number, c: number): number {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)]
  if (pa <= pb && pa <= pc) return a
  return pb <= pc ? b : c
}

/** Joins the IDAT chunks. */
function imageData(png: Bytes): Bytes {
  const view = new DataView(png.buffer)
  const parts: Uint8Array[] = []
  for (let offset = 8; offset < png.length; offset += 12 + view.getUint32(offset)) {
    const type = Buffer.from(png.subarray(offset + 4, offset + 8)).toString()
    if (type === 'IDAT') parts.push(png.subarray(offset + 8, offset + 8 + view.getUint32(offset)))
  }
  return concat(...parts)
}

/** Returns the format and the size in pixels, as in `image/jpeg 512×256`. */
export async function formatAndSize(picture: Bytes): Promise<string> {
  const info = await env.IMAGES.info(new Blob([picture]).stream())
  return 'width' in info ? `${info.format} ${info.width}×${info.height}` : info.format
}

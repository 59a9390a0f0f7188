/** Pictures for the demo catalogue, so small that they fit into metadata. */
import { crc32, deflateSync } from 'node:zlib'

const EDGE = 600

type Colour = readonly [red: number, green: number, blue: number]

/** Returns waves of colours between the two, as the `data:` URL of a PNG with a palette. */
export function waves(from: Colour, to: Colour, count: number): string {
  const palette = Array.from({ length: 256 }, (_, i) => {
    const share = Math.abs(128 - i) / 128
    return from.map((value, channel) => Math.round(value + ((to[channel] ?? 0) - value) * share))
  })
  const swing = (i: number, waves: number) =>
    Math.round(Math.sin((i / EDGE) * Math.PI * 2 * waves) * 64)
  const rowOf = (y: number) =>
    Array.from({ length: EDGE }, (_, x) => (swing(x, count) + swing(y, 1) + (y >> 2)) & 255)
  const rows = Array.from({ length: EDGE }, (_, y) => rowOf(y))
  // Filter "up": each row is what it adds to the one above, and repeats itself then.
  const filtered = rows.flatMap((row, y) => [
    2,
    ...row.map((value, x) => (value - (rows[y - 1]?.[x] ?? 0)) & 255),
  ])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(EDGE, 0)
  header.writeUInt32BE(EDGE, 4)
  header.set([8, 3], 8)
  const png = Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(Buffer.from(filtered), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
  return `data:image/png;base64,${png.toString('base64')}`
}

/** A chunk of a PNG: length, type, content and checksum. */
function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const uint32 = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return bytes
  }
  return Buffer.concat([uint32(content.length), body, uint32(crc32(body))])
}

import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { mayBeTransparent, onWhite } from '../../src/avatars/transparency.ts'
import { aPng } from './pictures.ts'

const [WIDTH, HEIGHT] = [7, 10]
const uint32 = (value: number) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value])
const chunk = (type: string, data: Uint8Array) => {
  const body = Buffer.concat([Buffer.from(type), data])
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))])
}

/** A file of 60 bytes that begins with this text, with these bytes at an offset. */
function aFile(start: string, offset = 0, ...bytes: number[]): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(60)
  file.set(Buffer.from(start, 'latin1'))
  file.set(bytes, offset)
  return file
}

/** The pixels of a row: colours and transparencies that change in both directions. */
const rowOf = (y: number) =>
  Array.from({ length: 4 * WIDTH }, (_, x) => (x * 37 + y * 91 + x * y * 13) % 256)

/** What each filter predicts of a byte (PNG specification, section 9). */
const predictions = [
  () => 0,
  (left: number) => left,
  (_: number, up: number) => up,
  (left: number, up: number) => Math.floor((left + up) / 2),
  (left: number, up: number, corner: number) => {
    const estimate = left + up - corner
    const distance = (value: number) => Math.abs(estimate - value)
    const nearest = Math.min(distance(left), distance(up), distance(corner))
    return [left, up, corner].find((value) => distance(value) === nearest) ?? 0
  },
]

/** A PNG whose rows have the filters 0 to 4 in turn, in two chunks of data. */
function filtered() {
  const rows = Array.from({ length: HEIGHT }, (_, y) => {
    const above = y > 0 ? rowOf(y - 1) : []
    const filter = y % 5
    const bytes = rowOf(y).map((value, x, row) => {
      const [left = 0, up = 0, corner = 0] = [row[x - 4], above[x], above[x - 4]]
      return (value - (predictions[filter]?.(left, up, corner) ?? 0)) & 255
    })
    return [filter, ...bytes]
  })
  const data = deflateSync(Uint8Array.from(rows.flat()))
  return Uint8Array.from(
    Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      chunk('IHDR', Buffer.concat([uint32(WIDTH), uint32(HEIGHT), Buffer.from([8, 6, 0, 0, 0])])),
      chunk('IDAT', data.subarray(0, 20)),
      chunk('IDAT', data.subarray(20)),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  )
}

it('paints each pixel on white, whatever filter its row has', async () => {
  const painted = Buffer.from(await onWhite(filtered()))
  expect([...painted.subarray(16, 29)]).toEqual([0, 0, 0, WIDTH, 0, 0, 0, HEIGHT, 8, 2, 0, 0, 0])
  const start = painted.indexOf('IDAT') + 4
  const data = inflateSync(painted.subarray(start, start + painted.readUInt32BE(start - 8)))
  const expected = Array.from({ length: HEIGHT }, (_, y) => {
    const row = rowOf(y)
    const colours = row.flatMap((value, x) => {
      const alpha = (row[x - (x % 4) + 3] ?? 0) / 255
      return x % 4 === 3 ? [] : [Math.round(value * alpha + 255 * (1 - alpha))]
    })
    return [0, ...colours]
  })
  expect([...data]).toEqual(expected.flat())
})

it.each([
  ['a PNG without transparency', aPng()],
  ['another file', aFile('RIFF....WEBPVP8X')],
  ['a short file', new Uint8Array(3)],
  [
    'a PNG larger than a converter returns',
    aPng({ width: 2001, height: 2000, colour: [0, 0, 0, 0], deflated: new Uint8Array(9) }),
  ],
])('leaves %s as it is', async (_, file) => {
  expect(await onWhite(file)).toBe(file)
})

it('fails on a PNG that is broken, or has more pixels than its header says', async () => {
  const colour = [0, 0, 0, 0] as const
  const bomb = deflateSync(new Uint8Array(10_000))
  for (const deflated of [new Uint8Array(9), bomb])
    await expect(onWhite(aPng({ colour, deflated }))).rejects.toThrow()
})

it.each([
  ['PNG with a channel', aPng({ colour: [0, 0, 0, 0] }), true],
  ['PNG without', aPng(), false],
  ['PNG with grey and a channel', aFile('\x89PNG', 25, 4), true],
  ['PNG with a table', aFile('\x89PNG....................\x08\x03.......tRNS...IDAT'), true],
  [
    'PNG with a table in its pixels',
    aFile('\x89PNG....................\x08\x03...IDAT..tRNS'),
    false,
  ],
  ['GIF with a transparent colour', aFile('GIF89a.......!\xf9\x04\x01'), true],
  ['GIF without', aFile('GIF89a.......!\xf9\x04\x04'), false],
  ['GIF without a control block', aFile('GIF87a'), false],
  ['WebP, extended', aFile('RIFF....WEBPVP8X', 20, 0x10), true],
  ['WebP, extended and opaque', aFile('RIFF....WEBPVP8X', 20, 0x2c), false],
  ['WebP, lossless', aFile('RIFF....WEBPVP8L', 24, 0x10), true],
  ['WebP, lossless and opaque', aFile('RIFF....WEBPVP8L', 24, 0x0f), false],
  ['WebP, lossy', aFile('RIFF....WEBPVP8 ', 20, 0xff, 0xff, 0xff, 0xff, 0xff), false],
  ['AVIF', aFile('....ftypavif....urn:mpeg:mpegB:cicp:systems:auxiliary:alpha'), true],
  ['AVIF without', aFile('....ftypavif'), false],
  ['HEIC', aFile('....ftypheic....urn:mpeg:hevc:2015:auxid:1'), true],
  ['JPEG', aFile('\xff\xd8\xff\xe0'), false],
])('sees in the header whether a picture may be transparent: %s', (_, file, expected) => {
  expect(mayBeTransparent(file)).toBe(expected)
})

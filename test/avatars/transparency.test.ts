import { deflateSync, inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { mayBeTransparent, onWhite } from '../../src/avatars/picture.ts'
import { aPng } from './pictures.ts'

const colour = [0, 0, 0, 0] as const

/** A PNG of 2 × 2 pixels with transparency. The first byte of each row is its filter. */
const aPngWith = (...rows: number[][]) =>
  aPng({ width: 2, height: 2, colour, deflated: deflateSync(Uint8Array.from(rows.flat())) })

it('puts each pixel on white', async () => {
  const png = aPngWith([0, 200, 30, 90, 0, 200, 30, 90, 255], [0, 0, 100, 255, 51, 5, 5, 5, 204])
  const painted = Buffer.from(await onWhite(png))
  expect(painted.subarray(0, 33)).toEqual(Buffer.from(png.subarray(0, 33)))
  const start = painted.indexOf('IDAT') + 4
  const pixels = inflateSync(painted.subarray(start, start + painted.readUInt32BE(start - 8)))
  expect([...pixels]).toEqual([
    ...[0, 255, 255, 255, 255, 200, 30, 90, 255],
    ...[0, 204, 224, 255, 255, 55, 55, 55, 255],
  ])
})

/** A file of 60 bytes that begins with this text, with these bytes at an offset. */
function aFile(start: string, offset = 0, ...bytes: number[]): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(60)
  file.set(Buffer.from(start, 'latin1'))
  file.set(bytes, offset)
  return file
}

it.each([
  ['a PNG without transparency', aPng()],
  ['a PNG with filters', aPngWith([0, 1, 2, 3, 4, 5, 6, 7, 8], [4, 1, 2, 3, 4, 5, 6, 7, 8])],
  ['a PNG that is larger than converted ones', aPng({ width: 2001, height: 2000, colour })],
  ['another file', aFile('RIFF....WEBPVP8X')],
  ['a short file', new Uint8Array(3)],
])('leaves %s as it is', async (_, file) => {
  expect(await onWhite(file)).toBe(file)
})

it('fails on a PNG that is broken, or has more pixels than its header says', async () => {
  for (const deflated of [new Uint8Array(9), deflateSync(new Uint8Array(10_000))])
    await expect(onWhite(aPng({ colour, deflated }))).rejects.toThrow()
})

it.each([
  ['JPEG', aFile('\xff\xd8\xff\xe0'), false],
  ['PNG with colours alone', aPng(), false],
  ['PNG with grey alone', aFile('\x89PNG', 25, 0), false],
  ['PNG with a channel', aPng({ colour }), true],
  ['PNG with grey and a channel', aFile('\x89PNG', 25, 4), true],
  ['PNG with a palette', aFile('\x89PNG', 25, 3), true],
  ['PNG with one transparent colour', aFile('\x89PNG....................\x08\x02...tRNS'), true],
  [
    'PNG with one transparent colour after a large profile',
    Buffer.concat([aFile('\x89PNG', 25, 2), new Uint8Array(100_000), aFile('tRNS')]),
    true,
  ],
  ['GIF', aFile('GIF89a'), true],
  ['WebP', aFile('RIFF....WEBPVP8X'), true],
  ['AVIF', aFile('....ftypavif'), true],
])('sees in the header whether a picture may be transparent: %s', (_, file, expected) => {
  expect(mayBeTransparent(file)).toBe(expected)
})

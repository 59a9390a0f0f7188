import { deflateSync, inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { readHeader } from '../../src/avatars/picture.ts'
import { mayBeTransparent, onWhite } from '../../src/avatars/transparency.ts'
import { aPng } from './pictures.ts'

/** A file of 60 bytes that begins with this text, with these bytes at an offset. */
function aFile(start: string, offset = 0, ...bytes: number[]): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(60)
  file.set(Buffer.from(start, 'latin1'))
  file.set(bytes, offset)
  return file
}

it.each([
  ['PNG', aFile('\x89PNG\r\n\x1a\n', 16, 0, 0, 3, 232, 0, 0, 7, 208), 1000 * 2000],
  ['GIF', aFile('GIF89a', 6, 232, 3, 208, 7), 1000 * 2000],
  ['WebP, lossy', aFile('RIFF....WEBPVP8 ', 26, 232, 3, 208, 7), 1000 * 2000],
  // 999 and 1999 in 14 bits each.
  ['WebP, lossless', aFile('RIFF....WEBPVP8L', 21, 0xe7, 0xc3, 0xf3, 0x01), 1000 * 2000],
  ['WebP, extended', aFile('RIFF....WEBPVP8X', 24, 231, 3, 0, 207, 7, 0), 1000 * 2000],
  ['WebP of another kind', aFile('RIFF....WEBPVP9 '), undefined],
  ['JPEG without a frame', aFile('\xff\xd8\xff\xe0'), undefined],
  ['AVIF', aFile('....ftypavif'), undefined],
  ['HEIC', aFile('....ftypheic'), undefined],
])('finds the number of pixels in the header: %s', (_, file, pixels) => {
  expect(readHeader(file)).toEqual({ pixels })
})

it('refuses a PNG that Xcode has changed, and says what to send', () => {
  expect(() => readHeader(aFile('\x89PNG\r\n\x1a\n\0\0\0\x04CgBI', 16, 0x50, 0, 0x20, 2))).toThrow(
    'it is a PNG of Xcode (CgBI): send a JPEG, PNG, GIF or WebP file',
  )
})

it.each([
  ['text', aFile('<svg xmlns="http://www.w3.org/2000/svg">')],
  ['a video', aFile('....ftypmp42')],
  ['a short file', aFile('GIF89a').subarray(0, 31)],
  ['nothing', new Uint8Array(0)],
])('finds that it is no picture: %s', (_, file) => {
  expect(readHeader(file)).toBeNull()
})

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

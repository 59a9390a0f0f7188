import { expect, it } from 'vitest'
import { readHeader } from '../../src/avatars/picture.ts'

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

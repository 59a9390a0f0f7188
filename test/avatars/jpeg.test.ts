import { expect, it } from 'vitest'
import { removeMetadata } from '../../src/avatars/jpeg.ts'
import phone from './fixtures/phone.jpg?inline'
import { aJpeg, aPng, concat, encode, quarterColours, readFixture } from './pictures.ts'

const segment = (marker: number, data: string) =>
  concat(Uint8Array.of(0xff, marker, 0, data.length + 2), encode(data))

it('removes EXIF, XMP, comments and vendor data, and keeps the pixels', async () => {
  const file = await readFixture(phone)
  const clean = removeMetadata(file)
  const result = Buffer.from(clean?.bytes ?? []).toString('latin1')
  expect(result).not.toMatch(/Exif|Phone|Berlin|taken at home|secret/)
  expect(clean).toMatchObject({ width: 64, height: 40 })
  // Without the EXIF orientation, the photo has the orientation of the sensor.
  expect(await quarterColours(clean?.bytes ?? file)).toEqual(['green', 'white', 'red', 'blue'])
})

it('keeps the colour profile', async () => {
  const jpeg = await aJpeg()
  const added = [segment(0xe2, 'ICC_PROFILE'), segment(0xe1, 'Exif'), segment(0xed, 'Photoshop')]
  const clean = removeMetadata(concat(jpeg.subarray(0, 2), ...added, jpeg.subarray(2)))
  const result = Buffer.from(clean?.bytes ?? []).toString('latin1')
  expect(result).toContain('ICC_PROFILE')
  expect(result).not.toMatch(/Exif|Photoshop/)
  expect(clean?.bytes.length).toBe(jpeg.length + (added[0]?.length ?? 0))
})

it('returns null for bytes that are not a JPEG', async () => {
  const jpeg = await aJpeg()
  for (const bytes of [
    new Uint8Array(),
    encode('<svg/>'),
    aPng(),
    jpeg.slice(0, 2),
    jpeg.slice(0, 40),
    concat(jpeg.subarray(0, 2), encode('<script>alert(1)</script>')),
    concat(jpeg.subarray(0, 2), Uint8Array.of(0xff, 0xe1, 0xff, 0xff), new Uint8Array(20)),
  ])
    expect(removeMetadata(bytes)).toBeNull()
})

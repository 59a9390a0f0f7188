import { expect, it } from 'vitest'
import { withoutMetadata } from '../../src/avatars/jpeg.ts'
import phone from './fixtures/phone.jpg?inline'
import { aJpeg, aPng, fileOf, joined, quartersOf, text } from './pictures.ts'

const segment = (marker: number, data: string) =>
  joined(Uint8Array.of(0xff, marker, 0, data.length + 2), text(data))

it('takes EXIF, XMP, comments and maker’s data out, and leaves the pixels', async () => {
  const file = await fileOf(phone)
  const clean = withoutMetadata(file)
  const kept = Buffer.from(clean?.bytes ?? []).toString('latin1')
  expect(kept).not.toMatch(/Exif|Phone|Berlin|taken at home|secret/)
  expect(clean).toMatchObject({ width: 64, height: 40 })
  // Without its orientation the photo lies as the sensor saw it.
  expect(await quartersOf(clean?.bytes ?? file)).toEqual(['green', 'white', 'red', 'blue'])
})

it('keeps what says how to show the pixels', async () => {
  const jpeg = await aJpeg()
  const added = [segment(0xe2, 'ICC_PROFILE'), segment(0xe1, 'Exif'), segment(0xed, 'Photoshop')]
  const clean = withoutMetadata(joined(jpeg.subarray(0, 2), ...added, jpeg.subarray(2)))
  const kept = Buffer.from(clean?.bytes ?? []).toString('latin1')
  expect(kept).toContain('ICC_PROFILE')
  expect(kept).not.toMatch(/Exif|Photoshop/)
  expect(clean?.bytes.length).toBe(jpeg.length + (added[0]?.length ?? 0))
})

it('knows what is no JPEG', async () => {
  const jpeg = await aJpeg()
  for (const bytes of [
    new Uint8Array(),
    text('<svg/>'),
    aPng(),
    jpeg.slice(0, 2),
    jpeg.slice(0, 40),
    joined(jpeg.subarray(0, 2), text('<script>alert(1)</script>')),
    joined(jpeg.subarray(0, 2), Uint8Array.of(0xff, 0xe1, 0xff, 0xff), new Uint8Array(20)),
  ])
    expect(withoutMetadata(bytes)).toBeNull()
})

import { env } from 'cloudflare:workers'
import { describe, expect, inject, it, vi } from 'vitest'
import { inLong } from '../support/cases.ts'
import animated from './fixtures/animated.gif?inline'
import cmyk from './fixtures/cmyk.jpg?inline'
import deep from './fixtures/deep.png?inline'
import phone from './fixtures/phone.jpg?inline'
import avif from './fixtures/photo.avif?inline'
import webp from './fixtures/photo.webp?inline'
import {
  aJpeg,
  aPng,
  concat,
  deflatedZeros,
  encode,
  formatAndSize,
  quarterColours,
  readFixture,
} from './pictures.ts'
import {
  aCaller,
  getAvatarUrl,
  storedPicture,
  uploadBytes,
  uploadForm,
  uploadUrl,
} from './uploads.ts'

type Bytes = Uint8Array<ArrayBuffer>

const upload = async (picture: Bytes) => uploadBytes(picture, await aCaller())
const latin1 = (bytes: Bytes) => Buffer.from(bytes).toString('latin1')

/** Returns the status of an upload that must not change the user's avatar. */
async function statusOfRejected(picture: Bytes): Promise<number> {
  const caller = await aCaller()
  const before = await getAvatarUrl('me', caller.token)
  const response = await uploadBytes(picture, caller)
  expect(await getAvatarUrl('me', caller.token)).toBe(before)
  return response.status
}

describe('a stored picture', () => {
  it.each([
    ['WebP', webp],
    ['AVIF', avif],
    ['PNG of 16 bits', deep],
    ['JPEG for print (CMYK)', cmyk],
  ])('is a JPEG with the same content: %s', async (_, file) => {
    const picture = await storedPicture(await upload(await readFixture(file)))
    expect(await formatAndSize(picture)).toBe('image/jpeg 40×64')
    expect(await quarterColours(picture)).toEqual(['red', 'green', 'blue', 'white'])
  })

  it.each([
    [1600, 800, '512×256'],
    [300, 3000, '51×512'],
    [1, 1, '1×1'],
  ])('of %i × %i pixels is scaled down to %s', async (width, height, size) => {
    const picture = await storedPicture(await upload(aPng({ width, height })))
    expect(await formatAndSize(picture)).toBe(`image/jpeg ${size}`)
  })

  it('is the first frame of an animation', async () => {
    const picture = await storedPicture(await upload(await readFixture(animated)))
    expect(await formatAndSize(picture)).toBe('image/jpeg 24×24')
    expect(await quarterColours(picture)).toEqual(Array(4).fill('red'))
  })
})

it('converts a transparent picture once, and asks for white behind it', async () => {
  const images = vi.spyOn(env.IMAGES, 'input')
  const converter = Object.getPrototypeOf(env.IMAGES.input(new Blob().stream()))
  images.mockClear()
  const output = vi.spyOn(converter, 'output')
  const png = aPng({ width: 600, height: 600, colour: [200, 30, 90, 0] })
  const picture = await storedPicture(await upload(png))
  expect(images).toHaveBeenCalledTimes(1)
  expect(output.mock.calls).toEqual([
    [expect.objectContaining({ format: 'image/jpeg', background: '#ffffff' })],
  ])
  expect(await formatAndSize(picture)).toBe('image/jpeg 512×512')
})

describe('a photo from a phone', () => {
  const uploads = {
    bytes: async () => upload(await readFixture(phone)),
    form: async () => uploadForm(await readFixture(phone), await aCaller()),
    URL: async () => uploadUrl(`http://${inject('remoteHost')}/picture.jpg`, await aCaller()),
  }

  it.each(Object.entries(uploads))(
    'is stored upright and without metadata: %s',
    async (_, send) => {
      const picture = await storedPicture(await send())
      expect(await formatAndSize(picture)).toBe('image/jpeg 40×64')
      expect(await quarterColours(picture)).toEqual(['red', 'green', 'blue', 'white'])
      expect(latin1(await readFixture(phone))).toMatch(/Exif.*Phone.*secret street/s)
      for (const trace of ['Exif', 'GPS', 'Phone', 'Person', 'secret', 'Berlin', 'home', 'adobe'])
        expect(latin1(picture)).not.toContain(trace)
    },
  )
})

it.each([
  ['no bytes', encode('')],
  ['the first bytes of a PNG', aPng().slice(0, 8)],
  ['a TIFF', concat(Buffer.from('49492a0008000000', 'hex'), new Uint8Array(60))],
])('rejects a file that is not a picture: %s', async (_, bytes) => {
  expect(await statusOfRejected(bytes)).toBe(415)
})

it.each([
  ['JPEG in its headers', phone, 0.3],
  ['WebP', webp, 0.6],
  ['AVIF', avif, 0.9],
])('rejects a truncated picture: %s', async (_, file, part) => {
  const whole = await readFixture(file)
  expect(await statusOfRejected(whole.slice(0, whole.length * part))).toBe(415)
})

describe('a picture that is also a file of another type', () => {
  const html = encode('<html><script>alert(document.domain)</script></html>')
  const script = encode('*/=1;alert(document.domain)/*')

  it.each([
    ['JPEG followed by HTML', async () => concat(await aJpeg(), html)],
    ['GIF followed by JavaScript', async () => concat(await readFixture(animated), script)],
  ])('is stored as a picture only: %s', async (_, make) => {
    const picture = await storedPicture(await upload(await make()))
    expect(await formatAndSize(picture)).toMatch(/^image\/jpeg /)
    expect(latin1(picture)).not.toMatch(/script|alert/)
  })
})

describe('a decompression bomb', () => {
  const bomb = async (width: number, height: number, bytes: number) =>
    aPng({ width, height, deflated: await deflatedZeros(bytes) })

  it('is rejected above 50 megapixels, before it is decoded', async () => {
    expect(await statusOfRejected(await bomb(10_000, 5_001, 1000))).toBe(413)
    expect(await statusOfRejected(await bomb(60_000, 60_000, 1000))).toBe(413)
  })

  inLong('is accepted at 50 megapixels', async () => {
    const picture = await bomb(10_000, 5_000, 5_000 * (1 + 3 * 10_000))
    expect(picture.length).toBeLessThan(200_000)
    expect(await formatAndSize(await storedPicture(await upload(picture)))).toBe(
      'image/jpeg 512×256',
    )
  })

  it('is rejected by the size in its header: JPEG', async () => {
    const jpeg = await aJpeg()
    const frame = latin1(jpeg).search(/\xff[\xc0\xc2]/)
    jpeg.set([0xff, 0xdc, 0xff, 0xdc], frame + 5)
    expect(await statusOfRejected(jpeg)).toBe(413)
  })
})

describe('an SVG', () => {
  const svg = (content: string, size = 'width="40" height="40"') =>
    encode(`<svg xmlns="http://www.w3.org/2000/svg" ${size}>${content}</svg>`)
  const red = '<rect width="40" height="40" fill="red"/>'

  it('is converted to pixels or rejected, and never stored as SVG', async () => {
    const attack = svg(
      `${red}<script>alert(1)</script><foreignObject><iframe src="javascript:alert(1)"/></foreignObject>`,
      'width="40" height="40" onload="alert(1)"',
    )
    const response = await upload(attack)
    expect([200, 415]).toContain(response.status)
    if (response.status !== 200) return
    const picture = await storedPicture(response)
    expect(await formatAndSize(picture)).toBe('image/jpeg 40×40')
    expect(await quarterColours(picture)).toEqual(['red', 'red', 'red', 'red'])
    expect(latin1(picture)).not.toMatch(/script|alert|svg/)
  })

  it('loads no URLs and no files', async () => {
    const host = inject('remoteHost')
    const content = `${red}<image href="http://${host}/from-svg" width="40" height="40"/>
      <image href="file:///etc/passwd" width="40" height="40"/>
      <style>@import url("http://${host}/from-svg");</style>`
    const doctype = `<!DOCTYPE svg [<!ENTITY x SYSTEM "http://${host}/from-svg">]>`
    await upload(svg(content))
    await upload(concat(encode(doctype), svg(`${red}<text>&x;</text>`)))
    const requests = await fetch(`http://${host}/requests?path=/from-svg`)
    expect(await requests.json()).toEqual([])
  })
})

import { describe, expect, inject, it, vi } from 'vitest'
import { aToken, aUser } from '../support/makers.ts'
import animated from './fixtures/animated.gif?inline'
import cmyk from './fixtures/cmyk.jpg?inline'
import deep from './fixtures/deep.png?inline'
import phone from './fixtures/phone.jpg?inline'
import avif from './fixtures/photo.avif?inline'
import webp from './fixtures/photo.webp?inline'
import { aJpeg, aPng, fileOf, joined, packedZeros, quartersOf, sizeOf, text } from './pictures.ts'
import { avatarOf, stored, uploadBytes, uploadForm, uploadUrl } from './uploads.ts'

// Some of these are large on purpose.
vi.setConfig({ testTimeout: 30_000 })

type Bytes = Uint8Array<ArrayBuffer>

const aCaller = async () => ({ token: await aToken(await aUser()) })
const upload = async (picture: Bytes) => uploadBytes(picture, await aCaller())
const latin1 = (bytes: Bytes) => Buffer.from(bytes).toString('latin1')

/** The status of an upload, after which the user must have the picture of before. */
async function refusal(picture: Bytes): Promise<number> {
  const caller = await aCaller()
  const before = await avatarOf('me', caller.token)
  const response = await uploadBytes(picture, caller)
  expect(await avatarOf('me', caller.token)).toBe(before)
  return response.status
}

describe('a picture', () => {
  it.each([
    ['WebP', webp],
    ['AVIF', avif],
    ['PNG of 16 bits', deep],
    ['JPEG for print (CMYK)', cmyk],
  ])('comes back as a JPEG that looks the same: %s', async (_, file) => {
    const picture = await stored(await upload(await fileOf(file)))
    expect(await sizeOf(picture)).toBe('image/jpeg 40×64')
    expect(await quartersOf(picture)).toEqual(['red', 'green', 'blue', 'white'])
  })

  it.each([
    [1600, 800, '512×256'],
    [300, 3000, '51×512'],
    [513, 513, '512×512'],
    [512, 100, '512×100'],
    [1, 1, '1×1'],
  ])('of %i × %i pixels comes back with %s', async (width, height, size) => {
    const picture = await stored(await upload(aPng({ width, height })))
    expect(await sizeOf(picture)).toBe(`image/jpeg ${size}`)
  })

  it('that moves comes back as its first frame', async () => {
    const picture = await stored(await upload(await fileOf(animated)))
    expect(await sizeOf(picture)).toBe('image/jpeg 24×24')
    expect(await quartersOf(picture)).toEqual(['red', 'red', 'red', 'red'])
  })
})

describe('a photo that a phone took', () => {
  const ways = {
    'as bytes': async () => upload(await fileOf(phone)),
    'by form': async () => uploadForm(await fileOf(phone), await aCaller()),
    'by URL': async () => uploadUrl(`http://${inject('remoteHost')}/picture.jpg`, await aCaller()),
  }

  it.each(Object.entries(ways))(
    'stands upright, and tells nothing of where: %s',
    async (_, send) => {
      const picture = await stored(await send())
      expect(await sizeOf(picture)).toBe('image/jpeg 40×64')
      expect(await quartersOf(picture)).toEqual(['red', 'green', 'blue', 'white'])
      expect(latin1(await fileOf(phone))).toMatch(/Exif.*Phone.*secret street/s)
      for (const trace of ['Exif', 'GPS', 'Phone', 'Person', 'secret', 'Berlin', 'home', 'adobe'])
        expect(latin1(picture)).not.toContain(trace)
    },
  )
})

describe('what is no picture', () => {
  it.each([
    ['nothing', text('')],
    ['text', text('I am a picture. Believe me.')],
    ['HTML', text('<!doctype html><script>alert(1)</script>')],
    ['JSON', text('{"avatar":true}')],
    ['a PDF', text('%PDF-1.7\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF')],
    ['an archive', joined(Buffer.from('504b0304', 'hex'), new Uint8Array(60))],
    ['a program', joined(Buffer.from('7f454c46', 'hex'), new Uint8Array(60))],
    ['zeros', new Uint8Array(4096)],
    ['a JPEG’s first bytes', joined(Buffer.from('ffd8ffe000104a464946', 'hex'))],
    ['a PNG’s first bytes', aPng().slice(0, 8)],
    ['a TIFF', joined(Buffer.from('49492a0008000000', 'hex'), new Uint8Array(60))],
  ])('is refused: %s', async (_, bytes) => {
    expect(await refusal(bytes)).toBe(415)
  })
})

describe('a picture cut off', () => {
  it.each([
    ['JPEG', phone, 0.97],
    ['JPEG in its head', phone, 0.3],
    ['PNG', deep, 0.7],
    ['WebP', webp, 0.6],
    ['AVIF', avif, 0.9],
    ['GIF', animated, 0.1],
  ])('is refused: %s', async (_, file, part) => {
    const whole = await fileOf(file)
    expect(await refusal(whole.slice(0, whole.length * part))).toBe(415)
  })
})

describe('a picture that is something else as well', () => {
  const html = text('<html><script>alert(document.domain)</script></html>')
  const script = text('*/=1;alert(document.domain)/*')
  const comment = (data: Bytes) => joined(Uint8Array.of(0xff, 0xfe, 0, data.length + 2), data)

  it.each([
    ['JPEG + HTML behind it', async () => joined(await aJpeg(), html)],
    [
      'JPEG + HTML in a comment',
      async () => {
        const jpeg = await aJpeg()
        return joined(jpeg.subarray(0, 2), comment(html), jpeg.subarray(2))
      },
    ],
    ['GIF + JavaScript behind it', async () => joined(await fileOf(animated), script)],
    [
      'GIF + JavaScript in a comment',
      async () => {
        const gif = await fileOf(animated)
        const extension = joined(Uint8Array.of(0x21, 0xfe, script.length), script, Uint8Array.of(0))
        return joined(gif.subarray(0, -1), extension, gif.subarray(-1))
      },
    ],
    ['PNG + PHP behind it', async () => joined(aPng(), text('<?php system($_GET[0]) ?>'))],
    ['PNG + archive behind it', async () => joined(aPng(), text('PK\x03\x04evil.class'))],
  ])('is only a picture afterwards: %s', async (_, make) => {
    const picture = await stored(await upload(await make()))
    expect(await sizeOf(picture)).toMatch(/^image\/jpeg /)
    for (const trace of ['script', 'alert', '<?php', 'PK\x03\x04', 'evil'])
      expect(latin1(picture)).not.toContain(trace)
  })

  it('never is a script: an image’s size that opens a comment', async () => {
    // `GIF89a/*` is the start of a script when the width is 0x2a2f.
    const gif = joined(text('GIF89a/*'), Uint8Array.of(1, 0, 0, 0, 0), script)
    expect([413, 415]).toContain(await refusal(gif))
  })
})

describe('a picture that is small only while compressed', () => {
  const bomb = async (width: number, height: number, bytes: number) =>
    aPng({ width, height, deflated: await packedZeros(bytes) })

  it('is refused beyond 50 megapixels, before it is decoded', async () => {
    expect(await refusal(await bomb(10_000, 5_001, 1000))).toBe(413)
    expect(await refusal(await bomb(60_000, 60_000, 1000))).toBe(413)
  })

  it('is taken at 50 megapixels', async () => {
    const picture = await bomb(10_000, 5_000, 5_000 * (1 + 3 * 10_000))
    expect(picture.length).toBeLessThan(200_000)
    expect(await sizeOf(await stored(await upload(picture)))).toBe('image/jpeg 512×256')
  })

  it('is no more than its header says, however much is packed into it', async () => {
    const response = await upload(await bomb(8, 8, 100 * 1024 * 1024))
    expect([200, 415]).toContain(response.status)
    if (response.status === 200) expect(await sizeOf(await stored(response))).toBe('image/jpeg 8×8')
  })

  it('is refused by the size in its header: JPEG', async () => {
    const jpeg = await aJpeg()
    const frame = latin1(jpeg).search(/\xff[\xc0\xc2]/)
    jpeg.set([0xff, 0xdc, 0xff, 0xdc], frame + 5)
    expect(await refusal(jpeg)).toBe(413)
  })

  it('is no more than it holds, whatever its header says: GIF', async () => {
    const gif = await fileOf(animated)
    gif.set([0xff, 0xff, 0xff, 0xff], 6)
    const response = await upload(gif)
    expect([200, 413]).toContain(response.status)
    if (response.status === 200)
      expect(await sizeOf(await stored(response))).toBe('image/jpeg 24×24')
  })
})

describe('an SVG', () => {
  const svg = (content: string, size = 'width="40" height="40"') =>
    text(`<svg xmlns="http://www.w3.org/2000/svg" ${size}>${content}</svg>`)
  const red = '<rect width="40" height="40" fill="red"/>'

  it('becomes pixels where the converter can, and never stays a document', async () => {
    const attack = svg(
      `${red}<script>alert(1)</script><foreignObject><iframe src="javascript:alert(1)"/></foreignObject>`,
      'width="40" height="40" onload="alert(1)"',
    )
    const response = await upload(attack)
    expect([200, 415]).toContain(response.status)
    if (response.status !== 200) return
    const picture = await stored(response)
    expect(await sizeOf(picture)).toBe('image/jpeg 40×40')
    expect(await quartersOf(picture)).toEqual(['red', 'red', 'red', 'red'])
    expect(latin1(picture)).not.toMatch(/script|alert|svg/)
  })

  it('fetches and reads nothing', async () => {
    const host = inject('remoteHost')
    const content = `${red}<image href="http://${host}/from-svg" width="40" height="40"/>
      <image href="file:///etc/passwd" width="40" height="40"/>
      <style>@import url("http://${host}/from-svg");</style>`
    const doctype = `<!DOCTYPE svg [<!ENTITY x SYSTEM "http://${host}/from-svg">]>`
    await upload(svg(content))
    await upload(joined(text(doctype), svg(`${red}<text>&x;</text>`)))
    const seen = await fetch(`http://${host}/seen?path=/from-svg`)
    expect(await seen.json()).toEqual([])
  })

  it.each([
    ['a size beyond all bounds', svg(red, 'width="1000000" height="1000000"')],
    ['no size at all', svg('')],
    ['broken markup', svg('<g>')],
    [
      'entities that multiply',
      joined(
        text(
          `<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">${[...'bcdefghij'].map((name, i) => `<!ENTITY ${name} "${`&${'abcdefghi'[i]};`.repeat(10)}">`).join('')}]>`,
        ),
        svg('<text>&j;</text>'),
      ),
    ],
  ])('is refused or harmless with %s', async (_, bytes) => {
    const response = await upload(bytes)
    expect([200, 413, 415]).toContain(response.status)
    if (response.status === 200)
      expect(await sizeOf(await stored(response))).toMatch(/^image\/jpeg/)
  })
})

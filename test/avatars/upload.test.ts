import { describe, expect, it, vi } from 'vitest'
import { call } from '../support/api.ts'
import { aToken, aUser } from '../support/makers.ts'
import phone from './fixtures/phone.jpg?inline'
import { aPng, fileOf, joined, quartersOf, text } from './pictures.ts'
import { stored, uploadBytes, uploadForm } from './uploads.ts'

// Some of these are large on purpose.
vi.setConfig({ testTimeout: 30_000 })

const MEBIBYTE = 1024 * 1024

const aCaller = async () => ({ token: await aToken(await aUser()) })

/** A picture of exactly so many bytes: what is behind its end belongs to the file. */
const ofSize = (bytes: number) => {
  const png = aPng()
  return joined(png, new Uint8Array(bytes - png.length))
}

const uploadParts = async (form: FormData) =>
  call('PUT', '/api/public/user/me/profile/updateAvatarFile', { ...(await aCaller()), body: form })

const formOf = (...parts: [name: string, value: string | File][]) => {
  const form = new FormData()
  for (const [name, value] of parts) form.append(name, value)
  return form
}

const file = (name = 'a.png', type = 'image/png') => new File([aPng()], name, { type })

describe('raw bytes', () => {
  it.each(['image/jpeg', 'image/x-unknown', 'IMAGE/PNG; q=1', 'application/octet-stream', ''])(
    'are taken as %j, because the bytes decide',
    async (type) => {
      expect((await uploadBytes(aPng(), { ...(await aCaller()), type })).status).toBe(200)
    },
  )

  it('are taken without a type', async () => {
    expect((await uploadBytes(aPng(), await aCaller())).status).toBe(200)
  })

  it.each(['text/html', 'application/json', 'application/x-www-form-urlencoded', 'video/mp4'])(
    'are refused as %s',
    async (type) => {
      const response = await uploadBytes(aPng(), { ...(await aCaller()), type })
      expect(response.status).toBe(415)
      expect(await response.json()).toMatchObject({ code: 'unsupported_media_type' })
    },
  )

  it('may be 10 MiB, and not one more', async () => {
    expect((await uploadBytes(ofSize(10 * MEBIBYTE), await aCaller())).status).toBe(200)
    const response = await uploadBytes(ofSize(10 * MEBIBYTE + 1), await aCaller())
    expect(response.status).toBe(413)
    expect(await response.json()).toEqual({
      error: 'the picture is not taken: it is larger than 10 MiB',
      code: 'payload_too_large',
    })
  })

  it('are read no further than the limit when they never end', async () => {
    let sent = 0
    const endless = new ReadableStream({
      pull(controller) {
        sent += MEBIBYTE
        controller.enqueue(new Uint8Array(MEBIBYTE))
      },
    })
    expect((await uploadBytes(endless, await aCaller())).status).toBe(413)
    expect(sent).toBeLessThanOrEqual(12 * MEBIBYTE)
  })

  it('are the same in pieces of one byte', async () => {
    const whole = await fileOf(phone)
    const dripped = new ReadableStream({
      start(controller) {
        for (const byte of whole) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const picture = await stored(await uploadBytes(dripped, await aCaller()))
    expect(await quartersOf(picture)).toEqual(['red', 'green', 'blue', 'white'])
  })

  it('are the same in pieces of odd sizes, beyond one block', async () => {
    const whole = ofSize(3 * MEBIBYTE + 12_345)
    let at = 0
    const pieces = new ReadableStream({
      pull(controller) {
        if (at >= whole.length) return controller.close()
        controller.enqueue(whole.slice(at, at + 98_765))
        at += 98_765
      },
    })
    expect((await uploadBytes(pieces, await aCaller())).status).toBe(200)
  })
})

describe('a form', () => {
  it.each([
    ['picture.jpg', 'image/jpeg'],
    ['picture.png', 'image/webp'],
    ['picture', 'application/octet-stream'],
    ['picture.exe', ''],
    ['../../etc/passwd', 'image/svg+xml'],
  ])('is taken whatever its file is called: %s, %s', async (name, type) => {
    expect((await uploadForm(aPng(), { ...(await aCaller()), type }, name)).status).toBe(200)
  })

  it('is refused when its file is called something else than a picture', async () => {
    const response = await uploadForm(aPng(), { ...(await aCaller()), type: 'text/html' })
    expect(response.status).toBe(415)
  })

  it('may have other parts', async () => {
    const form = formOf(['name', 'Ada'], ['avatar', file()], ['other', file()])
    expect((await uploadParts(form)).status).toBe(200)
  })

  it.each([
    ['no part', formOf()],
    ['a part of another name', formOf(['picture', file()])],
    ['a text', formOf(['avatar', 'https://pictures.example.com/a.jpg'])],
    ['two files', formOf(['avatar', file()], ['avatar', file()])],
    ['no file chosen', formOf(['avatar', new File([], '')])],
  ])('is refused with %s', async (_, form) => {
    const response = await uploadParts(form)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: 'avatar: must be one part that holds a file',
      code: 'invalid_input',
    })
  })

  it('is refused when its file is empty', async () => {
    const form = formOf(['avatar', new File([], 'a.jpg', { type: 'image/jpeg' })])
    expect((await uploadParts(form)).status).toBe(415)
  })

  it.each([
    ['JSON', 'application/json', 415],
    ['raw bytes', 'image/png', 415],
    ['a form of another kind', 'application/x-www-form-urlencoded', 415],
    ['a form without a boundary', 'multipart/form-data', 400],
    ['a form whose boundary is not there', 'multipart/form-data; boundary=x', 400],
  ])('is not %s', async (_, type, status) => {
    const response = await call('PUT', '/api/public/user/me/profile/updateAvatarFile', {
      ...(await aCaller()),
      body: aPng(),
      headers: { 'content-type': type },
    })
    expect(response.status).toBe(status)
  })

  it('that is cut off is refused', async () => {
    const whole = new Response(formOf(['avatar', file()]))
    const bytes = new Uint8Array(await whole.arrayBuffer())
    const response = await call('PUT', '/api/public/user/me/profile/updateAvatarFile', {
      ...(await aCaller()),
      body: bytes.slice(0, -20),
      headers: { 'content-type': whole.headers.get('content-type') ?? '' },
    })
    expect(response.status).toBe(400)
  })

  it('may hold a picture of 10 MiB, and not one byte more', async () => {
    expect((await uploadForm(ofSize(10 * MEBIBYTE), await aCaller())).status).toBe(200)
    expect((await uploadForm(ofSize(10 * MEBIBYTE + 1), await aCaller())).status).toBe(413)
  })

  it('is read no further than the limit when it never ends', async () => {
    let sent = 0
    const endless = new ReadableStream({
      start: (controller) =>
        controller.enqueue(
          text('--x\r\ncontent-disposition: form-data; name="avatar"; filename="a.jpg"\r\n\r\n'),
        ),
      pull(controller) {
        sent += MEBIBYTE
        controller.enqueue(new Uint8Array(MEBIBYTE))
      },
    })
    const response = await call('PUT', '/api/public/user/me/profile/updateAvatarFile', {
      ...(await aCaller()),
      body: endless,
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    })
    expect(response.status).toBe(413)
    expect(sent).toBeLessThanOrEqual(12 * MEBIBYTE)
  })
})

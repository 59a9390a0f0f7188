import { describe, expect, it } from 'vitest'
import { quotas } from '../../src/db/schema/operations.ts'
import { answerOf, call, callWith } from '../support/api.ts'
import { stopClock } from '../support/fake-time.ts'
import { db } from '../support/makers.ts'
import { aPng, concat, encode, quarterColours } from './pictures.ts'
import { aCaller, storedPicture, uploadBytes, uploadForm } from './uploads.ts'

const MEBIBYTE = 1024 * 1024

/** A PNG with trailing zeros, of exactly this many bytes. */
const aPictureOf = (bytes: number) => {
  const png = aPng()
  return concat(png, new Uint8Array(bytes - png.length))
}

const uploadParts = async (body: BodyInit, type?: string) =>
  call('PUT', '/api/public/user/me/profile/updateAvatarFile', {
    ...(await aCaller()),
    body,
    headers: type === undefined ? {} : { 'content-type': type },
  })

const aFormWith = (...parts: [name: string, value: string | File][]) => {
  const form = new FormData()
  for (const [name, value] of parts) form.append(name, value)
  return form
}

const file = (name = 'a.png', type = 'image/png') => new File([aPng()], name, { type })

describe('raw bytes', () => {
  it('are accepted as any type or none, because the bytes show the format', async () => {
    const caller = await aCaller()
    expect((await uploadBytes(aPng(), caller)).status).toBe(200)
    for (const type of ['image/x-unknown', 'text/html', 'not a type'])
      expect((await uploadBytes(aPng(), { ...caller, type })).status, type).toBe(200)
  })

  it('are accepted up to 10 MiB', async () => {
    expect((await uploadBytes(aPictureOf(10 * MEBIBYTE), await aCaller())).status).toBe(200)
    const tooLarge = uploadBytes(aPictureOf(10 * MEBIBYTE + 1), await aCaller())
    expect(await answerOf(tooLarge)).toMatchObject({
      status: 413,
      error: 'the picture is too large: it has more than 10 MiB',
      code: 'payload_too_large',
    })
  })

  it('are read up to the limit only', async () => {
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
})

describe('a form', () => {
  it.each([
    ['no part', aFormWith()],
    ['a part with another name', aFormWith(['picture', file()])],
    ['two files', aFormWith(['avatar', file()], ['avatar', file()])],
    ['no file chosen', aFormWith(['avatar', new File([], '')])],
  ])('is rejected with %s', async (_, form) => {
    expect(await answerOf(uploadParts(form))).toMatchObject({
      status: 400,
      error: 'avatar: must be exactly one part with a file',
      code: 'invalid_input',
    })
  })

  it('is rejected if its file is empty', async () => {
    const form = aFormWith(['avatar', new File([], 'a.jpg', { type: 'image/jpeg' })])
    expect((await uploadParts(form)).status).toBe(415)
  })

  it.each([
    ['JSON', 'application/json', 415],
    ['a form with another boundary', 'multipart/form-data; boundary=x', 400],
  ])('must not be %s', async (_, type, status) => {
    expect((await uploadParts(aPng(), type)).status).toBe(status)
  })

  it.each([
    ['a file', "name=avatar; filename=a.png; filename*=utf-8''a.png", 200],
    ['bytes', 'name=avatar', 200],
    ['a file in another part', 'name=picture; filename=a.png', 400],
    ['a file of another type', 'name=avatar; filename=a.html\r\nContent-Type: text/html', 415],
  ])('may come without quotes, as from .NET: %s', async (_, parameters, status) => {
    const head = `--x-1\r\nContent-Disposition: form-data; ${parameters}\r\n\r\n`
    const body = concat(encode(head), aPng({ colour: [0, 200, 0] }), encode('\r\n--x-1--\r\n'))
    const response = await uploadParts(body, 'multipart/form-data; boundary="x-1"')
    expect(response.status).toBe(status)
    if (status === 200)
      expect(await quarterColours(await storedPicture(response))).toEqual(Array(4).fill('green'))
  })

  it('is rejected if it is truncated', async () => {
    const whole = new Response(aFormWith(['avatar', file()]))
    const bytes = new Uint8Array(await whole.arrayBuffer())
    const type = whole.headers.get('content-type') ?? ''
    expect((await uploadParts(bytes.slice(0, -20), type)).status).toBe(400)
  })

  it('may contain no picture above 10 MiB', async () => {
    expect((await uploadForm(aPictureOf(10 * MEBIBYTE + 1), await aCaller())).status).toBe(413)
  })

  it('may have up to 16 KiB besides the picture', async () => {
    const uploadWith = (padding: number) =>
      uploadParts(aFormWith(['avatar', file()], ['name', 'a'.repeat(padding)]))
    expect((await uploadWith(15 * 1024)).status).toBe(200)
    expect(await answerOf(uploadWith(16 * 1024))).toMatchObject({
      status: 413,
      error: 'the form may have at most 16 KiB besides the picture',
      code: 'payload_too_large',
    })
  })
})

/** Uploads a picture to a Worker with other bindings. */
const uploadWith = async (bindings: object) =>
  callWith(bindings, 'PUT', '/api/public/user/me/profile/updateAvatarBytes', {
    ...(await aCaller()),
    body: aPng(),
  })

it('converts as many pictures in a day as the operator has set', async () => {
  stopClock()
  const period = new Date().toISOString().slice(0, 10)
  await db.delete(quotas)
  await db.insert(quotas).values({ name: 'pictures', period, used: 149 })
  const limit = { MAX_PICTURES_PER_DAY: '150' }
  expect((await uploadWith(limit)).status).toBe(200)
  const refused = await uploadWith(limit)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await answerOf(refused)).toMatchObject({
    status: 503,
    code: 'try_later',
    error: 'all pictures of today were converted: please try again later',
  })
  // A file that is not converted is not counted.
  expect((await uploadBytes('text', await aCaller())).status).toBe(415)
})

it.each([9422, 9529])(
  'answers 503 if the service that converts pictures fails with %i',
  async (code) => {
    const error = Object.assign(new Error(`IMAGES_ERROR ${code}`), { code })
    const output = { transform: () => output, output: () => Promise.reject(error) }
    const IMAGES = { input: () => output } as unknown as ImagesBinding
    const response = await uploadWith({ IMAGES })
    expect(response.headers.get('retry-after')).toBe('60')
    expect(await answerOf(response)).toMatchObject({ status: 503, code: 'try_later' })
  },
)

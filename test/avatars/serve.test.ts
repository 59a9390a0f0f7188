import { beforeAll, expect, it } from 'vitest'
import { DRAWN } from '../../src/avatars/url.ts'
import { BASE_URL, call } from '../support/api.ts'
import { aToken, aUser } from '../support/makers.ts'
import { aPng } from './pictures.ts'
import { download, uploadBytes, urlIn } from './uploads.ts'

let url: string
let whole: Uint8Array
let etag: string

beforeAll(async () => {
  const token = await aToken(await aUser())
  url = await urlIn(await uploadBytes(aPng({ width: 40, height: 40 }), { token }))
  const response = await download(url)
  whole = new Uint8Array(await response.arrayBuffer())
  etag = response.headers.get('etag') ?? ''
})

it('serves a picture that may be kept for ever, shown anywhere, and taken for nothing else', async () => {
  const { status, headers } = await download(url)
  expect(status).toBe(200)
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'image/jpeg',
    'cache-control': 'public, max-age=31536000, immutable',
    etag: expect.stringMatching(/^"[0-9a-f]+"$/),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
  })
  expect(headers.has('set-cookie')).toBe(false)
})

it('answers HEAD as GET, without the picture', async () => {
  const response = await call('HEAD', new URL(url).pathname)
  expect(response.status).toBe(200)
  expect(response.headers.get('etag')).toBe(etag)
  expect((await response.arrayBuffer()).byteLength).toBe(0)
})

it.each([
  ['the same tag', () => etag],
  ['one of several tags', () => `"another", ${etag}`],
  ['a weak form of it', () => `W/${etag}`],
  ['any tag', () => '*'],
])('answers 304 to If-None-Match with %s', async (_, tag) => {
  const response = await download(url, { 'if-none-match': tag() })
  expect(response.status).toBe(304)
  expect(response.headers.get('etag')).toBe(etag)
  expect(response.headers.get('cache-control')).toContain('immutable')
  expect(await response.text()).toBe('')
})

it('answers 200 to If-None-Match with another tag, and 412 to If-Match with one', async () => {
  expect((await download(url, { 'if-none-match': '"another"' })).status).toBe(200)
  expect((await download(url, { 'if-match': etag })).status).toBe(200)
  const response = await download(url, { 'if-match': '"another"' })
  expect(response.status).toBe(412)
  expect(await response.json()).toMatchObject({ code: 'precondition_failed' })
})

it('answers 304 to If-Modified-Since with its own date', async () => {
  const date = (await download(url)).headers.get('last-modified') ?? ''
  expect((await download(url, { 'if-modified-since': date })).status).toBe(304)
})

it.each([
  ['bytes=0-99', 0, 99],
  ['bytes=100-', 100, Number.POSITIVE_INFINITY],
  ['bytes=-10', -10, Number.POSITIVE_INFINITY],
  ['bytes=5-5', 5, 5],
  ['bytes=0-999999999', 0, Number.POSITIVE_INFINITY],
  ['bytes=-999999999', 0, Number.POSITIVE_INFINITY],
])('answers 206 with the part that %s names', async (range, from, to) => {
  const response = await download(url, { range })
  const part = whole.slice(from, to + 1)
  expect(response.status).toBe(206)
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(part)
  const first = from < 0 ? whole.length + from : from
  expect(response.headers.get('content-range')).toBe(
    `bytes ${first}-${first + part.length - 1}/${whole.length}`,
  )
})

it.each(['bytes=999999999-', 'bytes=-0'])(
  'answers 416 to %s, and tells the size',
  async (range) => {
    const response = await download(url, { range })
    expect(response.status).toBe(416)
    expect(response.headers.get('content-range')).toBe(`bytes */${whole.length}`)
    expect(response.headers.get('cache-control')).toBeNull()
  },
)

it.each(['bytes=9-3', 'bytes=a-b', 'bytes=-', 'lines=0-1', 'bytes=0-1,3-4'])(
  'answers the whole picture to %s, which is no single range of bytes',
  async (range) => {
    const response = await download(url, { range })
    expect(response.status).toBe(200)
    expect((await response.arrayBuffer()).byteLength).toBe(whole.length)
  },
)

it('answers a range only while it belongs to the same picture', async () => {
  const range = 'bytes=0-9'
  expect((await download(url, { range, 'if-range': etag })).status).toBe(206)
  expect((await download(url, { range, 'if-range': '"another"' })).status).toBe(200)
})

it.each([
  ['another hash', () => url.replace(/[0-9a-f]{48}/, '0'.repeat(48))],
  ['another user', () => url.replace(/avatars\/\d+/, 'avatars/987654321')],
  ['a user who is not there, drawn', () => url.replace(/\d+\/[0-9a-f]{48}/, `987654321/${DRAWN}`)],
  ['no hash', () => `${BASE_URL}/avatars/1/picture.jpg`],
  ['another ending', () => url.replace('.jpg', '.html')],
  ['a longer id', () => url.replace('avatars/', 'avatars/0')],
  ['the folder', () => `${BASE_URL}/avatars/`],
  ['an encoded way out', () => `${BASE_URL}/avatars/1/..%2f..%2fsecret.jpg`],
])('answers 404 in the envelope for %s', async (_, address) => {
  const response = await call('GET', address().slice(BASE_URL.length))
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ code: 'not_found' })
})

it('takes nothing but GET and HEAD', async () => {
  const response = await call('PUT', new URL(url).pathname, { body: 'x' })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toContain('GET')
})

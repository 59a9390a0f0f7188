import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { removeMetadata } from '../../src/avatars/jpeg.ts'
import { DEFAULT_PICTURE } from '../../src/avatars/serve.ts'
import { answerOf, BASE_URL, call } from '../support/api.ts'
import { aToken, aUser } from '../support/makers.ts'
import { aPng } from './pictures.ts'
import { avatarUrlIn, download, getAvatarUrl, uploadBytes } from './uploads.ts'

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())

/** The URLs of a stored picture and of the default picture. */
const urls = { stored: '', default: `${BASE_URL}/avatars/7/${DEFAULT_PICTURE}.jpg` }
const pictures = ['stored', 'default'] as const

beforeAll(async () => {
  const token = await aToken(await aUser())
  urls.stored = await avatarUrlIn(await uploadBytes(aPng({ width: 40, height: 40 }), { token }))
})

/** Headers that a cache stores with a picture, and updates from a 304. */
const cachedHeaders = {
  'cache-control': 'public, max-age=31536000, stale-if-error=31536000, immutable',
  etag: expect.stringMatching(/^"[0-9a-f]+"$/),
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
}

describe.each(pictures)('the %s picture', (picture) => {
  const get = (headers: Record<string, string> = {}) => download(urls[picture], headers)

  it('is an immutable JPEG that pages of any site may embed, also for HEAD', async () => {
    const [response, head] = [await get(), await call('HEAD', new URL(urls[picture]).pathname)]
    for (const { status, headers } of [response, head]) {
      const shown = { ...cachedHeaders, 'content-type': 'image/jpeg' }
      expect(status).toBe(200)
      expect(Object.fromEntries(headers)).toMatchObject(shown)
      expect(headers.has('set-cookie')).toBe(false)
    }
    expect(removeMetadata(await bytesOf(response))).not.toBeNull()
    expect(await bytesOf(head)).toHaveLength(0)
  })

  it.each([
    ['its ETag', (etag: string) => etag],
    ['its ETag in a list with a malformed tag', (etag: string) => `another, ${etag}`],
  ])('answers 304 to If-None-Match with %s', async (_, ifNoneMatch) => {
    const { headers } = await get()
    const response = await get({ 'if-none-match': ifNoneMatch(headers.get('etag') ?? '') })
    expect(response.status).toBe(304)
    expect(Object.fromEntries(response.headers)).toMatchObject(cachedHeaders)
    expect(response.headers.get('etag')).toBe(headers.get('etag'))
    expect(await response.text()).toBe('')
    const conditions = { 'if-none-match': '*' }
    const head = call('HEAD', new URL(urls[picture]).pathname, { headers: conditions })
    expect((await head).status).toBe(304)
  })
})

describe('the default picture', () => {
  it('has a URL with the hash of the file', async () => {
    const user = await aUser()
    const url = await getAvatarUrl('me', await aToken(user))
    expect(url).toBe(`${BASE_URL}/avatars/${user.id}/${DEFAULT_PICTURE}.jpg`)
    const digest = createHash('sha256').update(await bytesOf(await download(url)))
    expect(digest.digest('hex').slice(0, 48)).toBe(DEFAULT_PICTURE)
  })

  it('is the same for every user id, and is not there for what is none', async () => {
    const pictureOf = (id: number | string) =>
      download(`${BASE_URL}/avatars/${id}/${DEFAULT_PICTURE}.jpg`)
    const first = await bytesOf(await download(urls.default))
    expect(await bytesOf(await pictureOf(987654321))).toEqual(first)
    for (const id of ['0', '01', '-1', '1.5', 'me', 'x', '9999999999999999'])
      expect((await pictureOf(id)).status).toBe(404)
  })
})

it.each([
  ['another hash', () => urls.stored.replace(/[0-9a-f]{48}/, '0'.repeat(48))],
  ['another user', () => urls.stored.replace(/avatars\/\d+/, 'avatars/987654321')],
  ['an id with a leading zero', () => urls.stored.replace('avatars/', 'avatars/0')],
  ['an encoded path traversal', () => `${BASE_URL}/avatars/1/..%2f..%2fsecret.jpg`],
])('answers 404 in JSON for %s', async (_, url) => {
  const headers = { 'if-none-match': '*' }
  const missing = call('GET', url().slice(BASE_URL.length), { headers })
  expect(await answerOf(missing)).toMatchObject({ status: 404, code: 'not_found' })
})

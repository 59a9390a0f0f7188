import { env, exports } from 'cloudflare:workers'
import { describe, expect, inject, it, vi } from 'vitest'
import { removeOrphans } from '../../src/avatars/remove.ts'
import { nfts } from '../../src/db/schema/catalogue.ts'
import { quotas } from '../../src/db/schema/operations.ts'
import { aPng, formatAndSize, quarterColours } from '../avatars/pictures.ts'
import { aCaller, uploadBytes } from '../avatars/uploads.ts'
import { call, callWith } from '../support/api.ts'
import { stopClock } from '../support/fake-time.ts'
import { anNft, aUser, db, setRow } from '../support/makers.ts'

const remote = (path: string) => `http://${inject('remoteHost')}${path}`
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const dataUrl = (bytes: Uint8Array, type = 'image/png') => `data:${type};base64,${base64(bytes)}`
const inPayload = (image: unknown) => ({ payload: { amountType: 'limited', metadata: { image } } })
const withImage = async (image: unknown) => anNft(await aUser(), inPayload(image))

const art = ({ id }: { id: number }, size = 'card', bindings: Record<string, string> = {}) =>
  callWith(bindings as Partial<Env>, 'GET', `/nfts/${id}/art/${size}`)
const statusOf = async (...args: Parameters<typeof art>) => (await art(...args)).status
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())
const wide = aPng({ width: 1600, height: 800 })

/** Counts conversions, and the destinations of `fetch`. */
async function watch(run: () => Promise<unknown>) {
  const input = vi.spyOn(env.IMAGES, 'input')
  const fetched = vi.spyOn(globalThis, 'fetch')
  await run()
  const counts = {
    conversions: input.mock.calls.length,
    urls: fetched.mock.calls.map(([url]) => String(url)),
  }
  input.mockRestore()
  fetched.mockRestore()
  return counts
}

/** The destinations of `fetch` for an image that cannot be had. */
async function urlsAskedFor(image: string, bindings: Record<string, string>) {
  const nft = await withImage(image)
  return (await watch(async () => expect(await statusOf(nft, 'card', bindings)).toBe(404))).urls
}

it('serves the image of the metadata as a JPEG in two sizes', async () => {
  const nft = await withImage(dataUrl(wide))
  const card = await art(nft)
  expect(card.status).toBe(200)
  expect(Object.fromEntries(card.headers)).toMatchObject({
    'content-type': 'image/jpeg',
    'cache-control': 'public, max-age=3600, stale-if-error=3600',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    'cross-origin-resource-policy': 'cross-origin',
  })
  expect(await formatAndSize(await bytesOf(card))).toBe('image/jpeg 480×240')
  expect(await formatAndSize(await bytesOf(await art(nft, 'page')))).toBe('image/jpeg 1200×600')
  const etag = card.headers.get('etag') ?? ''
  const again = await call('GET', `/nfts/${nft.id}/art/card`, {
    headers: { 'if-none-match': etag },
  })
  expect(again.status).toBe(304)
})

it('asks a host by https only', async () => {
  const offline = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('offline'))
  const url = 'https://pictures.example.com/1.png'
  expect(await urlsAskedFor(url, {})).toEqual([url])
  expect(await urlsAskedFor('http://pictures.example.com/1.png', {})).toEqual([])
  offline.mockRestore()
})

it('fetches what ipfs names from the gateway, and nothing else of it', async () => {
  const cid = 'Qm'.padEnd(46, '7')
  const IPFS_GATEWAY = `https://gateway.example.com/ipfs`
  const urlsOf = (image: string, bindings: Record<string, string> = { IPFS_GATEWAY }) =>
    urlsAskedFor(image, bindings)
  const refused = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('offline'))
  expect(await urlsOf(`ipfs://${cid}/1 a.png`)).toEqual([`${IPFS_GATEWAY}/${cid}/1%20a.png`])
  expect(await urlsOf(`ipfs://ipfs/${cid}`)).toEqual([`${IPFS_GATEWAY}/${cid}`])
  expect(await urlsOf(`ipfs://${cid}/Ape #1 100%/%41%2.png?x=1`)).toEqual([
    `${IPFS_GATEWAY}/${cid}/Ape%20%231%20100%25/%41%252.png?x=1`,
  ])
  for (const path of ['/../../admin', '/.\t./../admin', '/%2e%2e/%2E./admin', '\\..\\..\\admin'])
    expect(await urlsOf(`ipfs://${cid}${path}`)).toEqual([])
  expect(await urlsOf('ipfs://../admin')).toEqual([])
  expect(await urlsOf(`ipfs://${cid}`, {})).toEqual([])
  refused.mockRestore()
})

it('prefers the stored cover, where covers are stored', async () => {
  const nft = await anNft(await aUser(), { ...inPayload(dataUrl(wide)), coverKey: 'picture.jpg' })
  const stored = await art(nft, 'card', { COVERS_URL: remote('') })
  expect(await quarterColours(await bytesOf(stored))).toEqual(['red', 'green', 'blue', 'white'])
  expect(await formatAndSize(await bytesOf(await art(nft)))).toBe('image/jpeg 480×240')
})

it.each([
  ['a draft', { status: 'draft' }],
  ['deleted', { deletedAt: '2026-01-02T00:00:00.000Z' }],
  ['not released yet', { releaseAt: '2999-01-01T00:00:00.000Z' }],
])('hides the art of an NFT that is %s, also if it was converted', async (_, values) => {
  const nft = await withImage(dataUrl(wide))
  expect(await statusOf(nft)).toBe(200)
  await setRow(nfts, nft.id, values)
  const hidden = await art(nft)
  expect([hidden.status, hidden.headers.get('cache-control')]).toEqual([404, 'private, no-store'])
})

describe('a source that cannot be used', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  it.each([
    ['absent', undefined],
    ['no text', 7],
    ['http', 'http://pictures.example.com/1.png'],
    ['at a private address', 'https://10.0.0.1/1.png'],
    ['SVG', dataUrl(new TextEncoder().encode(svg), 'image/svg+xml')],
    ['a broken data: URL', 'data:image/png;base64,%%%'],
    ['a redirect to a private address', '/redirect?to=https://10.0.0.1/'],
    ['an error', '/status?code=500'],
    ['longer than it says', '/declares-too-much'],
  ])('is 404: %s', async (_, image) => {
    const nft = await withImage(image?.toString().startsWith('/') ? remote(`${image}`) : image)
    const answer = await art(nft)
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not_found' }])
  })

  it('is a transparent picture for a page, which shows the drawing below', async () => {
    const nft = await withImage(undefined)
    const headers = { 'sec-fetch-dest': 'image' }
    // The document describes the answer to a program, which is JSON.
    const url = `${env.PUBLIC_URL}/nfts/${nft.id}/art/card`
    const answer = await exports.default.fetch(new Request(url, { headers }))
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'private, no-store'])
    expect(await formatAndSize(await bytesOf(answer))).toBe('image/gif 1×1')
  })

  it('costs one conversion a day and size, so that it does not use up those of others', async () => {
    const broken = await withImage(dataUrl(wide.slice(0, 60)))
    const { conversions } = await watch(async () => {
      for (const hour of ['T10', 'T11', 'T23']) {
        vi.setSystemTime(`2026-11-25${hour}:10:00Z`)
        expect(await statusOf(broken)).toBe(404)
      }
    })
    expect(conversions).toBe(1)
    vi.setSystemTime('2026-11-26T00:10:00Z')
    expect((await watch(() => art(broken))).conversions).toBe(1)
    vi.useRealTimers()
  })

  it('is asked once an hour, whatever number of requests comes', async () => {
    vi.setSystemTime('2026-11-24T10:10:00Z')
    const nft = await withImage(remote('/status?code=404'))
    const ask = () => watch(() => Promise.all(Array.from({ length: 5 }, () => art(nft))))
    expect((await ask()).urls).toHaveLength(1)
    expect((await ask()).urls).toHaveLength(0)
    vi.setSystemTime('2026-11-24T11:00:00Z')
    expect((await ask()).urls).toHaveLength(1)
    vi.useRealTimers()
  })
})

it('converts once for each source and size', async () => {
  const nft = await withImage(remote('/picture.jpg'))
  const twice = async () => {
    const answers = [await statusOf(nft), await statusOf(nft)]
    expect(answers).toEqual([200, 200])
  }
  const first = await watch(twice)
  expect([first.conversions, first.urls]).toEqual([1, [remote('/picture.jpg')]])
  await setRow(nfts, nft.id, inPayload(dataUrl(wide)))
  expect((await watch(twice)).conversions).toBe(1)
  expect(await formatAndSize(await bytesOf(await art(nft)))).toBe('image/jpeg 480×240')
})

it('converts once for requests at the same time', async () => {
  const nft = await withImage(dataUrl(wide))
  const { conversions } = await watch(async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => statusOf(nft)))
    expect(answers.filter((status) => status === 200)).toHaveLength(1)
  })
  expect(conversions).toBe(1)
  expect(await statusOf(nft)).toBe(200)
})

it('has conversions of a day of its own, and none of those of avatars', async () => {
  stopClock()
  const period = new Date().toISOString().slice(0, 10)
  const use = (name: string, used: number) =>
    db
      .insert(quotas)
      .values({ name, period, used })
      .onConflictDoUpdate({ target: [quotas.period, quotas.name], set: { used } })
  await use('art', 49)
  await use('pictures', 1_000_000)
  const limit = { MAX_ART_PER_DAY: '50' }
  const [last, next] = [await withImage(dataUrl(wide)), await withImage(remote('/picture.jpg'))]
  expect(await statusOf(last, 'card', limit)).toBe(200)
  const { urls } = await watch(async () => expect(await statusOf(next, 'card', limit)).toBe(404))
  expect(urls).toEqual([])
  expect(await statusOf(last, 'card', limit)).toBe(200)
  await use('pictures', 0)
  expect((await uploadBytes(aPng(), await aCaller())).status).toBe(200)
  // What was refused for the day is no attempt.
  expect(await statusOf(next)).toBe(200)
})

it('removes the art of deleted NFTs, and keeps all other', async () => {
  const tomorrow = new Date(Date.now() + 25 * 60 * 60_000)
  await removeOrphans(env.AVATARS, db, tomorrow)
  const [kept, deleted] = [await withImage(dataUrl(wide)), await withImage(dataUrl(wide))]
  await art(kept)
  await art(deleted)
  await env.AVATARS.put('art/987654321/card.jpg', wide)
  await setRow(nfts, deleted.id, { deletedAt: new Date().toISOString() })
  expect(await removeOrphans(env.AVATARS, db, tomorrow)).toBe(2)
  const { objects } = await env.AVATARS.list({ prefix: 'art/' })
  const ids = objects.map(({ key }) => key.split('/')[1])
  expect(ids).toContain(String(kept.id))
  expect(ids).not.toContain(String(deleted.id))
})

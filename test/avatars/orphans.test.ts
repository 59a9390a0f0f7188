import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { removeOrphans } from '../../src/avatars/remove.ts'
import { pictureKey } from '../../src/avatars/serve.ts'
import { aToken, aUser, db } from '../support/makers.ts'
import { PATIENCE } from '../support/patience.ts'
import { purgedBy } from './cache.ts'
import { aPng } from './pictures.ts'
import { avatarUrlIn, download, keyIn, twoPictures, uploadBytes } from './uploads.ts'

const HOUR = 60 * 60_000
const UNKNOWN_USER = 987654321
const hoursFromNow = (hours: number) => new Date(Date.now() + hours * HOUR)
const put = (key: string) => env.AVATARS.put(key, aPng())
const exists = async (key: string) => (await env.AVATARS.head(key)) !== null

const hashes = Array.from({ length: 30 }, (_, i) => i.toString(16).padStart(48, '0'))

it('removes pictures that no user points to, after a day', async () => {
  const user = await aUser()
  const token = await aToken(user)
  const current = await avatarUrlIn(await uploadBytes(aPng(), { token }))
  const unused = [pictureKey(user.id, hashes[0] ?? ''), pictureKey(UNKNOWN_USER, hashes[1] ?? '')]
  await Promise.all(unused.map(put))
  expect(await removeOrphans(env.AVATARS, db, hoursFromNow(23.9))).toBe(0)
  expect(await Promise.all(unused.map(exists))).toEqual([true, true])
  expect(await removeOrphans(env.AVATARS, db, hoursFromNow(24.1))).toBe(2)
  expect(await Promise.all(unused.map(exists))).toEqual([false, false])
  expect((await download(current)).status).toBe(200)
})

it('keeps a replaced picture for a day after it was replaced', async () => {
  const token = await aToken(await aUser())
  const first = await avatarUrlIn(await uploadBytes(aPng({ colour: [250, 0, 0] }), { token }))
  const uploadedAt = (await env.AVATARS.head(keyIn(first)))?.uploaded
  const second = await avatarUrlIn(await uploadBytes(aPng({ colour: [0, 250, 0] }), { token }))
  const rewritten = async () => (await env.AVATARS.head(keyIn(first)))?.uploaded
  await vi.waitUntil(async () => Number(await rewritten()) > Number(uploadedAt), PATIENCE)
  await removeOrphans(env.AVATARS, db, hoursFromNow(23.9))
  const old = await download(first)
  expect([old.status, old.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
  await removeOrphans(env.AVATARS, db, hoursFromNow(25))
  expect((await download(first)).status).toBe(404)
  expect((await download(second)).status).toBe(200)
})

it('purges what it removes from the cache, and nothing that stays', async () => {
  const { first } = await twoPictures()
  await env.AVATARS.put(`art/${UNKNOWN_USER}/card.jpg`, aPng())
  const run = (hours: number) => () => removeOrphans(env.AVATARS, db, hoursFromNow(hours))
  expect(await purgedBy(run(23))).toEqual([])
  expect(await purgedBy(run(25))).toEqual([`/avatars/${keyIn(first)}`])
  expect(await purgedBy(run(26))).toEqual([])
})

it('purges all pictures at once if it removes more than Cloudflare takes in a call', async () => {
  const keys = [...hashes, 'f'.repeat(48)].map((hash) => pictureKey(UNKNOWN_USER, hash))
  await Promise.all(keys.map(put))
  const purged = await purgedBy(() => removeOrphans(env.AVATARS, db, hoursFromNow(25)))
  expect(purged).toEqual(['/avatars/'])
})

it.each([
  ['refuses', { success: false, errors: [{ code: 1, message: 'too many calls' }] }],
  ['fails', new Error('too many calls')],
])('logs that the cache %s to purge', async (_, result) => {
  const key = pictureKey(UNKNOWN_USER, hashes[0] ?? '')
  await put(key)
  const logged = vi.spyOn(console, 'error').mockImplementationOnce(() => {})
  await purgedBy(() => removeOrphans(env.AVATARS, db, hoursFromNow(25)), result)
  expect(JSON.parse(logged.mock.calls[0]?.[0])).toMatchObject({
    event: 'cache_not_purged',
    paths: [`/avatars/${key}`],
    error: 'Error: too many calls',
  })
  logged.mockRestore()
  expect(await exists(key)).toBe(false)
})

it('continues after the last key of the previous run, and restarts after the last page', async () => {
  await Promise.all(hashes.map((hash) => put(pictureKey(UNKNOWN_USER, hash))))
  const list = env.AVATARS.list.bind(env.AVATARS)
  const listed = vi
    .spyOn(env.AVATARS, 'list')
    .mockImplementation((options) => list({ ...options, limit: 8 }))
  const removed: number[] = []
  for (let run = 0; run < 8; run++)
    removed.push(await removeOrphans(env.AVATARS, db, hoursFromNow(25)))
  const starts = listed.mock.calls.map(([options]) => options?.startAfter)
  listed.mockRestore()
  expect(Math.max(...removed)).toBeLessThanOrEqual(8)
  expect(removed.reduce((sum, count) => sum + count)).toBe(hashes.length)
  expect(starts.indexOf(undefined, 1)).toBeGreaterThan(1)
})

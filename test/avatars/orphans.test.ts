import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { removeOrphans } from '../../src/avatars/orphans.ts'
import { DRAWN, keyOf } from '../../src/avatars/url.ts'
import { aToken, aUser, db } from '../support/makers.ts'
import { aPng } from './pictures.ts'
import { avatarOf, download, uploadBytes, urlIn } from './uploads.ts'

const HOUR = 60 * 60_000
const later = (hours: number) => new Date(Date.now() + hours * HOUR)
const keyIn = (url: string) => new URL(url).pathname.replace('/avatars/', '')
const put = (key: string) => env.AVATARS.put(key, aPng())
const isThere = async (key: string) => (await env.AVATARS.head(key)) !== null

const hashes = Array.from({ length: 30 }, (_, i) => i.toString(16).padStart(48, '0'))

it('removes what no user points to, once no upload can be under way', async () => {
  const user = await aUser()
  const token = await aToken(user)
  const current = await urlIn(await uploadBytes(aPng(), { token }))
  const left = [keyOf(user.id, hashes[0] ?? ''), keyOf(987654321, hashes[1] ?? '')]
  await Promise.all(left.map(put))
  expect(await removeOrphans(env.AVATARS, db, later(0.9))).toBe(0)
  expect(await Promise.all(left.map(isThere))).toEqual([true, true])
  expect(await removeOrphans(env.AVATARS, db, later(1.1))).toBe(2)
  expect(await Promise.all(left.map(isThere))).toEqual([false, false])
  expect((await download(current)).status).toBe(200)
})

it('finds what a failed removal has left', async () => {
  const token = await aToken(await aUser())
  const first = await urlIn(await uploadBytes(aPng({ colour: [250, 0, 0] }), { token }))
  const warned = vi.spyOn(console, 'warn').mockImplementationOnce(() => {})
  const failing = vi.spyOn(env.AVATARS, 'delete').mockRejectedValueOnce(new Error('R2 is away'))
  const second = await urlIn(await uploadBytes(aPng({ colour: [0, 250, 0] }), { token }))
  await vi.waitUntil(() => failing.mock.settledResults[0]?.type === 'rejected')
  warned.mockRestore()
  failing.mockRestore()
  expect(await isThere(keyIn(first))).toBe(true)
  await removeOrphans(env.AVATARS, db, later(2))
  expect(await isThere(keyIn(first))).toBe(false)
  expect((await download(second)).status).toBe(200)
})

it('leaves drawn pictures alone, but for those of an earlier way to draw', async () => {
  const user = await aUser()
  const drawn = await avatarOf('me', await aToken(user))
  await download(drawn)
  const earlier = keyOf(user.id, hashes[2] ?? '')
  await put(earlier)
  await removeOrphans(env.AVATARS, db, later(2))
  expect(await isThere(keyIn(drawn))).toBe(true)
  expect(keyIn(drawn)).toBe(keyOf(user.id, DRAWN))
  expect(await isThere(earlier)).toBe(false)
})

it('goes on where the last run stopped, and begins again at the end', async () => {
  await Promise.all(hashes.map((hash) => put(keyOf(987654321, hash))))
  const list = env.AVATARS.list.bind(env.AVATARS)
  const listed = vi
    .spyOn(env.AVATARS, 'list')
    .mockImplementation((options) => list({ ...options, limit: 8 }))
  const removed: number[] = []
  const runs = 8
  for (let i = 0; i < runs; i++) removed.push(await removeOrphans(env.AVATARS, db, later(2)))
  const starts = listed.mock.calls.map(([options]) => options?.startAfter)
  listed.mockRestore()
  expect(Math.max(...removed)).toBeLessThanOrEqual(8)
  expect(removed.reduce((sum, count) => sum + count)).toBe(hashes.length)
  expect(starts.indexOf(undefined, 1)).toBeGreaterThan(1)
})

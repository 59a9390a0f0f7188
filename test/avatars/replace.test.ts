import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { afterEach, expect, it, vi } from 'vitest'
import { tokens } from '../../src/db/schema.ts'
import { call } from '../support/api.ts'
import { aMasterToken, aToken, aUser, db } from '../support/makers.ts'
import { aPng, sizeOf } from './pictures.ts'
import { avatarOf, download, stored, uploadBytes, uploadForm, urlIn } from './uploads.ts'

const keysOf = async (user: { id: number }) =>
  (await env.AVATARS.list({ prefix: `${user.id}/` })).objects.map(({ key }) => key)

const keyIn = (url: string) => new URL(url).pathname.replace('/avatars/', '')

afterEach(() => vi.restoreAllMocks())

const colours = [
  [250, 10, 10],
  [10, 250, 10],
  [10, 10, 250],
] as const

it('points the user to the new picture, and takes the old one away', async () => {
  const user = await aUser()
  const token = await aToken(user)
  const first = await urlIn(await uploadBytes(aPng({ colour: colours[0] }), { token }))
  const second = await urlIn(await uploadBytes(aPng({ colour: colours[1] }), { token }))
  expect(second).not.toBe(first)
  expect(await avatarOf('me', token)).toBe(second)
  expect((await download(second)).status).toBe(200)
  await vi.waitUntil(async () => (await keysOf(user)).length === 1)
  expect(await keysOf(user)).toEqual([keyIn(second)])
  expect((await download(first)).status).toBe(404)
})

it('keeps the address when the same picture is sent again', async () => {
  const user = await aUser()
  const token = await aToken(user)
  const first = await urlIn(await uploadBytes(aPng(), { token }))
  expect(await urlIn(await uploadForm(aPng(), { token }))).toBe(first)
  await vi.waitUntil(async () => (await keysOf(user)).length === 1)
  expect((await download(first)).status).toBe(200)
})

it('leaves one winner and nothing else of many uploads at once', async () => {
  const user = await aUser()
  const token = await aToken(user)
  const urls = await Promise.all(
    Array.from({ length: 12 }, async (_, i) =>
      urlIn(await uploadBytes(aPng({ colour: colours[i % 3] ?? colours[0] }), { token })),
    ),
  )
  const winner = await avatarOf('me', token)
  expect(urls).toContain(winner)
  await vi.waitUntil(async () => (await keysOf(user)).length === 1)
  expect(await keysOf(user)).toEqual([keyIn(winner)])
  expect((await download(winner)).status).toBe(200)
})

it('lets a master token replace anyone’s picture, and `me` is its administrator', async () => {
  const [user, token] = [await aUser(), await aMasterToken()]
  const url = await urlIn(await uploadBytes(aPng(), { token, to: user.id }))
  expect(await avatarOf('me', await aToken(user))).toBe(url)
  expect(await urlIn(await uploadBytes(aPng(), { token }))).not.toContain(`/avatars/${user.id}/`)
  expect((await uploadBytes(aPng(), { token, to: 987654321 })).status).toBe(404)
})

it('takes the own id as well as `me`, and refuses another user’s', async () => {
  const [ada, bob] = [await aUser(), await aUser()]
  const token = await aToken(ada)
  expect((await uploadBytes(aPng(), { token, to: ada.id })).status).toBe(200)
  const response = await uploadBytes(aPng(), { token, to: bob.id })
  expect(response.status).toBe(403)
  expect(await response.json()).toMatchObject({ code: 'forbidden' })
  expect(await keysOf(bob)).toEqual([])
})

it('refuses whoever has no live token, before the picture is read', async () => {
  const user = await aUser()
  const token = await aToken(user)
  await db.update(tokens).set({ revokedAt: '2026-01-01' }).where(eq(tokens.userId, user.id))
  const info = vi.spyOn(env.IMAGES, 'info')
  expect((await uploadBytes(aPng(), { token })).status).toBe(401)
  expect((await uploadBytes(aPng(), { token: 'nonsense' })).status).toBe(401)
  const anonymous = await call('PUT', '/api/public/user/me/profile/updateAvatarBytes', {
    body: 'x',
  })
  expect(anonymous.status).toBe(401)
  expect(info).not.toHaveBeenCalled()
  expect(await keysOf(user)).toEqual([])
})

it('stores nothing when the token dies while the picture is converted', async () => {
  const user = await aUser()
  const token = await aToken(user)
  const original = env.IMAGES.info.bind(env.IMAGES)
  vi.spyOn(env.IMAGES, 'info').mockImplementationOnce(async (stream) => {
    await db.update(tokens).set({ revokedAt: '2026-01-01' }).where(eq(tokens.userId, user.id))
    return original(stream)
  })
  expect((await uploadBytes(aPng(), { token })).status).toBe(401)
  await vi.waitUntil(async () => (await keysOf(user)).length === 0)
})

it('leaves the user the old picture when the new one cannot be stored', async () => {
  const user = await aUser()
  const token = await aToken(user)
  const first = await urlIn(await uploadBytes(aPng({ colour: colours[0] }), { token }))
  vi.spyOn(console, 'error').mockImplementationOnce(() => {})
  vi.spyOn(env.AVATARS, 'put').mockRejectedValueOnce(new Error('R2 is away'))
  expect((await uploadBytes(aPng({ colour: colours[1] }), { token })).status).toBe(500)
  expect(await avatarOf('me', token)).toBe(first)
  expect((await download(first)).status).toBe(200)
})

it('leaves the user the old picture when the row cannot be written', async () => {
  const user = await aUser()
  const token = await aToken(user)
  const first = await urlIn(await uploadBytes(aPng({ colour: colours[0] }), { token }))
  await env.DB.exec(
    `CREATE TRIGGER broken BEFORE UPDATE OF avatarKey ON users WHEN NEW.id = ${user.id} BEGIN SELECT RAISE(ABORT, 'no'); END`,
  )
  vi.spyOn(console, 'error').mockImplementationOnce(() => {})
  expect((await uploadBytes(aPng({ colour: colours[1] }), { token })).status).toBe(500)
  expect(await avatarOf('me', token)).toBe(first)
  expect((await download(first)).status).toBe(200)
})

it('answers although the old picture could not be taken away', async () => {
  const user = await aUser()
  const token = await aToken(user)
  await uploadBytes(aPng({ colour: colours[0] }), { token })
  vi.spyOn(console, 'warn').mockImplementationOnce(() => {})
  vi.spyOn(env.AVATARS, 'delete').mockRejectedValueOnce(new Error('R2 is away'))
  const picture = await stored(await uploadBytes(aPng({ colour: colours[1] }), { token }))
  expect(await sizeOf(picture)).toBe('image/jpeg 8×8')
})

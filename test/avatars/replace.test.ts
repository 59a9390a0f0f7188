import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { afterEach, expect, it, vi } from 'vitest'
import { tokens, users } from '../../src/db/schema/users.ts'
import { answerOf, call } from '../support/api.ts'
import { aMasterToken, aToken, aUser, db, setRow } from '../support/makers.ts'
import { PATIENCE } from '../support/patience.ts'
import { aPng } from './pictures.ts'
import {
  avatarUrlIn,
  download,
  getAvatarUrl,
  twoPictures,
  uploadBytes,
  uploadForm,
} from './uploads.ts'

const keysOf = async (user: { id: number }) =>
  (await env.AVATARS.list({ prefix: `${user.id}/` })).objects.map(({ key }) => key)

afterEach(() => vi.restoreAllMocks())

const colours = [
  [250, 10, 10],
  [10, 250, 10],
  [10, 10, 250],
] as const

it('replaces the avatar, and still serves the old picture at its address', async () => {
  const { token, first, second } = await twoPictures()
  expect(second).not.toBe(first)
  expect(await getAvatarUrl('me', token)).toBe(second)
  for (const url of [first, second]) expect((await download(url)).status).toBe(200)
})

it('keeps the URL if the same picture is uploaded again', async () => {
  const user = await aUser()
  const token = await aToken(user)
  const first = await avatarUrlIn(await uploadBytes(aPng(), { token }))
  expect(await avatarUrlIn(await uploadForm(aPng(), { token }))).toBe(first)
  await vi.waitUntil(async () => (await keysOf(user)).length === 1, PATIENCE)
  expect((await download(first)).status).toBe(200)
})

it('has the picture of one of the uploads after concurrent ones', async () => {
  const user = await aUser()
  const token = await aToken(user)
  const urls = await Promise.all(
    Array.from({ length: 4 }, async (_, i) =>
      avatarUrlIn(await uploadBytes(aPng({ colour: colours[i % 3] ?? colours[0] }), { token })),
    ),
  )
  const current = await getAvatarUrl('me', token)
  expect(urls).toContain(current)
  expect((await download(current)).status).toBe(200)
})

it('accepts a master token for any user, with `me` as its administrator', async () => {
  const [user, token] = [await aUser(), await aMasterToken()]
  const url = await avatarUrlIn(await uploadBytes(aPng(), { token, to: user.id }))
  expect(await getAvatarUrl('me', await aToken(user))).toBe(url)
  expect(await avatarUrlIn(await uploadBytes(aPng(), { token }))).not.toContain(
    `/avatars/${user.id}/`,
  )
  expect((await uploadBytes(aPng(), { token, to: 987654321 })).status).toBe(404)
  const unknown = call('GET', '/api/public/user/987654321/profile/avatar', { token })
  expect(await answerOf(unknown)).toMatchObject({ status: 404, code: 'not_found' })
})

it('stores nothing if the token is revoked during the conversion', async () => {
  const user = await aUser()
  const token = await aToken(user)
  const original = env.AVATARS.put.bind(env.AVATARS)
  vi.spyOn(env.AVATARS, 'put').mockImplementationOnce(async (...args) => {
    await db.update(tokens).set({ revokedAt: '2026-01-01' }).where(eq(tokens.userId, user.id))
    return original(...args)
  })
  expect((await uploadBytes(aPng(), { token })).status).toBe(401)
  await vi.waitUntil(async () => (await keysOf(user)).length === 0, PATIENCE)
})

it('keeps the old avatar if the user cannot be updated', async () => {
  const user = await aUser()
  const token = await aToken(user)
  const first = await avatarUrlIn(await uploadBytes(aPng({ colour: colours[0] }), { token }))
  await env.DB.exec(
    `CREATE TRIGGER broken BEFORE UPDATE OF avatarKey ON users WHEN NEW.id = ${user.id} BEGIN SELECT RAISE(ABORT, 'no'); END`,
  )
  vi.spyOn(console, 'error').mockImplementationOnce(() => {})
  expect((await uploadBytes(aPng({ colour: colours[1] }), { token })).status).toBe(500)
  expect(await getAvatarUrl('me', token)).toBe(first)
  expect((await download(first)).status).toBe(200)
})

it('gives no avatar to a user who is removed while the picture is converted', async () => {
  const user = await aUser()
  const token = await aMasterToken()
  const put = env.AVATARS.put.bind(env.AVATARS)
  vi.spyOn(env.AVATARS, 'put').mockImplementationOnce(async (...args) => {
    await setRow(users, user.id, { removedAt: new Date().toISOString() })
    return put(...args)
  })
  expect((await uploadBytes(aPng(), { token, to: user.id })).status).toBe(404)
  await vi.waitUntil(async () => (await keysOf(user)).length === 0, PATIENCE)
})

import { eq } from 'drizzle-orm'
import { describe, expect, inject, it, vi } from 'vitest'
import { fetchPicture } from '../../src/avatars/source.ts'
import { tokens } from '../../src/db/schema/users.ts'
import { answerOf } from '../support/api.ts'
import { aToken, aUser, db } from '../support/makers.ts'
import { PATIENCE } from '../support/patience.ts'
import { aCaller, getAvatarUrl, uploadUrl } from './uploads.ts'

const host = inject('remoteHost')
const remote = (path: string) => `http://${host}${path}`
const field = 'avatarUrl'
const loopbackHosts = [host]

/** Returns the status and message of an upload that must not change the user's avatar. */
async function rejectedUpload(path: string) {
  const caller = await aCaller()
  const before = await getAvatarUrl('me', caller.token)
  const { status, error } = await answerOf(uploadUrl(remote(path), caller))
  expect(await getAvatarUrl('me', caller.token)).toBe(before)
  return { status, error }
}

it('detects the format from the bytes, not from the declared type', async () => {
  expect((await uploadUrl(remote('/picture-as-text'), await aCaller())).status).toBe(200)
  expect(await rejectedUpload('/page')).toMatchObject({ status: 415 })
  expect(await rejectedUpload('/empty')).toMatchObject({ status: 415 })
})

it('forwards nothing of the request to the other server', async () => {
  const { token } = await aCaller()
  await uploadUrl(remote('/picture.jpg'), { token })
  const log = await fetch(remote('/requests?path=/picture.jpg'))
  for (const headers of await log.json<Record<string, string>[]>()) {
    expect(JSON.stringify(headers)).not.toContain(token)
    expect(headers).not.toHaveProperty('authorization')
    expect(headers).not.toHaveProperty('cookie')
    expect(headers['user-agent']).toBe('marketplace-api (pictures)')
  }
})

describe('redirects', () => {
  it('are followed', async () => {
    const caller = await aCaller()
    for (const code of [301, 308]) {
      const url = remote(`/redirect?code=${code}&to=/picture.jpg`)
      expect((await uploadUrl(url, caller)).status, `${code}`).toBe(200)
    }
  })

  it('are followed up to three times', async () => {
    expect((await uploadUrl(remote('/hops?left=2'), await aCaller())).status).toBe(200)
    expect(await rejectedUpload('/hops?left=3')).toEqual({
      status: 400,
      error: 'avatarUrl: must not redirect more than 3 times',
    })
  })

  it.each([
    'http://127.0.0.1:1/',
    'http://169.254.169.254/latest/meta-data/',
    '//10.0.0.1/a.jpg',
    'file:///etc/passwd',
  ])('are rejected if they point to %s', async (to) => {
    const fetched = vi.spyOn(globalThis, 'fetch')
    expect(await rejectedUpload(`/redirect?to=${encodeURIComponent(to)}`)).toEqual({
      status: 400,
      error: expect.stringMatching(/^avatarUrl: must /),
    })
    const hosts = fetched.mock.calls.map(([url]) => new URL(String(url)).host)
    expect(new Set(hosts)).toEqual(new Set([host]))
    fetched.mockRestore()
  })
})

it.each([204, 300, 500])('rejects a response with status %i', async (code) => {
  expect(await rejectedUpload(`/status?code=${code}`)).toEqual({
    status: 400,
    error: `avatarUrl: the server must answer 200, but answered ${code}`,
  })
})

describe('a response body', () => {
  it.each(['/declares-too-much', '/endless', '/gzip-bomb'])(
    'is read up to 10 MiB only: %s',
    async (path) => {
      expect(await rejectedUpload(path)).toMatchObject({ status: 413 })
    },
  )

  it('is rejected if the connection closes early', async () => {
    expect(await rejectedUpload('/breaks-off')).toEqual({
      status: 400,
      error: 'avatarUrl: the download failed',
    })
  })
})

it.each(['/silent', '/redirect?to=/slow'])('stops at the timeout: %s', async (path) => {
  const start = Date.now()
  await expect(fetchPicture(remote(path), { field, loopbackHosts, timeout: 300 })).rejects.toThrow(
    'avatarUrl: the download took longer than 0.3 s',
  )
  expect(Date.now() - start).toBeLessThan(PATIENCE)
})

it('downloads nothing for another user or without a live token', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch')
  const other = await aUser()
  const { token } = await aCaller()
  const revoked = await aToken(other)
  await db.update(tokens).set({ revokedAt: '2026-01-01' }).where(eq(tokens.userId, other.id))
  expect((await uploadUrl(remote('/picture.jpg'), { token, to: other.id })).status).toBe(403)
  for (const token of ['nonsense', revoked])
    expect((await uploadUrl(remote('/picture.jpg'), { token })).status).toBe(401)
  expect(fetched).not.toHaveBeenCalled()
  fetched.mockRestore()
})

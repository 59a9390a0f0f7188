import { describe, expect, inject, it, vi } from 'vitest'
import { fetchPicture } from '../../src/avatars/remote.ts'
import { aToken, aUser } from '../support/makers.ts'
import phone from './fixtures/phone.jpg?inline'
import { fileOf, quartersOf } from './pictures.ts'
import { avatarOf, stored, uploadUrl } from './uploads.ts'

const host = inject('remoteHost')
const remote = (path: string) => `http://${host}${path}`
const loopbackHosts = [host]

const aCaller = async () => ({ token: await aToken(await aUser()) })

/** The status and message of an upload that must not have changed anything. */
async function refusal(path: string) {
  const caller = await aCaller()
  const before = await avatarOf('me', caller.token)
  const response = await uploadUrl(remote(path), caller)
  expect(await avatarOf('me', caller.token)).toBe(before)
  const { error } = await response.json<{ error: string }>()
  return { status: response.status, error }
}

it('stores the picture behind a URL', async () => {
  const picture = await stored(await uploadUrl(remote('/picture.jpg'), await aCaller()))
  expect(await quartersOf(picture)).toEqual(['red', 'green', 'blue', 'white'])
})

it('goes by the bytes, whatever type the other server gives them', async () => {
  expect((await uploadUrl(remote('/picture-as-text'), await aCaller())).status).toBe(200)
  expect(await refusal('/page')).toMatchObject({ status: 415 })
  expect(await refusal('/empty')).toMatchObject({ status: 415 })
})

it('tells the other server nothing of the caller', async () => {
  const { token } = await aCaller()
  await uploadUrl(remote('/picture.jpg'), { token })
  const seen = await (await fetch(remote('/seen?path=/picture.jpg'))).json<
    Record<string, string>[]
  >()
  for (const headers of seen) {
    expect(JSON.stringify(headers)).not.toContain(token)
    expect(headers).not.toHaveProperty('authorization')
    expect(headers).not.toHaveProperty('cookie')
    expect(headers['user-agent']).toBe('marketplace-api (avatars)')
  }
})

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('are followed: %i', async (code) => {
    const url = remote(`/redirect?code=${code}&to=/picture.jpg`)
    expect((await uploadUrl(url, await aCaller())).status).toBe(200)
  })

  it('are followed three times', async () => {
    expect((await uploadUrl(remote('/hops?left=2'), await aCaller())).status).toBe(200)
    expect(await refusal('/hops?left=3')).toEqual({
      status: 400,
      error: 'avatarUrl: redirects more than 3 times',
    })
  })

  it.each([
    'http://127.0.0.1/',
    `http://127.0.0.1:1/`,
    'http://169.254.169.254/latest/meta-data/',
    'http://2130706433/',
    '//10.0.0.1/a.jpg',
    'http://[::ffff:127.0.0.1]/',
    'http://localhost/',
    `http://user:secret@${host}/picture.jpg`,
    'https://pictures.example.com:8443/',
    'file:///etc/passwd',
    'data:image/png;base64,iVBORw0KGgo=',
  ])('are refused to %s', async (to) => {
    const fetched = vi.spyOn(globalThis, 'fetch')
    expect(await refusal(`/redirect?to=${encodeURIComponent(to)}`)).toEqual({
      status: 400,
      error: expect.stringMatching(/^avatarUrl: must /),
    })
    const hosts = fetched.mock.calls.map(([url]) => new URL(String(url)).host)
    expect(new Set(hosts)).toEqual(new Set([host]))
    fetched.mockRestore()
  })

  it('without a destination are no picture', async () => {
    expect(await refusal('/redirect?to=')).toMatchObject({ status: 400 })
  })
})

it.each([204, 206, 300, 401, 404, 429, 500])('refuses an answer of %i', async (code) => {
  expect(await refusal(`/status?code=${code}`)).toEqual({
    status: 400,
    error: `avatarUrl: answered ${code}`,
  })
})

describe('a body', () => {
  it('that declares more than 10 MiB is refused at once', async () => {
    expect(await refusal('/declares-too-much')).toMatchObject({ status: 413 })
  })

  it('that never ends is cut at 10 MiB', async () => {
    expect(await refusal('/endless')).toMatchObject({ status: 413 })
  })

  it('that is small only while compressed is cut at 10 MiB', async () => {
    expect(await refusal('/gzip-bomb')).toMatchObject({ status: 413 })
  })

  it('that breaks off is refused', async () => {
    expect(await refusal('/breaks-off')).toEqual({
      status: 400,
      error: 'avatarUrl: could not be read',
    })
  })

  it('that declares less than it has is no whole picture', async () => {
    expect(await refusal('/declares-too-little')).toMatchObject({ status: 415 })
  })
})

it.each(['/silent', '/slow'])('gives up when the time is over: %s', async (path) => {
  const start = Date.now()
  await expect(fetchPicture(remote(path), { loopbackHosts, timeout: 300 })).rejects.toThrow(
    'avatarUrl: took longer than 0.3 s',
  )
  expect(Date.now() - start).toBeLessThan(5_000)
})

it('counts the time of redirects and content together', async () => {
  await expect(
    fetchPicture(remote('/redirect?to=/slow'), { loopbackHosts, timeout: 300 }),
  ).rejects.toThrow('avatarUrl: took longer than 0.3 s')
})

it('says that nobody listens there, and no more', async () => {
  await expect(
    fetchPicture('http://127.0.0.1:1/', { loopbackHosts: ['127.0.0.1:1'] }),
  ).rejects.toThrow('avatarUrl: could not be read')
})

it.each([undefined, null, 7, '', ' ', 'x'.repeat(3000), ['http://a.example.com']])(
  'refuses %j as a URL',
  async (avatarUrl) => {
    const response = await uploadUrl(avatarUrl, await aCaller())
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: expect.stringContaining('avatarUrl') })
  },
)

it('does not fetch for another user, nor without a live token', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch')
  const other = await aUser()
  const { token } = await aCaller()
  expect((await uploadUrl(remote('/picture.jpg'), { token, to: other.id })).status).toBe(403)
  expect((await uploadUrl(remote('/picture.jpg'), { token: 'nonsense' })).status).toBe(401)
  expect(fetched).not.toHaveBeenCalled()
  fetched.mockRestore()
})

it('reads the whole content', async () => {
  const picture = await fetchPicture(remote('/picture.jpg'), { loopbackHosts })
  expect(new Uint8Array(await picture.arrayBuffer())).toEqual(await fileOf(phone))
})

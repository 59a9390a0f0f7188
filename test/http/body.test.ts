import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { listEndpoints } from '../../scripts/build/openapi/list.ts'
import app from '../../src/app.ts'
import { answerOf, BASE_URL, requestOf } from '../support/api.ts'
import { aMasterToken, aSession, aUser } from '../support/makers.ts'

const KIBIBYTE = 1024
const MEBIBYTE = 1024 * KIBIBYTE
const FORM = 'application/x-www-form-urlencoded'

/** The ways in which endpoints read a body: method, path, media type, limit in bytes. */
const readers = [
  ['JSON', 'POST', '/api/public/deliveryAddress', 'application/json', MEBIBYTE],
  ['a form', 'POST', '/settings/api-access/tokens', FORM, 16 * KIBIBYTE],
  ['raw bytes', 'PUT', '/api/public/user/me/profile/updateAvatarBytes', 'image/png', 10 * MEBIBYTE],
  [
    'a form with a picture',
    'PUT',
    '/api/public/user/me/profile/updateAvatarFile',
    'multipart/form-data; boundary=x',
    10 * MEBIBYTE + 16 * KIBIBYTE,
  ],
] as const

/** Sends a body as a signed-in user. The body is not copied on its way. */
async function send(
  method: string,
  path: string,
  body: BodyInit,
  headers: Record<string, string>,
): Promise<Response> {
  const token = await aSession(await aUser())
  const request = requestOf(method, path, { token, body, headers })
  return app.fetch(request, env, createExecutionContext())
}

it.each(readers)(
  'refuses %s unread if content-length is above the limit',
  async (_, method, path, type, limit) => {
    let isRead = false
    const pull = () => {
      isRead = true
    }
    const body = new ReadableStream({ pull }, { highWaterMark: 0 })
    const headers = { 'content-type': type, 'content-length': String(limit + 1) }
    const refused = { status: 413, code: 'payload_too_large' }
    expect(await answerOf(send(method, path, body, headers))).toMatchObject(refused)
    expect(isRead).toBe(false)
  },
)

it.each(readers)(
  'answers 400 if %s breaks off, and logs no error',
  async (_, method, path, type) => {
    const info = vi.spyOn(console, 'log').mockImplementation(() => {})
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
    for (const headers of [{}, { 'content-length': '1000' }]) {
      let reads = 0
      const body = new ReadableStream({
        pull(controller) {
          if (++reads === 1) controller.enqueue(new TextEncoder().encode('--x\r\n'))
          else controller.error(new Error('Network connection lost.'))
        },
      })
      const sent = send(method, path, body, { 'content-type': type, ...headers })
      const problem = { status: 400, error: 'the body broke off', code: 'invalid_input' }
      expect(await answerOf(sent)).toMatchObject(problem)
    }
    const lines = info.mock.calls.map(([line]) => JSON.parse(line))
    expect(lines).toMatchObject(Array(2).fill({ event: 'request', status: 400 }))
    expect(errors).not.toHaveBeenCalled()
    info.mockRestore()
    errors.mockRestore()
  },
)

it('accepts a form of 16 KiB, and rejects one byte more', async () => {
  const formOf = (bytes: number) => new TextEncoder().encode('name=x&y='.padEnd(bytes, 'y'))
  const submit = (form: BodyInit, headers = {}) =>
    send('POST', '/settings/api-access/tokens', form, { 'content-type': FORM, ...headers })
  expect((await submit(formOf(16 * KIBIBYTE))).status).toBe(303)
  const form = formOf(16 * KIBIBYTE + 1)
  for (const headers of [{}, { 'content-length': String(form.length) }])
    expect(await answerOf(submit(form, headers))).toMatchObject({
      status: 413,
      error: 'a form may have at most 16 KiB',
      code: 'payload_too_large',
    })
})

const withBody = listEndpoints(app).filter(
  ({ method, access, input = {} }) =>
    access !== 'public' && method !== 'GET' && Object.keys(input).some((part) => part !== 'param'),
)

it.each(withBody)(
  'reads no body of $method $path without a token that we signed',
  async (endpoint) => {
    const read = vi.fn()
    const body = new ReadableStream({ pull: read }, { highWaterMark: 0 })
    const path = endpoint.path.replaceAll(/:\w+/g, '1')
    const response = await app.request(
      new URL(path, BASE_URL),
      {
        method: endpoint.method,
        headers: { authorization: 'Bearer nonsense', 'content-type': 'application/json' },
        body,
        duplex: 'half',
      } as RequestInit,
      env,
      createExecutionContext(),
    )
    expect(response.status).toBe(401)
    expect(read).not.toHaveBeenCalled()
  },
)

it.each([
  ...readers,
  ['a catalogue', 'POST', '/api/admin/catalogue', 'application/x-ndjson', 0] as const,
])('refuses %s that is compressed, and says what to send', async (_, method, path, type) => {
  const token = await aMasterToken()
  const user = await aSession(await aUser())
  const gzip = new Blob(['{}']).stream().pipeThrough(new CompressionStream('gzip'))
  const request = requestOf(method, path, {
    token: path.startsWith('/api/admin') ? token : user,
    body: gzip,
    headers: { 'content-type': type, 'content-encoding': 'identity, gzip' },
  })
  const response = await app.fetch(request, env, createExecutionContext())
  expect(response.status).toBe(415)
  expect(response.headers.get('accept-encoding')).toBe('identity')
  expect(await response.json()).toMatchObject({
    code: 'unsupported_media_type',
    error: 'send the body without Content-Encoding',
  })
})

it('takes a body that says that it is not compressed', async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'Identity' }
  expect((await send('POST', '/api/public/deliveryAddress', '{}', headers)).status).toBe(200)
})

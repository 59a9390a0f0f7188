import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { verifyToken } from '../../src/auth/tokens.ts'
import { call } from '../support/api.ts'
import { aMasterToken, aToken, aUser, issuer } from '../support/makers.ts'

/** Sends a request and returns the log line that it writes. */
async function logged(...request: Parameters<typeof call>) {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const response = await call(...request)
  const lines = log.mock.calls.map(([line]) => String(line))
  log.mockRestore()
  expect(lines).toHaveLength(1)
  return { response, line: lines[0] ?? '', entry: JSON.parse(lines[0] ?? '') }
}

it('logs the route, the status, the token id and the cost', async () => {
  const jwt = await aToken(await aUser())
  const caller = await verifyToken(issuer, jwt, new Date())
  const { response, entry } = await logged('GET', '/api/webhooks', { token: jwt })
  expect(entry).toEqual({
    event: 'request',
    requestId: response.headers.get('x-request-id'),
    method: 'GET',
    route: '/api/webhooks',
    status: 200,
    tokenId: caller?.tokenId,
    trips: 1,
    duration: expect.any(Number),
    version: env.VERSION.id,
  })
})

it('logs a plain request id of the caller beside its own', async () => {
  const callerIdOf = async (id: string) => {
    const headers = { 'x-request-id': id }
    const { entry, response } = await logged('GET', '/nothing', { headers })
    expect(entry.requestId).toBe(response.headers.get('x-request-id'))
    expect(entry.requestId).not.toBe(id)
    return entry.callerRequestId
  }
  expect(await callerIdOf('shop:order-7_a.b=')).toBe('shop:order-7_a.b=')
  expect(await callerIdOf('a'.repeat(128))).toBe('a'.repeat(128))
  for (const id of ['a'.repeat(129), 'a b', 'bo@example.com', '"}'])
    expect(await callerIdOf(id)).toBeUndefined()
})

it('counts the trips to the database and logs the pattern of the route', async () => {
  const token = await aToken(await aUser())
  const { entry } = await logged('GET', '/api/public/user/me/billingAddresses', { token })
  expect(entry).toMatchObject({ route: '/api/public/user/:user_id/billingAddresses', trips: 1 })
})

it('does not log the path, the query or headers', async () => {
  const { line, entry } = await logged('GET', '/nothing/secret-1?email=secret-2', {
    token: 'secret-3',
    headers: { cookie: 'token=secret-4' },
  })
  expect(entry).toMatchObject({ route: null, status: 404, tokenId: null })
  expect(line).not.toContain('secret')
})

it('sends Server-Timing only to a master token that asks for it', async () => {
  const headers = { 'x-server-timing': '1' }
  const timing = async (request: Parameters<typeof call>[2]) =>
    (await call('GET', '/health', request)).headers.get('server-timing')
  const master = await aMasterToken()
  expect(await timing({ headers, token: master })).toMatch(/^total;dur=[\d.]+, d1;desc="trips: 1"$/)
  expect(await timing({ token: master })).toBeNull()
  expect(await timing({ headers, token: await aToken(await aUser()) })).toBeNull()
  expect(await timing({ headers })).toBeNull()
})

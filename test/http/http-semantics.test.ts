import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import app from '../../src/app.ts'
import { answerOf, call } from '../support/api.ts'
import { aMasterToken, aToken, aUser } from '../support/makers.ts'

const BILLING_ADDRESSES = '/api/public/user/me/billingAddresses'

it('answers an unsupported method with 405 and lists the supported methods', async () => {
  const response = await call('PATCH', BILLING_ADDRESSES)
  expect(response.headers.get('allow')).toBe('GET, HEAD')
  expect(await answerOf(response)).toMatchObject({
    status: 405,
    error: 'this path accepts GET, HEAD',
    code: 'method_not_allowed',
  })
  const orders = await call('DELETE', '/api/externalOrders')
  expect(orders.headers.get('allow')).toBe('GET, HEAD, POST')
  expect(await orders.json()).toMatchObject({ orders: null, code: 'method_not_allowed' })
})

it('lets scripts of other sites send a token, but not a cookie', async () => {
  const preflight = await call('OPTIONS', BILLING_ADDRESSES, {
    headers: {
      origin: 'https://shop.example',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  })
  expect(preflight.status).toBe(204)
  const allowed = (name: string) => preflight.headers.get(`access-control-allow-${name}`)
  expect(allowed('origin')).toBe('*')
  expect(allowed('methods')?.split(',')).toEqual(['GET', 'HEAD', 'POST', 'PUT', 'DELETE'])
  expect(allowed('headers')).toBe('authorization,content-type,idempotency-key')
  expect(allowed('credentials')).toBeNull()
})

it('exposes response headers to scripts of other sites, also on errors', async () => {
  const response = await call('GET', BILLING_ADDRESSES, {
    headers: { origin: 'https://shop.example' },
  })
  expect(response.status).toBe(401)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  const exposed = response.headers.get('access-control-expose-headers')?.toLowerCase().split(',')
  for (const name of [
    ...['x-request-id', 'x-d1-bookmark', 'retry-after', 'idempotent-replayed'],
    ...['x-order-sequence', 'x-order-source'],
  ])
    expect(exposed).toContain(name)
})

it('sets security headers on every response', async () => {
  const { headers } = await call('GET', '/nothing')
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('strict-transport-security')).toContain('max-age=')
})

it('accepts the bookmark of an earlier response, and rejects other values', async () => {
  const token = await aToken(await aUser())
  const bookmark =
    (await call('GET', BILLING_ADDRESSES, { token })).headers.get('x-d1-bookmark') ?? ''
  expect(bookmark).not.toBe('')
  const readAt = (text: string) =>
    call('GET', BILLING_ADDRESSES, { token, headers: { 'x-d1-bookmark': text } })
  expect((await readAt(bookmark)).status).toBe(200)
  for (const text of ['first-primary', 'x', `${bookmark}-1`, 'a'.repeat(5000)])
    expect(await answerOf(readAt(text))).toMatchObject({
      status: 400,
      error: 'x-d1-bookmark: must be the value of an earlier response',
      code: 'invalid_input',
    })
})

it('rejects a URL that is too long, and ids with unusual characters', async () => {
  const token = await aMasterToken()
  const tooLong = call('GET', `${BILLING_ADDRESSES}?${'a'.repeat(9000)}`, { token })
  const error = 'a URL may have at most 8192 characters'
  expect(await answerOf(tooLong)).toMatchObject({ status: 400, error })
  for (const id of ['%', '%E0%A4%A', '%00', '..%2f..%2f', '１', '%F0%9F%8F%94', '1%2C2'])
    expect((await call('GET', `/api/public/user/${id}/billingAddresses`, { token })).status).toBe(
      400,
    )
})

it('answers an internal error with 500 and without details', async () => {
  const DB = { withSession: () => ({ batch: () => Promise.reject(new Error('a secret')) }) }
  const headers = { authorization: await aMasterToken() }
  const ctx = createExecutionContext()
  const response = await app.request(BILLING_ADDRESSES, { headers }, { ...env, DB }, ctx)
  expect(response.status).toBe(500)
  expect(response.headers.get('x-request-id')).toBeTruthy()
  const issue = { path: '', code: 'internal_error', message: 'something went wrong on our side' }
  expect(await response.json()).toEqual({
    error: 'something went wrong on our side',
    code: 'internal_error',
    issues: [issue],
    requestId: response.headers.get('x-request-id'),
    // Not that of the request, which is localhost.
    documentationUrl: 'https://marketplace.test/docs/errors#internal_error',
  })
})

describe('a slash at the end of a path', () => {
  const open = (path: string) =>
    app.request(`https://marketplace.test${path}`, { headers: { accept: 'text/html' } }, env)

  it('of a page leads on', async () => {
    const response = await open('/orders/?page=2')
    expect([response.status, response.headers.get('location')]).toEqual([308, '/orders?page=2'])
  })

  it('leads to no other host', async () => {
    expect((await open('//evil.example.com/')).status).toBe(404)
    for (const path of ['/%5Cevil.example.com/', '/%09/evil.example.com/', '/%0A/evil/']) {
      const response = await open(path)
      expect([response.status, response.headers.get('location')]).toEqual([308, path.slice(0, -1)])
    }
  })

  it.each([
    ['GET', '/api/externalOrders/'],
    ['POST', '/api/externalOrders/'],
    ['POST', '/sign-in/wallet/'],
  ])('of an endpoint is explained: %s %s', async (method, path) => {
    const response = await app.request(path, { method }, env)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({
      code: 'not_found',
      error: 'there is nothing at this path: try it without the slash at its end',
    })
  })
})

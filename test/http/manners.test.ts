import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import app from '../../src/app.ts'
import { call } from '../support/api.ts'
import { aMasterToken, aToken, aUser } from '../support/makers.ts'

const OWN = '/api/public/user/me/billingAddresses'

it('answers HEAD as GET, without the body', async () => {
  const token = await aToken(await aUser())
  const [head, get] = [await call('HEAD', OWN, { token }), await call('GET', OWN, { token })]
  expect(head.status).toBe(200)
  expect(await head.text()).toBe('')
  expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
})

it('answers a method that the path does not take with 405 and those that it takes', async () => {
  const response = await call('PATCH', OWN)
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('GET, HEAD')
  expect(await response.json()).toEqual({
    error: 'this path takes GET, HEAD',
    code: 'method_not_allowed',
  })
  const orders = await call('DELETE', '/api/externalOrders')
  expect(orders.headers.get('allow')).toBe('POST')
  expect(await orders.json()).toMatchObject({ orders: null, code: 'method_not_allowed' })
})

it('lets the scripts of other sites call with a token, but not with a cookie', async () => {
  const preflight = await call('OPTIONS', OWN, {
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

it('shows scripts the headers that they need, also of an error', async () => {
  const response = await call('GET', OWN, { headers: { origin: 'https://shop.example' } })
  expect(response.status).toBe(401)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  const exposed = response.headers.get('access-control-expose-headers')?.toLowerCase().split(',')
  for (const name of ['x-request-id', 'x-d1-bookmark', 'retry-after', 'idempotent-replayed'])
    expect(exposed).toContain(name)
})

it('lets no browser run, frame or sniff what it answers', async () => {
  const { headers } = await call('GET', '/nothing')
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('strict-transport-security')).toContain('max-age=')
})

it('names each request: as the client does, or by itself', async () => {
  const named = await call('GET', '/nothing', { headers: { 'x-request-id': 'order-7' } })
  expect(named.headers.get('x-request-id')).toBe('order-7')
  const strange = await call('GET', '/nothing', { headers: { 'x-request-id': 'a b' } })
  expect(strange.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
})

it('takes the bookmark of an answer, and refuses what is none', async () => {
  const token = await aToken(await aUser())
  const bookmark = (await call('GET', OWN, { token })).headers.get('x-d1-bookmark') ?? ''
  expect(bookmark).not.toBe('')
  const ask = (text: string) => call('GET', OWN, { token, headers: { 'x-d1-bookmark': text } })
  expect((await ask(bookmark)).status).toBe(200)
  for (const text of ['first-primary', 'x', `${bookmark}-1`, 'a'.repeat(5000)]) {
    const refused = await ask(text)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toEqual({
      error: 'x-d1-bookmark: is none that an answer had',
      code: 'invalid_input',
    })
  }
})

it('refuses a URL without end, and takes a strange one for what it is', async () => {
  const token = await aMasterToken()
  const endless = await call('GET', `${OWN}?${'a'.repeat(9000)}`, { token })
  expect(endless.status).toBe(400)
  expect(await endless.json()).toMatchObject({ error: 'a URL may have at most 8192 characters' })
  for (const id of ['%', '%E0%A4%A', '%00', '..%2f..%2f', '１', '%F0%9F%8F%94', '1%2C2'])
    expect((await call('GET', `/api/public/user/${id}/billingAddresses`, { token })).status).toBe(
      400,
    )
})

it('tells nothing of what is broken on our side', async () => {
  const broken = { ...env, PUBLIC_URL: 'no URL, but a secret' }
  const response = await app.request(OWN, {}, broken)
  expect(response.status).toBe(500)
  expect(response.headers.get('x-request-id')).toBeTruthy()
  expect(await response.json()).toEqual({
    error: 'something went wrong on our side',
    code: 'internal_error',
  })
})

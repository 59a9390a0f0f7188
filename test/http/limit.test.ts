import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import app from '../../src/app.ts'
import { verifyToken } from '../../src/identity/tokens.ts'
import { aToken, aUser, issuer } from '../support/makers.ts'

/** One request against an allowance that is used up or not, and whose allowance was asked for. */
async function ask(headers: Record<string, string>, success = true) {
  const limit = vi.fn(async (_: { key: string }) => ({ success }))
  const response = await app.request(
    '/.well-known/jwks.json',
    { headers },
    { ...env, RATE_LIMIT: { limit } },
    createExecutionContext(),
  )
  return { response, keys: limit.mock.calls.map(([{ key }]) => key) }
}

it('answers 429 with Retry-After when the allowance is used up', async () => {
  const { response } = await ask({}, false)
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('60')
  expect(response.headers.get('x-request-id')).toBeTruthy()
  expect(await response.json()).toMatchObject({ code: 'rate_limited' })
})

it('gives each token its own allowance, wherever it comes from', async () => {
  const jwt = await aToken(await aUser())
  const caller = await verifyToken(issuer, jwt, new Date())
  const { response, keys } = await ask({
    authorization: `Bearer ${jwt}`,
    'cf-connecting-ip': '192.0.2.1',
  })
  expect(response.status).toBe(200)
  expect(keys).toEqual([`token:${caller?.tokenId}`])
})

it('gives each address its own allowance when there is no token that we signed', async () => {
  const { keys } = await ask({ 'cf-connecting-ip': '192.0.2.1' })
  const { keys: forged } = await ask({
    'cf-connecting-ip': '192.0.2.2',
    authorization: 'Bearer a.b.c',
  })
  expect([keys, forged]).toEqual([['address:192.0.2.1'], ['address:192.0.2.2']])
})

it('counts the addresses of one line as one: in IPv6 that is a /64', async () => {
  const keysOf = async (address: string) => (await ask({ 'cf-connecting-ip': address })).keys
  const line = ['address:2001:db8:0:7::/64']
  expect(await keysOf('2001:db8:0:7::1')).toEqual(line)
  expect(await keysOf('2001:db8::7:ffff:ffff:ffff:ffff')).toEqual(line)
  expect(await keysOf('2001:db8:0:8::1')).toEqual(['address:2001:db8:0:8::/64'])
  expect(await keysOf('::ffff:192.0.2.1')).toEqual(['address:192.0.2.1'])
})

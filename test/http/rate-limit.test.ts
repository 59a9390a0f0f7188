import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import app from '../../src/app.ts'
import { verifyToken } from '../../src/auth/tokens.ts'
import { aToken, aUser, issuer } from '../support/makers.ts'

/** Sends a request. `keys` are the keys that the rate limit was asked for. */
async function send(headers: Record<string, string>, success = true) {
  const limit = vi.fn(async (_: { key: string }) => ({ success }))
  const response = await app.request(
    '/.well-known/jwks.json',
    { headers },
    { ...env, RATE_LIMIT: { limit } },
    createExecutionContext(),
  )
  return { response, keys: limit.mock.calls.map(([{ key }]) => key) }
}

it('answers 429 with Retry-After when the limit is reached', async () => {
  const { response } = await send({}, false)
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('60')
  expect(response.headers.get('x-request-id')).toBeTruthy()
  expect(await response.json()).toMatchObject({ code: 'rate_limited' })
})

it('counts requests with a token per token', async () => {
  const jwt = await aToken(await aUser())
  const caller = await verifyToken(issuer, jwt, new Date())
  const { response, keys } = await send({
    authorization: `Bearer ${jwt}`,
    'cf-connecting-ip': '192.0.2.1',
  })
  expect(response.status).toBe(200)
  expect(keys).toEqual([`token:${caller?.tokenId}`])
})

it('counts requests without a valid token per client address', async () => {
  const { keys } = await send({ 'cf-connecting-ip': '192.0.2.1' })
  const { keys: forged } = await send({
    'cf-connecting-ip': '192.0.2.2',
    authorization: 'Bearer a.b.c',
  })
  expect([keys, forged]).toEqual([['address:192.0.2.1'], ['address:192.0.2.2']])
})

it('counts IPv6 addresses per /64 network', async () => {
  const keysOf = async (address: string) => (await send({ 'cf-connecting-ip': address })).keys
  const network = ['address:2001:db8:0:7::/64']
  expect(await keysOf('2001:db8:0:7::1')).toEqual(network)
  expect(await keysOf('2001:db8::7:ffff:ffff:ffff:ffff')).toEqual(network)
  expect(await keysOf('2001:db8:0:8::1')).toEqual(['address:2001:db8:0:8::/64'])
  expect(await keysOf('::ffff:192.0.2.1')).toEqual(['address:192.0.2.1'])
})

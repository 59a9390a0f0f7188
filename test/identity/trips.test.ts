/** Database trips of sign-in and of the settings pages. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { measured } from '../support/measured.ts'
import {
  anEmail,
  aVisitor,
  aWallet,
  CHAIN_ID,
  linkWallet,
  mailedLink,
  requestMessage,
  secretOf,
  signInByEmail,
  signInByWallet,
} from '../support/visitor.ts'

/** Counts the trips of a request that is sent with the given environment. */
async function countTrips(send: (env: Partial<Env>) => Promise<Response>): Promise<number> {
  const { database, trips } = measured(env.DB)
  const response = await send({ DB: database })
  expect(response.status).toBeLessThan(400)
  return trips.length
}

it('takes one trip to request a message, and one to sign in with it', async () => {
  const visitor = aVisitor()
  const wallet = aWallet()
  const request = { address: wallet.address, chainId: CHAIN_ID, purpose: 'sign-in' }
  expect(
    await countTrips((env) => visitor.postJson('/sign-in/wallet/message', request, { env })),
  ).toBe(1)
  const message = await requestMessage(visitor, wallet)
  const signature = await wallet.signMessage({ message })
  const signed = { message, signature }
  expect(await countTrips((env) => visitor.postJson('/sign-in/wallet', signed, { env }))).toBe(1)
})

it('does not read the other users to sign in', async () => {
  await env.DB.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 500)
     INSERT INTO users (identityHash, provider, ethereumPublicAddr, email, createdAt, updatedAt)
     SELECT 'hash ' || n, 'wallet', 'wallet ' || n, n || '@example.com', '', '' FROM numbers`,
  ).run()
  const { database, trips } = measured(env.DB)
  const visitor = aVisitor()
  const wallet = aWallet()
  const message = await requestMessage(visitor, wallet)
  const signature = await wallet.signMessage({ message })
  const signed = { message, signature }
  await visitor.postJson('/sign-in/wallet', signed, { env: { DB: database } })
  expect(trips).toHaveLength(1)
  expect(trips[0]?.rowsRead).toBeLessThan(30)
})

it('takes one trip to mail a link, one to open it, and one to sign in with it', async () => {
  const visitor = aVisitor()
  const form = { email: anEmail() }
  expect(await countTrips((env) => visitor.post('/sign-in/email', { form, env }))).toBe(1)
  const link = mailedLink(visitor)
  expect(await countTrips((env) => visitor.get(link, { env }))).toBe(1)
  const secret = secretOf(link)
  expect(
    await countTrips((env) => visitor.post('/sign-in/email/confirm', { form: { secret }, env })),
  ).toBe(1)
})

it('takes two trips to link a wallet, and one to mail that it was linked', async () => {
  const visitor = aVisitor()
  await signInByEmail(visitor)
  // The first request also stores when the session was last used.
  await visitor.get('/settings/account')
  expect(await countTrips((env) => linkWallet(visitor, aWallet(), env))).toBe(3)
})

it('takes one trip for each settings page and each of its forms, and another one to tell the owner', async () => {
  const visitor = aVisitor()
  await signInByWallet(visitor)
  // The first request also stores when the session was last used.
  await visitor.get('/settings/account')
  const pages = ['/settings/account', '/settings/api-access']
  for (const path of pages) expect(await countTrips((env) => visitor.get(path, { env }))).toBe(1)
  let path = ''
  const generate = async (env: Partial<Env>) => {
    const form = { name: 'counted' }
    const response = await visitor.post('/settings/api-access/tokens', { form, env })
    path = response.headers.get('location') ?? ''
    return response
  }
  expect(await countTrips(generate)).toBe(1)
  expect(await countTrips((env) => visitor.get(path, { env }))).toBe(1)
  expect(await countTrips((env) => visitor.post(`${path}/revoke`, { env }))).toBe(1)
  const form = { email: anEmail() }
  expect(await countTrips((env) => visitor.post('/settings/account/email', { form, env }))).toBe(1)
  expect(await countTrips((env) => visitor.get(mailedLink(visitor), { env }))).toBe(1)
  const secret = secretOf(mailedLink(visitor))
  const confirm = '/settings/account/email/confirm'
  expect(await countTrips((env) => visitor.post(confirm, { form: { secret }, env }))).toBe(2)
  expect(await countTrips((env) => visitor.post('/sign-out', { env }))).toBe(1)
})

/** How often signing in, and the pages behind it, ask the database. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { measured } from '../support/measured.ts'
import {
  anEmail,
  aVisitor,
  aWallet,
  CHAIN_ID,
  mailedLink,
  offered,
  secretOf,
  signInByWallet,
} from '../support/visitor.ts'

/** The trips of what is done with the environment that is given. */
async function tripsOf(ask: (env: Partial<Env>) => Promise<Response>): Promise<number> {
  const { database, trips } = measured(env.DB)
  const response = await ask({ DB: database })
  expect(response.status).toBeLessThan(400)
  return trips.length
}

it('takes one trip to offer a message, and one to sign in with it', async () => {
  const visitor = aVisitor()
  const wallet = aWallet()
  const wanted = { address: wallet.address, chainId: CHAIN_ID, purpose: 'sign-in' }
  expect(await tripsOf((env) => visitor.send('/sign-in/wallet/message', wanted, { env }))).toBe(1)
  const message = await offered(visitor, wallet)
  const signature = await wallet.signMessage({ message })
  const signed = { message, signature }
  expect(await tripsOf((env) => visitor.send('/sign-in/wallet', signed, { env }))).toBe(1)
})

it('takes one trip to ask for a link, one to open it, and one to sign in by it', async () => {
  const visitor = aVisitor()
  const form = { email: anEmail() }
  expect(await tripsOf((env) => visitor.post('/sign-in/email', { form, env }))).toBe(1)
  const link = mailedLink(visitor)
  expect(await tripsOf((env) => visitor.get(link, { env }))).toBe(1)
  const secret = secretOf(link)
  expect(
    await tripsOf((env) => visitor.post('/sign-in/email/confirm', { form: { secret }, env })),
  ).toBe(1)
})

it('takes one trip for each page of the settings, and for each of their buttons', async () => {
  const visitor = aVisitor()
  await signInByWallet(visitor)
  // The first use of a session is noted, after the answer.
  await visitor.get('/settings/account')
  const pages = ['/settings/account', '/settings/api-access']
  for (const path of pages) expect(await tripsOf((env) => visitor.get(path, { env }))).toBe(1)
  let path = ''
  const generate = async (env: Partial<Env>) => {
    const form = { name: 'counted' }
    const response = await visitor.post('/settings/api-access/tokens', { form, env })
    path = response.headers.get('location') ?? ''
    return response
  }
  expect(await tripsOf(generate)).toBe(1)
  expect(await tripsOf((env) => visitor.get(path, { env }))).toBe(1)
  expect(await tripsOf((env) => visitor.post(`${path}/revoke`, { env }))).toBe(1)
  const form = { email: anEmail() }
  expect(await tripsOf((env) => visitor.post('/settings/account/email', { form, env }))).toBe(1)
  expect(await tripsOf((env) => visitor.get(mailedLink(visitor), { env }))).toBe(1)
  const secret = secretOf(mailedLink(visitor))
  const confirm = '/settings/account/email/confirm'
  expect(await tripsOf((env) => visitor.post(confirm, { form: { secret }, env }))).toBe(1)
  expect(await tripsOf((env) => visitor.post('/sign-out', { env }))).toBe(1)
})

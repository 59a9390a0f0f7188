/** Database trips of what test/costs.test.ts does not send: what needs a signature or a mailed link. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { measured } from '../support/measured.ts'
import {
  anEmail,
  aVisitor,
  aWallet,
  linkWallet,
  mailedLink,
  requestMessage,
  secretOf,
  signInByEmail,
} from '../support/visitor.ts'

const CONFIRM = '/sign-in/email/confirm'

/** Counts the trips of a request that is sent with the given environment. */
async function countTrips(send: (env: Partial<Env>) => Promise<Response>): Promise<number> {
  const { database, trips } = measured(env.DB)
  const response = await send({ DB: database })
  expect(response.status).toBeLessThan(400)
  return trips.length
}

it('takes one trip to sign in with a message, and does not read the other users', async () => {
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
  expect(trips[0]?.rowsRead).toBeLessThan(40)
})

it('takes one trip to open a mailed link, and one to sign in with it', async () => {
  const visitor = aVisitor()
  await visitor.post('/sign-in/email', { form: { email: anEmail() } })
  const link = mailedLink(visitor)
  expect(await countTrips((env) => visitor.get(link, { env }))).toBe(1)
  const form = { secret: secretOf(link) }
  expect(await countTrips((env) => visitor.post(CONFIRM, { form, env }))).toBe(1)
})

it('takes two trips to link a wallet, and one to mail that it was linked', async () => {
  const visitor = aVisitor()
  await signInByEmail(visitor)
  // The first request also stores when the session was last used.
  await visitor.get('/settings/account')
  expect(await countTrips((env) => linkWallet(visitor, aWallet(), env))).toBe(3)
})

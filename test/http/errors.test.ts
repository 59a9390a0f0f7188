/** What an error response has at most, and errors of the database. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { call, callWith } from '../support/api.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aMasterToken, aToken, aUser } from '../support/makers.ts'

const logged = recordLogs()

it('refuses a list that is too long without a look at what is in it', async () => {
  const token = await aToken(await aUser())
  const json = { url: 'https://example.com/', events: Array(100_000).fill('wrong') }
  const response = await call('POST', '/api/webhooks', { token, json })
  expect(response.status).toBe(400)
  expect((await response.json<{ issues: unknown }>()).issues).toEqual([
    { path: 'events', code: 'invalid_input', message: 'must have at most 9 elements' },
  ])
})

it('answers with 100 issues and 64 KB at most', async () => {
  const token = await aToken(await aUser())
  const street = '\u0000'.repeat(1000)
  const order = {
    nftId: 0,
    listingId: 0,
    quantity: 0,
    buyerUserId: 0,
    buyerBillingData: { street },
  }
  const response = await call('POST', '/api/externalOrders', {
    token,
    json: Array(100).fill(order),
  })
  const body = await response.text()
  expect(JSON.parse(body).issues).toHaveLength(100)
  expect(body.length).toBeLessThan(65_536)
})

it('answers with 64 KB at most if the issues quote long texts of several bytes a character', async () => {
  const record = { type: 'user', id: 'x', email: 'x@example.com', ['€'.repeat(300)]: 1 }
  const response = await call('POST', '/api/admin/catalogue', {
    token: await aMasterToken(),
    body: `${JSON.stringify(record)}\n`.repeat(100),
  })
  expect(response.status).toBe(400)
  const body = await response.arrayBuffer()
  expect(body.byteLength).toBeLessThan(65_536)
  expect(JSON.parse(new TextDecoder().decode(body)).issues.length).toBeGreaterThan(50)
})

it('shortens the text of an issue that quotes the request', async () => {
  const token = await aToken(await aUser())
  const response = await call('GET', `/api/externalOrders/${'9'.repeat(5000)}`, { token })
  const { error, issues } = await response.json<{ error: string; issues: { message: string }[] }>()
  expect(error.length).toBeLessThanOrEqual(250)
  expect(issues[0]?.message.length).toBeLessThanOrEqual(250)
})

it.each([
  'D1_ERROR: Network connection lost.',
  'D1_ERROR: D1 DB reset because its code was updated.',
  'D1_ERROR: Internal error in D1 DB storage caused object to be reset.',
  'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.',
  'D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.',
  "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
  'D1_ERROR: D1 DB exceeded its CPU time limit and was reset.',
  "D1_ERROR: Can't read from request stream because client disconnected.",
  'D1_ERROR: D1 DB is overloaded. Too many requests queued.',
  'D1_ERROR: D1 DB is overloaded. Requests queued for too long.',
  // As `npm run backup` and `npm run restore` cause it.
  'D1_ERROR: Currently processing a long-running export.',
  'D1_ERROR: Currently processing a long-running import.',
  'D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.',
  'D1_ERROR: Failed to get session commit token: internal error',
])('answers 503 with the time to wait if the database says: %s', async (message) => {
  const token = await aToken(await aUser())
  const session = {
    prepare: (sql: string) => env.DB.prepare(sql),
    batch: () => Promise.reject(new Error(message)),
    getBookmark: () => null,
  }
  const DB = { withSession: () => session } as unknown as D1Database
  const response = await callWith({ ...env, DB }, 'GET', '/api/externalOrders', { token })
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('5')
  expect(await response.json()).toMatchObject({
    code: 'try_later',
    error: 'the database does not answer: please try again later',
    orders: null,
  })
  expect(logged('database_unavailable')).toHaveLength(1)
})

it('quotes no half of a surrogate pair, which other languages cannot read', async () => {
  const token = await aToken(await aUser())
  const response = await call('GET', `/api/externalOrders/${'x'.repeat(79)}%F0%9F%8E%81`, { token })
  const { error, issues } = await response.json<{ error: string; issues: { message: string }[] }>()
  expect(issues[0]?.message).toBe(`"${'x'.repeat(79)}\ufffd" is not a number, please check the URL`)
  expect(error.isWellFormed()).toBe(true)
})

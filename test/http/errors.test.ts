import { expect, it } from 'vitest'
import { brokenDatabase } from '../openapi/databases.ts'
import type { Failure } from '../orders/shop.ts'
import { answerOf, call, callWith } from '../support/api.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aMasterToken, aToken, aUser } from '../support/makers.ts'

const logged = recordLogs()

it('refuses a list that is too long without a look at what is in it', async () => {
  const token = await aToken(await aUser())
  const json = { url: 'https://example.com/', events: Array(100_000).fill('wrong') }
  expect(await answerOf(call('POST', '/api/webhooks', { token, json }))).toMatchObject({
    status: 400,
    issues: [{ path: 'events', code: 'invalid_input', message: 'must have at most 9 elements' }],
  })
})

it('answers with 100 issues and 64 KB at most', async () => {
  const token = await aToken(await aUser())
  const wrong = { nftId: 0, listingId: 0, quantity: 0, buyerUserId: 0 }
  const order = { ...wrong, buyerBillingData: { street: '\u0000'.repeat(1000) } }
  const json = Array(100).fill(order)
  const response = await call('POST', '/api/externalOrders', { token, json })
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

it('shortens the text of an issue that quotes the request, but by no half of a surrogate pair', async () => {
  const token = await aToken(await aUser())
  const read = (ids: string) =>
    answerOf<Failure>(call('GET', `/api/externalOrders/${ids}`, { token }))
  const long = await read('9'.repeat(5000))
  expect(long.error.length).toBeLessThanOrEqual(250)
  expect(long.issues[0]?.message.length).toBeLessThanOrEqual(250)
  const { error, issues } = await read(`${'x'.repeat(79)}%F0%9F%8E%81`)
  expect(issues[0]?.message).toBe(`"${'x'.repeat(79)}\ufffd" is not a number, please check the URL`)
  expect(error.isWellFormed()).toBe(true)
})

it('answers 503 with the time to wait if the database cannot answer now', async () => {
  const token = await aToken(await aUser())
  for (const message of [
    'Network connection lost.',
    'Internal error in D1 DB storage caused object to be reset.',
    "D1 DB's isolate exceeded its memory limit and was reset.",
    "Can't read from request stream because client disconnected.",
    'D1 DB is overloaded. Too many requests queued.',
    // As `npm run backup` causes it.
    'Currently processing a long-running export.',
    'Failed to get session commit token: internal error',
  ]) {
    const DB = brokenDatabase(`D1_ERROR: ${message}`)
    const response = await callWith({ DB }, 'GET', '/api/externalOrders', { token })
    expect(response.headers.get('retry-after')).toBe('5')
    expect(await answerOf(response), message).toMatchObject({
      status: 503,
      code: 'try_later',
      error: 'the database does not answer: please try again later',
      orders: null,
    })
  }
  expect(logged('database_unavailable')).toHaveLength(7)
})

const notReady = {
  status: 503,
  code: 'not_ready',
  error: 'the service is not set up completely; its log says what to do',
}

it('names the command if the database lacks migrations', async () => {
  const DB = brokenDatabase('D1_ERROR: no such table: tokens: SQLITE_ERROR')
  const token = await aMasterToken()
  expect(await answerOf(callWith({ DB }, 'GET', '/api/webhooks', { token }))).toMatchObject(
    notReady,
  )
  expect(logged('not_ready')).toMatchObject([
    { remedy: expect.stringContaining('`npx wrangler d1 migrations apply DB --local`') },
  ])
})

it('names a variable that is missing, and shows no value', async () => {
  const bindings = { EMAIL_FROM: undefined, JWT_KEYS: '{"keys":[]}' } as unknown as Partial<Env>
  const answer = answerOf(callWith(bindings, 'GET', '/api/public/stats'))
  expect(await answer).toMatchObject(notReady)
  const [line] = logged('not_ready')
  expect(line?.remedy).toMatch(/JWT_KEYS\.keys: .*EMAIL_FROM: is required/)
})

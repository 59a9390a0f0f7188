/** Calls that fail, with a server that answers as a test says. */
import type { ServerResponse } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { ApiError, type ClientOptions, createClient } from '../../client/src/index.ts'
import { delayAfter, wait } from '../../client/src/retry.ts'
import { aFreePort } from '../support/project.ts'
import { type Answer, anAnsweringServer, succeed } from './answers.ts'

const server = await anAnsweringServer()
const url = `${server.url}/`

const cut: Answer = (response) => response.destroy()
/** Sends half of a response. */
const breakOff: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
  response.write('{"orders":', () => response.destroy())
}
const answerWith =
  (type: string | undefined, body: string): Answer =>
  (response) =>
    response.writeHead(200, type ? { 'content-type': type } : {}).end(body)
const redirect: Answer = (response) =>
  response.writeHead(302, { location: `${url.replace('127.0.0.1', 'localhost')}login` }).end()
const errorBody = (code: string) =>
  JSON.stringify({ error: code, code, issues: [{ path: '', code, message: code }] })
const fail =
  (status: number, code?: string, headers = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(code ? errorBody(code) : '<p>')

const aClient = (options: Partial<ClientOptions> = {}) =>
  createClient({ url, retry: { delay: 1 }, ...options })
const read = (client = aClient()) => client.getOrders({ order_ids: [1] })
const order = { nftId: 2, listingId: 2, quantity: 1, buyerUserId: 3 }
const place = (client = aClient()) => client.placeOrders({ body: [order] })
const createAddress = (client = aClient()) => client.createAddress({ body: { name: 'Bo' } })

const faults: [string, Answer][] = [
  ['a broken connection', cut],
  ['half a response', breakOff],
  ['an HTML page', answerWith('text/html', '<p>Log in')],
  ['half of the JSON, as all of the body', answerWith('application/json', '{"orders":')],
  ['a redirect', redirect],
  ['429', fail(429, 'rate_limited')],
  ['500', fail(500, 'internal_error')],
  ['502 of a proxy', fail(502)],
  ['520 of Cloudflare', fail(520)],
]

it.each(faults)('repeats a read after %s', async (_, fault) => {
  server.answers = [fault, fault, succeed]
  expect(await read()).toEqual({ orders: [], source: null, sequence: null })
  expect(server.requests).toHaveLength(3)
})

it('repeats placing orders with the same key', async () => {
  server.answers = [cut, breakOff, succeed]
  await place()
  const keys = server.requests.map(({ headers }) => headers['idempotency-key'])
  expect(keys).toHaveLength(3)
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
})

it('repeats placing orders while another call orders the same NFTs', async () => {
  server.answers = [fail(409, 'request_in_progress'), succeed]
  await place()
  expect(server.requests).toHaveLength(2)
})

const unexpected: [string, Answer, string][] = [
  ['an HTML page', answerWith('text/html; charset=utf-8', '<p>'), '200 with text/html'],
  ['an empty body', answerWith(undefined, ''), '200 without a content type'],
  ['null', answerWith('application/json', 'null'), '200 with malformed application/json'],
  ['cut JSON', answerWith('application/json', '{"orders":'), '200 with malformed application/json'],
]

it.each(unexpected)('throws an error after nothing but %s', async (_, answer, received) => {
  server.answers = [answer]
  const client = aClient({ retry: { attempts: 2, delay: 1 } })
  await expect(read(client)).rejects.toMatchObject({
    name: 'UnexpectedResponseError',
    message: `getOrders: the response is not from the API: application/json was expected, but it is ${received}`,
    operationId: 'getOrders',
  })
  expect(server.requests).toHaveLength(2)
})

it('follows no redirect', async () => {
  server.answers = [redirect, succeed]
  const client = aClient({ retry: { attempts: 1 } })
  await expect(read(client)).rejects.toThrow(
    `it is 302 to ${url.replace('127.0.0.1', 'localhost')}login`,
  )
  expect(server.requests).toHaveLength(1)
})

it('expects nothing, or a file, where the API answers that', async () => {
  const client = aClient({ retry: { attempts: 1 } })
  server.answers = [(response) => response.writeHead(204).end()]
  expect(await client.releaseReservation({ reservation_id: 'r1' })).toBe(undefined)
  server.answers = [answerWith('image/jpeg', 'picture')]
  const picture = await client.getPicture({ user_id: '3', picture: 'a.jpg' })
  expect(await picture.text()).toBe('picture')
  server.answers = [answerWith('text/html', '<p>')]
  const name = 'UnexpectedResponseError'
  await expect(client.releaseReservation({ reservation_id: 'r1' })).rejects.toMatchObject({ name })
  await expect(client.getPicture({ user_id: '3', picture: 'a' })).rejects.toMatchObject({ name })
})

it('names the address that refuses the connection', async () => {
  const port = await aFreePort()
  const client = createClient({ url: `http://127.0.0.1:${port}`, retry: { attempts: 1 } })
  await expect(client.getStats()).rejects.toThrow(
    new TypeError(
      `there is no complete answer from http://127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`,
    ),
  )
})

describe('never repeats', () => {
  const rejections: [string, number, string][] = [
    ['a wrong request', 400, 'invalid_input'],
    ['a wrong token', 401, 'unauthenticated'],
    ['a conflict', 409, 'provider_id_used'],
  ]

  it.each(rejections)('%s', async (_, status, code) => {
    server.answers = [fail(status, code)]
    await expect(place()).rejects.toMatchObject({ status, code })
    expect(server.requests).toHaveLength(1)
  })

  it('a call whose first attempt may have created something', async () => {
    server.answers = [fail(500, 'internal_error')]
    await expect(createAddress()).rejects.toMatchObject({ status: 500 })
    server.answers = [cut]
    await expect(createAddress()).rejects.toThrow(
      `there is no complete answer from ${new URL(url).origin}: `,
    )
    server.answers = [breakOff]
    await expect(createAddress()).rejects.toThrow('there is no complete answer from ')
    server.answers = [answerWith('text/html', '<p>')]
    await expect(createAddress()).rejects.toThrow('not from the API')
    expect(server.requests).toHaveLength(4)
  })
})

it('repeats any call that was over the limit, because nothing was done', async () => {
  server.answers = [fail(429, 'rate_limited'), succeed]
  await createAddress()
  expect(server.requests).toHaveLength(2)
})

it('throws the last error after all attempts', async () => {
  server.answers = [cut, fail(503)]
  const client = aClient({ retry: { attempts: 3, delay: 1 } })
  await expect(read(client)).rejects.toMatchObject({
    name: 'ApiError',
    message: 'HTTP 503, and the response is not from the API',
    status: 503,
    code: null,
    issues: [],
    requestId: null,
  })
  expect(server.requests).toHaveLength(3)
})

it('says that the protection of the zone has answered, and what to switch off', async () => {
  server.answers = [fail(403, undefined, { 'content-type': 'text/html; charset=UTF-8' })]
  await expect(place()).rejects.toMatchObject({
    name: 'ApiError',
    message:
      'the protection of the Cloudflare zone answered, not the API (HTTP 403 with a page). Its operator has to switch off Browser Integrity Check and Bot Fight Mode for the API: Deploying, "Let servers through"',
    status: 403,
    code: null,
  })
  expect(server.requests).toHaveLength(1)
})

it('waits a random part of a time that doubles with each attempt, up to 10 seconds', () => {
  const longest = [1, 2, 3, 4, 5, 6].map((attempt) => delayAfter(attempt, null, 500, () => 1))
  expect(longest).toEqual([500, 1000, 2000, 4000, 8000, 10_000])
  expect(delayAfter(3, null, 500, () => 0.25)).toBe(500)
})

it('waits its own time if Retry-After asks for less', () => {
  const asked = (seconds: string) =>
    new ApiError(new Response('', { status: 429, headers: { 'retry-after': seconds } }), {})
  expect(delayAfter(1, asked('0'), 500, () => 1)).toBe(500)
  expect(delayAfter(1, asked('3'), 500, () => 1)).toBe(3000)
})

it('ends when the caller aborts while a request runs', async () => {
  const controller = new AbortController()
  server.answers = [() => controller.abort(new Error('enough'))]
  const call = aClient().getOrders({ order_ids: [1] }, { signal: controller.signal })
  await expect(call).rejects.toThrow('enough')
  expect(server.requests).toHaveLength(1)
})

it('sends the newest bookmark that it has received', async () => {
  const bookmark = (value: string) => (response: ServerResponse) => {
    response.setHeader('x-d1-bookmark', value)
    succeed(response)
  }
  server.answers = [bookmark('0a'), bookmark('0c'), bookmark('0b'), succeed]
  const client = aClient()
  for (let i = 0; i < 4; i++) await read(client)
  const sent = server.requests.map(({ headers }) => headers['x-d1-bookmark'])
  expect(sent).toEqual([undefined, '0a', '0c', '0c'])
})

it('never waits longer than timers can, which would end at once', async () => {
  const setTimeout = vi.spyOn(globalThis, 'setTimeout')
  const waiting = wait(2 ** 40, AbortSignal.timeout(1))
  expect(setTimeout.mock.calls[0]?.[1]).toBe(2 ** 31 - 1)
  setTimeout.mockRestore()
  await expect(waiting).rejects.toThrow('timeout')
})

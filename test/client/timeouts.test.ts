/** Calls to servers that answer late, half or never. */
import { beforeEach, expect, it } from 'vitest'
import { type ClientOptions, createClient, type Retry } from '../../client/src/index.ts'
import { type Answer, anAnsweringServer, succeed } from './answers.ts'

const server = await anAnsweringServer()
let retries: Retry[] = []

beforeEach(() => {
  retries = []
})

const neverAnswer: Answer = () => {}
const answerHalf: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"orders":')
}
const rejectHalf: Answer = (response) => {
  response.writeHead(400, { 'content-type': 'application/json' }).write('{"error":')
}
const code = 'rate_limited'
const limit =
  (seconds: number | string): Answer =>
  (response) =>
    response
      .writeHead(429, { 'retry-after': `${seconds}` })
      .end(JSON.stringify({ error: 'wait', code, issues: [{ path: '', code, message: 'wait' }] }))

const aClient = (options: Partial<ClientOptions> = {}) =>
  createClient({
    url: server.url,
    attemptTimeout: 500,
    retry: { attempts: 3, delay: 1, onRetry: (retry) => retries.push(retry) },
    ...options,
  })
const read = (client = aClient()) => client.getOrders({ order_ids: [1] })

const hanging: [string, Answer][] = [
  ['sends nothing', neverAnswer],
  ['sends half a body', answerHalf],
  ['sends half an error', rejectHalf],
]

it.each(hanging)('repeats an attempt to a server that %s', async (_, hang) => {
  server.answers = [hang, succeed]
  expect(await read()).toEqual({ orders: [], source: null, sequence: null })
  expect(server.requests).toHaveLength(2)
})

it('gives up a server that never answers', async () => {
  server.answers = [neverAnswer]
  await expect(read()).rejects.toMatchObject({
    name: 'TimeoutError',
    message: 'getOrders: there was no complete response after 500 ms',
    operationId: 'getOrders',
  })
  expect(server.requests).toHaveLength(3)
})

it('ends a call as a whole', async () => {
  server.answers = [answerHalf]
  const client = aClient({ timeout: 1000, retry: { attempts: 100, delay: 1 } })
  await expect(read(client)).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(server.requests.length).toBeLessThan(100)
})

it('does not repeat a call that may have been done', async () => {
  server.answers = [neverAnswer]
  const call = aClient().createAddress({ body: { name: 'Bo' } })
  await expect(call).rejects.toMatchObject({ name: 'TimeoutError', operationId: 'createAddress' })
  expect(server.requests).toHaveLength(1)
})

it('takes other times for a call', async () => {
  server.answers = [neverAnswer]
  const slow = aClient({ attemptTimeout: 60_000 })
  const call = slow.getOrders({ order_ids: [1] }, { attemptTimeout: 10, timeout: 60_000 })
  await expect(call).rejects.toThrow('after 10 ms')
})

it('takes times that are too long for a timer', async () => {
  server.answers = [succeed]
  expect(await read(aClient({ timeout: Infinity, attemptTimeout: Infinity }))).toEqual({
    orders: [],
    source: null,
    sequence: null,
  })
})

it('does not depend on a fetch that obeys its signal', async () => {
  const client = aClient({ fetch: () => new Promise(() => {}) })
  await expect(read(client)).rejects.toMatchObject({ name: 'TimeoutError' })
})

it('throws the error at once if the next attempt would come too late', async () => {
  server.answers = [limit(3600)]
  await expect(read()).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 3600 })
  expect(server.requests).toHaveLength(1)
  expect(retries).toEqual([])
})

it('tells why and when it sends a call again', async () => {
  server.answers = [neverAnswer, limit(0), succeed]
  await read()
  expect(retries).toEqual([
    {
      operationId: 'getOrders',
      attempt: 1,
      error: expect.objectContaining({ name: 'TimeoutError' }),
      delay: expect.any(Number),
    },
    {
      operationId: 'getOrders',
      attempt: 2,
      error: expect.objectContaining({ code: 'rate_limited' }),
      delay: expect.any(Number),
    },
  ])
})

it('waits until the date that an API asks for', async () => {
  server.answers = [limit(new Date(Date.now() + 3_600_000).toUTCString())]
  const error = await read().catch((error) => error)
  expect(error.retryAfter).toBeGreaterThan(3595)
  expect(error.retryAfter).toBeLessThanOrEqual(3600)
  expect(server.requests).toHaveLength(1)
})

it.each([
  ['in the past', 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
  ['without a meaning', 'soon', null],
])('waits its own time after a Retry-After %s', async (_, value, retryAfter) => {
  server.answers = [limit(value), succeed]
  await read()
  expect(server.requests).toHaveLength(2)
  expect(retries).toMatchObject([{ error: { retryAfter } }])
})

it('ends a call whose onRetry rejects', async () => {
  server.answers = [limit(0), succeed]
  const onRetry = () => Promise.reject(new Error('the log is full'))
  const client = aClient({ retry: { delay: 1, onRetry } })
  await expect(read(client)).rejects.toThrow('the log is full')
  expect(server.requests).toHaveLength(1)
})

it.each(['', 'localhost:8981', 'ftp://shop.example'])('refuses the url "%s"', (url) => {
  expect(() => createClient({ url })).toThrow(
    `url must be an http or https URL such as https://marketplace.example.com, not "${url}"`,
  )
})

it.each(['https://bo:secret@shop.example', 'https://shop.example/?a', 'https://shop.example/#a'])(
  'refuses the url "%s", and does not print it',
  (url) => {
    expect(() => createClient({ url })).toThrow(
      new TypeError('url must have no user, no password, no query and no hash'),
    )
  },
)

it('refuses a token with a line end, and does not print it', () => {
  expect(() => createClient({ url: 'http://localhost', token: 'secret\n' })).toThrow(
    new TypeError('token must be one word, without blanks and line ends'),
  )
})

it('sends nothing without a parameter of the path', async () => {
  const body = { nftId: 2, listingId: 2, quantity: 1, buyerUserId: 3 }
  const rule = 'must not be empty, "." or ".."'
  const client = aClient()
  await expect(client.getOrders({ order_ids: [] })).rejects.toThrow(`order_ids ${rule}`)
  await expect(client.putOrder({ providerId: '', body })).rejects.toThrow(`providerId ${rule}`)
  await expect(client.putOrder({ providerId: '\ud800', body })).rejects.toThrow(
    'providerId has half of a surrogate pair',
  )
  await expect(client.putOrder({ providerId: '..', body })).rejects.toThrow(`providerId ${rule}`)
  // @ts-expect-error -- JavaScript can leave it out
  await expect(client.getWebhook({})).rejects.toThrow(`webhook_id ${rule}`)
  expect(server.requests).toHaveLength(0)
})

it('sends nothing for a caller who has aborted already', async () => {
  const signal = AbortSignal.abort(new Error('enough'))
  await expect(aClient().getOrders({ order_ids: [1] }, { signal })).rejects.toThrow('enough')
  expect(server.requests).toHaveLength(0)
})

it('waits for a delivery no longer than it may', async () => {
  server.answers = [neverAnswer]
  const client = aClient({ attemptTimeout: 60_000 })
  await expect(client.waitForDelivery(1, { timeout: 50 })).rejects.toMatchObject({
    name: 'DeliveryTimeoutError',
    message: 'order 1 was not read after 50 ms',
    order: null,
  })
})

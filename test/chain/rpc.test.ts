import { describe, expect, it, onTestFinished } from 'vitest'
import { type Limits, nodeAt } from '../../src/chain/rpc.ts'
import type { Replies, RpcRequest } from '../../src/ethereum/requests.ts'
import { watchRequests } from '../support/chain/fetch.ts'
import { fakeTime } from '../support/fake-time.ts'

type Call = { id: number; method: string }
type Sent = { calls: Call[]; isBatch: boolean; at: number }

/** Milliseconds that the nodes take to answer. */
const LATENCY = 100

let nodes = 0

/** A node that answers requests like this. `sent` are the requests, `inParallel` how many at most. */
function aNode(
  answer: (calls: Call[], sent: readonly Sent[]) => unknown,
  limits: Partial<Limits> = {},
) {
  const url = `https://node-${++nodes}.test/a-secret-key`
  const state = { sent: [] as Sent[], inParallel: 0 }
  let underWay = 0
  onTestFinished(
    watchRequests(url, async (body) => {
      const json: Call | Call[] = JSON.parse(body)
      const isBatch = Array.isArray(json)
      const calls = isBatch ? json : [json]
      state.sent.push({ calls, isBatch, at: Date.now() })
      const answers = answer(calls, state.sent)
      state.inParallel = Math.max(state.inParallel, ++underWay)
      await new Promise((resolve) => setTimeout(resolve, LATENCY))
      underWay--
      if (answers instanceof Error) throw answers
      if (answers instanceof Response) return answers
      return Response.json(isBatch || !Array.isArray(answers) ? answers : answers[0])
    }),
  )
  return Object.assign(state, {
    url,
    rpc: nodeAt(url, { callsPerBatch: 20, callsPerSecond: 10_000, ...limits }),
  })
}

const request = (method: string): RpcRequest => ({ method, params: [] })
const requests = (count: number) => Array.from({ length: count }, (_, i) => request(`method-${i}`))
const resultOf = ({ id, method }: Call) => ({ id, result: method })
const named = (calls: readonly Call[]) => calls.map(resultOf)
const errors = (calls: readonly Call[], error: object) => calls.map(({ id }) => ({ id, error }))

const sizesOf = (sent: readonly Sent[]) => sent.map(({ calls }) => calls.length)
/** Milliseconds after the first request. */
const timesOf = (sent: readonly Sent[]) => sent.map(({ at }) => at - (sent[0]?.at ?? 0))

/** The most calls within a second. */
const mostInOneSecond = (sent: readonly Sent[]) =>
  Math.max(
    ...sent.map(({ at }) =>
      sent
        .filter((other) => other.at >= at && other.at < at + 1000)
        .reduce((sum, { calls }) => sum + calls.length, 0),
    ),
  )

function expectAllAnswered(replies: Replies, asked: readonly RpcRequest[]) {
  for (const one of asked) expect(replies(one)).toEqual({ result: one.method })
}

describe('answers', () => {
  it('are matched by id, in whatever order they come', async () => {
    const { rpc } = aNode((calls) => named(calls).reverse())
    expectAllAnswered(await rpc(requests(3)), requests(3))
  })

  it('that are missing, empty or malformed are faults of their request alone', async () => {
    const { rpc } = aNode(([, b, c, d]) => [
      { id: d?.id, result: 'd' },
      { id: b?.id },
      { id: c?.id, error: 'nonsense' },
      { id: 99, result: 'a' },
      { result: 'a' },
      null,
    ])
    const replies = await rpc(['a', 'b', 'c', 'd'].map(request))
    for (const name of ['a', 'b', 'c'])
      expect(replies(request(name))).toEqual({ fault: 'the node gave no answer' })
    expect(replies(request('d'))).toEqual({ result: 'd' })
  })

  it('keep what the node said apart from not having heard it', async () => {
    const error = { code: 3, message: 'execution reverted', data: '0x' }
    const { rpc } = aNode(([a]) => [{ id: a?.id, error }])
    const replies = await rpc([request('a'), request('b')])
    expect(replies(request('a'))).toEqual({ error })
    expect(replies(request('b'))).toEqual({ fault: 'the node gave no answer' })
    expect(replies(request('never asked'))).toEqual({ fault: 'not asked' })
  })

  it('may be null, or say that there is no error', async () => {
    const { rpc } = aNode((calls) => calls.map(({ id }) => ({ id, result: null, error: null })))
    expect((await rpc([request('a')]))(request('a'))).toEqual({ result: null })
  })
})

describe('requests', () => {
  it('that are the same are asked once', async () => {
    const node = aNode(named)
    await node.rpc([request('a'), request('b'), request('a')])
    expect(node.sent.map(({ calls }) => calls.map(({ method }) => method))).toEqual([['a', 'b']])
  })

  it('go in as many requests as the node needs', async () => {
    const node = aNode(named, { callsPerBatch: 2 })
    expectAllAnswered(await node.rpc(requests(5)), requests(5))
    expect(sizesOf(node.sent)).toEqual([2, 2, 1])
  })

  it('go without a batch if there is one only, because not every node takes batches', async () => {
    const node = aNode(named)
    expectAllAnswered(await node.rpc(requests(1)), requests(1))
    expect(node.sent).toMatchObject([{ isBatch: false }])
  })

  it('are sent in at most five requests at a time', async () => {
    const node = aNode(named, { callsPerBatch: 1 })
    expectAllAnswered(await node.rpc(requests(12)), requests(12))
    expect(node.sent).toHaveLength(12)
    expect(node.inParallel).toBe(5)
  })
})

it.each<[string, () => unknown, string]>([
  ['with a status', () => new Response('', { status: 503 }), 'the node answered with HTTP 503'],
  ['with nonsense', () => new Response('<html>'), 'the node cannot be reached'],
  [
    'without a connection',
    () => new Error('cannot fetch https://node.test/a-secret-key'),
    'the node cannot be reached',
  ],
  ['by silence', () => new DOMException('late', 'TimeoutError'), 'the node did not answer in time'],
])('a node that fails %s is told once, without its URL', async (_, answer, fault) => {
  const node = aNode(answer)
  const replies = await node.rpc(requests(2))
  for (const one of requests(2)) expect(replies(one)).toEqual({ fault })
  expect(node.sent).toHaveLength(1)
})

/** A body of so many MB, which no test holds in memory. */
function aBody(megabytes: number): Response {
  const chunk = new TextEncoder().encode(' '.repeat(1024 * 1024))
  let sent = 0
  return new Response(
    new ReadableStream({
      pull(controller) {
        if (sent++ < megabytes) controller.enqueue(chunk)
        else controller.close()
      },
    }),
  )
}

describe('a node that sends too much', () => {
  const tooLarge = { fault: 'the answer of the node is too large' }

  it('is read up to 32 MB, and not asked again for the rest', async () => {
    const node = aNode(() => aBody(300), { callsPerBatch: 2 })
    const replies = await node.rpc(requests(6))
    for (const one of requests(6)) expect(replies(one)).toEqual(tooLarge)
    // Three batches, and then one call alone.
    expect(sizesOf(node.sent)).toEqual([2, 2, 2, 1])
  })

  it('is asked for one call at a time, which may have a larger answer', async () => {
    const large = 'x'.repeat(2.5 * 1024 * 1024)
    const node = aNode((calls) => calls.map(({ id }) => ({ id, result: large })))
    const replies = await node.rpc(requests(3))
    for (const one of requests(3)) expect(replies(one)).toEqual({ result: large })
    expect(sizesOf(node.sent)).toEqual([3, 1, 1, 1])
  })

  it('is not read if its answer has more values than any real one', async () => {
    const node = aNode(() => new Response(`[${'{},'.repeat(700_000)}{}]`))
    const replies = await node.rpc(requests(2))
    for (const one of requests(2)) expect(replies(one)).toEqual(tooLarge)
  })

  it('gets no more calls once it has not answered in time', async () => {
    const node = aNode(() => new DOMException('late', 'TimeoutError'), { callsPerBatch: 1 })
    const replies = await node.rpc(requests(40))
    for (const one of requests(40))
      expect(replies(one)).toEqual({ fault: 'the node did not answer in time' })
    expect(node.sent).toHaveLength(5)
  })
})

it('a question lasts half a minute at most, and has what was answered by then', async () => {
  const inFakeTime = fakeTime()
  const node = aNode(named, { callsPerBatch: 1, callsPerSecond: 4 })
  const start = Date.now()
  const replies = await inFakeTime(node.rpc(requests(500)))
  expect(Date.now() - start).toBeLessThanOrEqual(30_000 + LATENCY)
  expectAllAnswered(replies, requests(100))
  expect(replies(request('method-499'))).toEqual({ fault: 'the node limits calls' })
  expect(node.sent.length).toBeLessThanOrEqual(4 * 30)
})

it.each([
  [30, 20, 100],
  [2.5, 1, 9],
])(
  'a configured limit of %d calls a second is kept in every second, with %d calls a batch',
  async (callsPerSecond, callsPerBatch, count) => {
    const inFakeTime = fakeTime()
    const node = aNode(named, { callsPerSecond, callsPerBatch })
    // Two asks after each other share the limit.
    await inFakeTime(node.rpc(requests(count)))
    expectAllAnswered(await inFakeTime(node.rpc(requests(count))), requests(count))
    expect(Math.max(...sizesOf(node.sent))).toBeLessThanOrEqual(callsPerBatch)
    expect(mostInOneSecond(node.sent)).toBeLessThanOrEqual(callsPerSecond)
    const seconds = (timesOf(node.sent).at(-1) ?? 0) / 1000
    // Whole batches leave some of a second unused.
    expect(seconds).toBeLessThan((2 * 2 * count) / Math.floor(callsPerSecond) + 1)
  },
)

const limitExceeded = { code: -32005, message: 'limit exceeded' }
/** How nodes refuse calls for their limits. */
const refusals: [string, (calls: Call[]) => unknown][] = [
  ['HTTP 429', () => new Response('', { status: 429 })],
  ['-32005 for the whole batch', () => ({ jsonrpc: '2.0', id: null, error: limitExceeded })],
  ['429 for each call', (calls) => errors(calls, { code: 429, message: 'slow down' })],
  [
    'words of a free tier',
    (calls) =>
      errors(calls, { code: -32000, message: 'exceeded its compute units per second capacity' }),
  ],
  [
    'an answer to 10 calls, and -32005 for the others',
    (calls) => [...named(calls.slice(0, 10)), ...errors(calls.slice(10), limitExceeded)],
  ],
]

it.each(refusals)(
  'a node that refuses a request for its limits with %s gets the refused calls again',
  async (_, refuse) => {
    const inFakeTime = fakeTime()
    const node = aNode((calls, sent) => (sent.length === 1 ? refuse(calls) : named(calls)))
    expectAllAnswered(await inFakeTime(node.rpc(requests(20))), requests(20))
    expect(node.sent).toHaveLength(2)
    expect(timesOf(node.sent)).toEqual([0, LATENCY + 250])
  },
)

it.each<[string, () => unknown, string]>([
  ['HTTP 413', () => new Response('', { status: 413 }), 'the node answered with HTTP 413'],
  [
    'an error for the whole batch',
    () => ({ id: null, error: { code: -32600, message: 'batch of more than 10 requests' } }),
    'the node answered to a batch: batch of more than 10 requests',
  ],
])('tells that a node takes no such batches: %s', async (_, answer, fault) => {
  const node = aNode(answer)
  const replies = await node.rpc(requests(20))
  for (const one of requests(20)) expect(replies(one)).toEqual({ fault })
  expect(node.sent).toHaveLength(1)
})

describe('a node that refuses calls', () => {
  /** Refuses so many requests, and answers the others. */
  const refusing = (count: number, headers: Record<string, string> = {}) =>
    aNode((calls, sent) =>
      sent.length <= count ? new Response('', { status: 429, headers }) : named(calls),
    )

  it('is asked after a quarter of a second, and then after twice the time', async () => {
    const inFakeTime = fakeTime()
    const node = refusing(4)
    expectAllAnswered(await inFakeTime(node.rpc(requests(1))), requests(1))
    const waits = [250, 500, 1000, 2000]
    let at = 0
    expect(timesOf(node.sent)).toEqual([0, ...waits.map((wait) => (at += LATENCY + wait))])
  })

  it('counts as one refusal for requests that are under way together', async () => {
    const inFakeTime = fakeTime()
    const node = refusing(5)
    expectAllAnswered(await inFakeTime(node.rpc(requests(100))), requests(100))
    expect(new Set(timesOf(node.sent).slice(5, 10))).toEqual(new Set([LATENCY + 250]))
  })

  it.each([
    ['seconds', () => '3', 3000],
    ['a date', () => new Date(Date.now() + 4000).toUTCString(), 4000],
    ['nonsense', () => 'soon', 250],
  ])('is asked when it says so, with Retry-After in %s', async (_, retryAfter, expected) => {
    const inFakeTime = fakeTime()
    const node = refusing(1, { 'retry-after': retryAfter() })
    expectAllAnswered(await inFakeTime(node.rpc(requests(1))), requests(1))
    const [, wait] = timesOf(node.sent)
    expect(wait).toBeGreaterThan(expected - 1000)
    expect(wait).toBeLessThanOrEqual(LATENCY + expected)
  })

  it('is not asked for a minute if it wants to be left alone for an hour', async () => {
    const inFakeTime = fakeTime()
    const node = refusing(1, { 'retry-after': '3600' })
    const start = Date.now()
    const limited = { fault: 'the node limits calls' }
    expect((await inFakeTime(node.rpc(requests(1))))(request('method-0'))).toEqual(limited)
    expect((await inFakeTime(node.rpc(requests(1))))(request('method-0'))).toEqual(limited)
    expect(node.sent).toHaveLength(1)
    expect(Date.now() - start).toBe(LATENCY)
    await inFakeTime(new Promise((resolve) => setTimeout(resolve, 60_000)))
    expectAllAnswered(await inFakeTime(node.rpc(requests(1))), requests(1))
  })

  it('is given up before half a minute is over, also if it answers one call of each request', async () => {
    const inFakeTime = fakeTime()
    const node = aNode((calls) =>
      calls.map((call, i) => (i === 0 ? resultOf(call) : { id: call.id, error: limitExceeded })),
    )
    const start = Date.now()
    const replies = await inFakeTime(node.rpc(requests(170)))
    expect(Date.now() - start).toBeLessThan(30_000)
    expect(replies(request('method-0'))).toEqual({ result: 'method-0' })
    expect(replies(request('method-169'))).toEqual({ fault: 'the node limits calls' })
  })
})

it('does not take the words of a contract for a limit of the node', async () => {
  const error = { code: 3, message: 'execution reverted: rate limit, too many requests' }
  const node = aNode((calls) => errors(calls, error))
  const replies = await node.rpc(requests(2))
  for (const one of requests(2)) expect(replies(one)).toEqual({ error })
  expect(node.sent).toHaveLength(1)
})

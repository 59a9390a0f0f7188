import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, type Question } from '../../src/transfers/rpc.ts'

afterEach(() => vi.unstubAllGlobals())

const question = (name: string): Question => ({ method: name, params: [] })
type Asked = { id: number; method: string }

/** A node that answers so; the batches that it was sent. */
function aNode(answer: (batch: Asked[]) => unknown, status = 200) {
  const batches: Asked[][] = []
  vi.stubGlobal('fetch', async (_url: string, init: RequestInit) => {
    const batch = JSON.parse(String(init.body))
    batches.push(batch)
    return Response.json(answer(batch), { status })
  })
  return batches
}
const named = (batch: Asked[]) => batch.map(({ id, method }) => ({ id, result: method }))
const node = { rpcUrl: 'https://node.test/a-secret-key', maxBatchCalls: 1000 }

describe('answers', () => {
  it('are matched by id, in whatever order they come', async () => {
    aNode((batch) => named(batch).reverse())
    const replies = await call(node, [question('a'), question('b')])
    expect(replies(question('a'))).toEqual({ result: 'a' })
    expect(replies(question('b'))).toEqual({ result: 'b' })
  })

  it('that are missing, empty or malformed are faults of their question alone', async () => {
    aNode(([, b, c, d]) => [
      { id: d?.id, result: 'd' },
      { id: b?.id },
      { id: c?.id, error: 'nonsense' },
      { id: 99, result: 'a' },
      { result: 'a' },
    ])
    const replies = await call(node, ['a', 'b', 'c', 'd'].map(question))
    for (const name of ['a', 'b', 'c']) expect(replies(question(name))).toHaveProperty('fault')
    expect(replies(question('d'))).toEqual({ result: 'd' })
  })

  it('keep what the node said apart from not having heard it', async () => {
    const error = { code: 3, message: 'execution reverted', data: '0x' }
    aNode(([a]) => [{ id: a?.id, error }])
    const replies = await call(node, [question('a'), question('b')])
    expect(replies(question('a'))).toEqual({ error })
    expect(replies(question('b'))).toEqual({ fault: 'the node left the question out' })
    expect(replies(question('never asked'))).toHaveProperty('fault')
  })

  it('may be null', async () => {
    aNode(([a]) => [{ id: a?.id, result: null }])
    const replies = await call(node, [question('a')])
    expect(replies(question('a'))).toEqual({ result: null })
  })
})

describe('questions', () => {
  it('that are the same are asked once', async () => {
    const batches = aNode(named)
    await call(node, [question('a'), question('b'), question('a')])
    expect(batches.map((batch) => batch.map(({ method }) => method))).toEqual([['a', 'b']])
  })

  it('go in as many calls as the node needs', async () => {
    const batches = aNode(named)
    const all = ['a', 'b', 'c', 'd', 'e'].map(question)
    const replies = await call({ ...node, maxBatchCalls: 2 }, all)
    expect(batches.map(({ length }) => length)).toEqual([2, 2, 1])
    for (const one of all) expect(replies(one)).toEqual({ result: one.method })
  })

  it('are no call at all when there are none', async () => {
    const batches = aNode(named)
    await call(node, [])
    expect(batches).toEqual([])
  })
})

describe('a node that fails', () => {
  it.each([
    ['with a status', () => aNode(named, 429), 'the node answered with HTTP 429'],
    ['with one error for all', () => aNode(() => ({ error: {} })), 'the node refused the batch'],
    [
      'without a connection',
      () => vi.stubGlobal('fetch', () => Promise.reject(new Error(`cannot fetch ${node.rpcUrl}`))),
      'the node cannot be reached',
    ],
    [
      'by silence',
      () => vi.stubGlobal('fetch', () => Promise.reject(new DOMException('late', 'TimeoutError'))),
      'the node did not answer in time',
    ],
  ])('%s is told without its URL', async (_, begin, fault) => {
    begin()
    const replies = await call(node, [question('a')])
    expect(replies(question('a'))).toEqual({ fault })
  })
})

/** Lies below JSON-RPC: answers that are too long, never end, or are no answers. */
import { BROKEN } from '../../chain/faults.ts'
import type { Answer } from './calls.ts'

/** Bytes of a body after which a Worker would have no memory left, with what else it has. */
const MEMORY = 64 * 1024 * 1024
const CHUNK = 256 * 1024

/** What a request is answered with. `onOverflow` is called when the Worker takes too much of it. */
export type Broken = (
  answers: readonly Answer[],
  onOverflow: () => void,
) => Response | Promise<Response>

const encoder = new TextEncoder()
const headers = { 'content-type': 'application/json' }

/** A body that is made as it is read. `chunks`: its parts, of which there may be any number. */
function longBody(chunks: Iterator<string>, onOverflow: () => void) {
  let sent = 0
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value, done } = chunks.next()
      if (done) return controller.close()
      const chunk = encoder.encode(value)
      sent += chunk.byteLength
      if (sent <= MEMORY) return controller.enqueue(chunk)
      onOverflow()
      controller.error(new Error('the Worker has no memory left'))
    },
  })
}

/** A start, then so many spaces. */
function* spaces(start: string, bytes: number) {
  yield start
  const chunk = ' '.repeat(CHUNK)
  for (let sent = 0; sent < bytes; sent += CHUNK) yield chunk
}

/** A million answers that are alike but for their ids. */
function* millionAnswers(result: unknown) {
  const text = JSON.stringify(result ?? null)
  yield '['
  for (let from = 0; from < 1_000_000; from += 1000)
    yield Array.from({ length: 1000 }, (_, i) => `{"id":${from + i},"result":${text}},`).join('')
  yield 'null]'
}

const text =
  (body: string, init: ResponseInit = {}): Broken =>
  () =>
    new Response(body, { headers, ...init })

/** Changes the answers, as a list. */
const changed =
  (change: (answers: readonly Answer[]) => unknown): Broken =>
  (answers) =>
    new Response(JSON.stringify(change(answers)), { headers })

const part = (answers: readonly Answer[]) => JSON.stringify(answers).slice(0, 40)

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

export const transports = {
  'an answer of 300 MB of spaces': (_, onOverflow) =>
    new Response(longBody(spaces('[', 300_000_000), onOverflow), { headers }),
  'an answer that stands still after its first bytes': (answers) =>
    new Response(part(answers), { headers: { ...headers, [BROKEN]: 'stall' } }),
  'no answer': () => new Response(null, { headers: { [BROKEN]: 'hang' } }),
  'an answer after nine seconds': async (answers) => {
    await new Promise((resolve) => setTimeout(resolve, 9000))
    return Response.json(answers)
  },
  'a connection that breaks in the answer': (answers) =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(encoder.encode(part(answers)))
          controller.error(new Error('Network connection lost.'))
        },
      }),
      { headers },
    ),
  'HTML instead of JSON': text('<!doctype html><title>Sign in</title>', {
    headers: { 'content-type': 'text/html' },
  }),
  'a result of lists in lists, 100,000 deep': text(
    `[{"jsonrpc":"2.0","id":0,"result":${nested(100_000)}},{"jsonrpc":"2.0","id":1,"result":${nested(100_000)}}]`,
  ),
  'bytes that are no UTF-8': () =>
    new Response(new Uint8Array([0xff, 0xfe, 0x00, 0xc3]), { headers }),
  'the answers of other calls of the request': changed((answers) =>
    answers.map((answer, i) => ({ ...answer, id: answers.at(i - 1)?.id })),
  ),
  'answers without ids': changed((answers) => answers.map(({ id: _, ...answer }) => answer)),
  'half of the answers': changed((answers) => answers.slice(0, Math.floor(answers.length / 2))),
  'a million answers': ([first], onOverflow) =>
    new Response(longBody(millionAnswers(first?.result), onOverflow), { headers }),
  'an error of the whole request': text(
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported"}}',
  ),
  'HTTP 500 with an answer that never ends': (_, onOverflow) =>
    new Response(longBody(spaces('', Infinity), onOverflow), { status: 500 }),
  'HTTP 429, and a year to wait': text('slowly', {
    status: 429,
    headers: { 'retry-after': '31556952' },
  }),
} satisfies Record<string, Broken>

export type TransportName = keyof typeof transports

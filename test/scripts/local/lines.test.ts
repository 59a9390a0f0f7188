import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { requestLine } from '../../../scripts/local/lines.ts'

const now = new Date(2026, 0, 2, 9, 31, 7)
const requestId = '4f3c1a2b-4863-4968-8169-36588aa45a0d'

beforeEach(() => vi.stubEnv('NO_COLOR', '1'))
afterEach(() => vi.unstubAllEnvs())

const anExchange = (status: number, headers: Record<string, string> = {}, body = '') => ({
  method: 'POST',
  path: '/api/externalOrders',
  requestHeaders: {},
  duration: 33.7,
  response: { status, headers, body },
})

it('tells what a request was, who sent it, and its id', () => {
  const exchange = anExchange(200, { 'x-request-id': requestId })
  expect(requestLine(exchange, 'user 3', now)).toBe(
    '09:31:07  POST /api/externalOrders  200  34 ms  user 3 · req 4f3c1a2b',
  )
})

it('tells only what is known of a static file', () => {
  expect(requestLine(anExchange(200), undefined, now)).toBe(
    '09:31:07  POST /api/externalOrders  200  34 ms',
  )
})

it.each([
  [
    'application/json',
    '{"error":"orders[0]: is wrong","code":"invalid_input"}',
    ' · invalid_input: orders[0]: is wrong',
  ],
  ['text/html', '<p>is wrong', ''],
])('tells why a request failed, if the answer is %s', (type, body, reason) => {
  const exchange = anExchange(400, { 'content-type': type }, body)
  expect(requestLine(exchange, 'user 3', now)).toBe(
    `09:31:07  POST /api/externalOrders  400  34 ms  user 3${reason}`,
  )
})

it('says so if the client did not wait', () => {
  expect(requestLine({ ...anExchange(200), response: undefined }, undefined, now)).toBe(
    '09:31:07  POST /api/externalOrders  closed by the client  34 ms',
  )
})

it.each([
  [200, '\x1b[32m200\x1b[39m'],
  [303, '\x1b[36m303\x1b[39m'],
  [404, '\x1b[33m404\x1b[39m'],
  [503, '\x1b[31m\x1b[1m503\x1b[22m\x1b[39m'],
])('colours the status %i on a terminal', (status, coloured) => {
  vi.stubEnv('NO_COLOR', undefined)
  vi.stubEnv('FORCE_COLOR', '1')
  expect(requestLine(anExchange(status), undefined, now)).toContain(`  ${coloured}  `)
})

it('escapes what would control the terminal, and shortens a long path', () => {
  const path = `/${'a'.repeat(300)}`
  const error = 'order_ids[0]: "\u001b[31m\u009b\u202e\nFAKE" is wrong'
  const body = JSON.stringify({ error, code: 'invalid_input' })
  const exchange = { ...anExchange(400, { 'content-type': 'application/json' }, body), path }
  expect(requestLine(exchange, undefined, now)).toBe(
    `09:31:07  POST /${'a'.repeat(199)}… (301 characters)  400  34 ms  invalid_input: ` +
      'order_ids[0]: "\\u{1b}[31m\\u{9b}\\u{202e}\\u{a}FAKE" is wrong',
  )
})

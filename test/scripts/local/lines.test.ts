import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { requestLine } from '../../../scripts/local/lines.ts'

const now = new Date(2026, 0, 2, 9, 31, 7)

beforeEach(() => vi.stubEnv('NO_COLOR', '1'))
afterEach(() => vi.unstubAllEnvs())

const anExchange = (status: number, headers: Record<string, string> = {}, body = '') => ({
  method: 'POST',
  path: '/api/externalOrders',
  requestHeaders: {},
  duration: 33.7,
  response: { status, headers, body },
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

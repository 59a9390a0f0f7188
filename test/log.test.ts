import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { Hono } from 'hono'
import { requestId } from 'hono/request-id'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { connect } from '../src/db/client.ts'
import type { App } from '../src/http/context.ts'
import { onError } from '../src/http/error-response.ts'
import { log } from '../src/log.ts'

const EMAIL = 'ada@example.com'

const lines: string[] = []

beforeEach(() => {
  lines.length = 0
  vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(line))
})

afterEach(() => vi.restoreAllMocks())

/** Fails with a statement whose bound value is the e-mail address. */
const failingStatement = (): Promise<unknown> => connect(env.DB).run(sql`SELECT json(${EMAIL})`)

const app = new Hono<App>()
  .use(requestId())
  .get('/statement', async (c) => c.json(await failingStatement()))
  .onError(onError)

async function loggedBy(path: string) {
  expect((await app.request(path, {}, env, createExecutionContext())).status).toBe(500)
  expect(lines).toHaveLength(1)
  return JSON.parse(lines[0] ?? '')
}

it('logs the name and the cause of a failed statement, and never its values', async () => {
  const entry = await loggedBy('/statement')
  expect(entry).toMatchObject({
    event: 'request_failed',
    error: expect.stringMatching(/^DrizzleQueryError, caused by Error: D1_ERROR: malformed JSON/),
    stack: expect.stringMatching(/^at .*\n +at /),
  })
  expect(lines[0]).not.toContain(EMAIL)
  expect(lines[0]).not.toContain('SELECT')
})

it('makes errors safe in every field of every line', async () => {
  const error = await failingStatement().catch((reason) => reason)
  log.error('cron_job_failed', { job: 'x', error })
  log.error('delivery_run_failed', { failures: [{ reason: error }] })
  expect(lines).toHaveLength(2)
  for (const line of lines) {
    expect(line).toContain('malformed JSON')
    expect(line).not.toContain(EMAIL)
  }
})

it('logs no stack whose message was changed', async () => {
  const error = new Error(EMAIL)
  expect(error.stack).toContain(EMAIL)
  error.message = 'hidden'
  const failing = new Hono<App>()
    .use(requestId())
    .get('/', () => {
      throw error
    })
    .onError(onError)
  await failing.request('/', {}, env, createExecutionContext())
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ error: 'Error: hidden', stack: '' })
})

import { once } from 'node:events'
import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { call, createControl } from '../../../scripts/local/control.ts'
import { parseDuration } from '../../../scripts/local/duration.ts'
import { serve } from '../../support/server.ts'

const ran: string[] = []
/** Ends the call of `slow`. */
let end = () => {}

const control = createControl({
  clock: () => ({ now: '2026-01-01T00:00:00.000Z' }),
  calls: {
    slow: call(z.strictObject({}), async () => {
      ran.push('slow begins')
      await new Promise<void>((resolve) => {
        end = resolve
      })
      ran.push('slow ends')
      return {}
    }),
    quick: call(z.strictObject({ count: z.int('must be a whole number') }), async ({ count }) => {
      ran.push('quick')
      return { count }
    }),
    broken: call(z.strictObject({}), () => Promise.reject(new Error('the disk is full'))),
  },
})
const url = await serve(control)
const port = Number(new URL(url).port)

/** Sends a request. Unlike `fetch`, with any header. */
async function send(path: string, body: string, headers: Record<string, string> = {}) {
  const outgoing = request(url + path, { method: 'POST', headers }).end(body)
  const [response] = await once(outgoing, 'response')
  return { status: response.statusCode, ...((await json(response)) as object) }
}

it('names the field that does not fit', async () => {
  expect(await send('/dev/quick', '{"count":"1"}')).toEqual({
    ...{ status: 400, code: 'invalid_input', error: 'count must be a whole number' },
  })
  expect(await send('/dev/quick', '{"count":1,"name":2}')).toEqual({
    ...{ status: 400, code: 'invalid_input', error: 'name is not a field of this call' },
  })
})

it('rejects pages of other sites, and names that point to this machine', async () => {
  const rejected = { status: 403, code: 'cross_site' }
  const own = `localhost:${port}`
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `http://localhost:${port + 1}` },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { host: 'evil.example' },
    { host: `evil.example:${port}`, origin: `http://evil.example:${port}` },
    { host: 'localhost.evil.example' },
  ])
    expect(await send('/dev/quick', '{"count":1}', headers)).toMatchObject(rejected)
  for (const headers of [
    {},
    { host: own, origin: `http://${own}`, 'sec-fetch-site': 'same-origin' },
  ])
    expect(await send('/dev/quick', '{"count":1}', headers)).toEqual({ status: 200, count: 1 })
})

it('runs one call after another, and answers the time meanwhile', async () => {
  ran.length = 0
  const slow = send('/dev/slow', '')
  await expect.poll(() => ran).toEqual(['slow begins'])
  const quick = send('/dev/quick', '{"count":2}')
  const clock = await fetch(`http://127.0.0.1:${port}/dev/clock`)
  expect(await clock.json()).toEqual({ now: '2026-01-01T00:00:00.000Z' })
  end()
  expect(await Promise.all([slow, quick])).toEqual([{ status: 200 }, { status: 200, count: 2 }])
  expect(ran).toEqual(['slow begins', 'slow ends', 'quick'])
})

it('answers the next call after one that failed', async () => {
  expect(await send('/dev/broken', '')).toEqual({
    ...{ status: 500, code: 'internal_error', error: 'the disk is full' },
  })
  expect(await send('/dev/quick', '{"count":3}')).toEqual({ status: 200, count: 3 })
})

it('reads durations with one unit', () => {
  const texts = ['90s', '10m', '25h', '6d', ' 1s ', '400d']
  expect(texts.map(parseDuration)).toEqual([
    ...[90_000, 600_000, 90_000_000, 518_400_000, 1000, 34_560_000_000],
  ])
  for (const text of ['', '0s', '401d', '5', 'h', '-1h', '1.5h', '1h30m', '1 h', '1e3s', '1w'])
    expect([text, parseDuration(text)]).toEqual([text, undefined])
})

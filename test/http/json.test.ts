import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import * as z from 'zod'
import type { App } from '../../src/http/context.ts'
import { Endpoints } from '../../src/http/endpoint.ts'
import { onError } from '../../src/http/error-response.ts'

const { routes } = new Endpoints().post(
  '/',
  { access: 'public', reads: 'primary', input: { json: z.unknown() } },
  (c, { json }) => c.json({ body: json }),
)
const app = new Hono<App>().route('/', routes).onError(onError)

const MEBIBYTE = 1024 * 1024

async function send(
  body: BodyInit,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) {
  const response = await app.request('/', { method: 'POST', body, headers }, env)
  return { status: response.status, ...(await response.json<object>()) }
}

const invalid = (error: string) => ({ status: 400, error, code: 'invalid_input' })

it('accepts the media types of JSON', async () => {
  for (const type of [
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/vnd.api+json',
  ])
    expect(await send('{"a":1}', { 'content-type': type })).toEqual({ status: 200, body: { a: 1 } })
})

it('rejects a body without a media type with 415, and other media types', async () => {
  const refused = {
    status: 415,
    error: 'send the body as application/json in UTF-8',
    code: 'unsupported_media_type',
  }
  expect(await send(new TextEncoder().encode('{}'), {})).toMatchObject(refused)
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'application/jsonp',
  ])
    expect(await send('{}', { 'content-type': type })).toMatchObject(refused)
})

it('takes any media type with a token in the header, because `curl -d` declares a form', async () => {
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/jsonp', ''])
    expect(await send('{"a":1}', { 'content-type': type, authorization: 'token' })).toEqual({
      status: 200,
      body: { a: 1 },
    })
  expect(await send('a=1', { authorization: 'token' })).toMatchObject(
    invalid('the body is not valid JSON'),
  )
})

it('rejects malformed JSON, and text after the JSON value', async () => {
  for (const body of ['', '{', '{"a":1', '{"a":1}}', '{} x', "{'a':1}", '{"a":01}', 'NaN', '"\\q"'])
    expect(await send(body)).toMatchObject(invalid('the body is not valid JSON'))
})

it('rejects a key that objects of JavaScript do not keep, but not a text', async () => {
  for (const body of ['{"__proto__":1}', '{"a":[{"\\u005f_proto__":"b"}]}'])
    expect(await send(body)).toMatchObject(invalid('the body has a key `__proto__`'))
  expect(await send('{"a":"__proto__"}')).toEqual({ status: 200, body: { a: '__proto__' } })
})

it('rejects bytes that are not UTF-8', async () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xc3],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0xfe, 0xff, 0, 0x22],
  ])
    expect(await send(new Uint8Array(bytes))).toMatchObject(invalid('the body is not valid UTF-8'))
})

it('accepts all of UTF-8, with a byte order mark', async () => {
  const bytes = new TextEncoder().encode('\uFEFF"Zürich 東京 🏔 \uFFFD"')
  expect(await send(bytes)).toEqual({ status: 200, body: 'Zürich 東京 🏔 \uFFFD' })
})

it('takes the last value of a key, and a lone surrogate, and does not fail on deep nesting', async () => {
  expect(await send('{"a":1,"\\u0061":2}')).toEqual({ status: 200, body: { a: 2 } })
  expect(await send('{"a":"\\ud83c"}')).toEqual({ status: 200, body: { a: '\ud83c' } })
  const { status } = await send('['.repeat(100_000) + ']'.repeat(100_000))
  expect(status).toBeLessThan(500)
})

it('accepts 1 MiB and rejects one byte more, with or without Content-Length', async () => {
  const body = new TextEncoder().encode(JSON.stringify('a'.repeat(MEBIBYTE - 1)))
  const tooLarge = {
    status: 413,
    error: 'a JSON body may have at most 1 MiB',
    code: 'payload_too_large',
  }
  expect(body.length).toBe(MEBIBYTE + 1)
  const length = { 'content-type': 'application/json', 'content-length': String(body.length) }
  expect(await send(body, length)).toMatchObject(tooLarge)
  expect(await send(body)).toMatchObject(tooLarge)
  expect(await send(JSON.stringify('a'.repeat(MEBIBYTE - 2)))).toMatchObject({ status: 200 })
})

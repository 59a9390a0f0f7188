import { Hono } from 'hono'
import { expect, it } from 'vitest'
import * as z from 'zod'
import type { App } from '../../src/http/context.ts'
import { valid } from '../../src/http/door.ts'
import { onError } from '../../src/http/errors.ts'

const app = new Hono<App>()
  .post('/', valid('json', z.unknown()), (c) => c.json({ body: c.req.valid('json') }))
  .onError(onError)

const MEBIBYTE = 1024 * 1024

async function send(
  body: BodyInit,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) {
  const response = await app.request('/', { method: 'POST', body, headers })
  return { status: response.status, ...(await response.json<object>()) }
}

const invalid = (error: string) => ({ status: 400, error, code: 'invalid_input' })

it('takes JSON under each of its names', async () => {
  for (const type of [
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/vnd.api+json',
  ])
    expect(await send('{"a":1}', { 'content-type': type })).toEqual({ status: 200, body: { a: 1 } })
})

it.each([
  ['text', 'text/plain'],
  ['a form', 'application/x-www-form-urlencoded'],
  ['another character set', 'application/json; charset=utf-16'],
  ['something that only looks like JSON', 'application/jsonp'],
])('refuses %s with 415', async (_, type) => {
  expect(await send('{}', { 'content-type': type })).toEqual({
    status: 415,
    error: 'send the body as application/json in UTF-8',
    code: 'unsupported_media_type',
  })
})

it('refuses bytes of no declared type with 415', async () => {
  expect(await send(new TextEncoder().encode('{}'), {})).toMatchObject({ status: 415 })
})

it('refuses what is not JSON, and what comes after JSON', async () => {
  for (const body of ['', '{', '{"a":1', '{"a":1}}', '{} x', "{'a':1}", '{"a":01}', 'NaN', '"\\q"'])
    expect(await send(body)).toEqual(invalid('Malformed JSON in request body'))
})

it('refuses bytes that are not UTF-8', async () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xc3],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0xfe, 0xff, 0, 0x22],
  ])
    expect(await send(new Uint8Array(bytes))).toEqual(invalid('the body is not valid UTF-8'))
})

it('takes any valid UTF-8, with or without a byte order mark', async () => {
  const bytes = new TextEncoder().encode('\uFEFF"Zürich 東京 🏔 \uFFFD"')
  expect(await send(bytes)).toEqual({ status: 200, body: 'Zürich 東京 🏔 \uFFFD' })
})

it('refuses half of a surrogate pair, and takes a whole one', async () => {
  const half = 'has half of a surrogate pair'
  expect(await send('{"a":"\\ud83c"}')).toEqual(invalid(`a: ${half}`))
  expect(await send('{"\\uDF54":1}')).toEqual(invalid(`the body: ${half}`))
  expect(await send('{"a":"\\ud83c\\udf54"}')).toEqual({ status: 200, body: { a: '🍔' } })
})

it('refuses a key that is given twice, however it is written', async () => {
  expect(await send('{"a":1,"a":1}')).toEqual(invalid('a: is given twice'))
  expect(await send('{"a":1,"\\u0061" : 2}')).toEqual(invalid('a: is given twice'))
  expect(await send('[{"b":{"__proto__":1,"__proto__":2}}]')).toEqual(
    invalid('__proto__: is given twice'),
  )
})

it('takes the same key in different objects, and as a value', async () => {
  const body = { a: { a: 'a' }, b: [{ a: 'a:' }, { a: '"a":"a"' }], c: ['a', 'a'], '\\': '\\' }
  expect(await send(JSON.stringify(body, null, '\t'))).toEqual({ status: 200, body })
})

it('refuses more than 32 levels, and is not fooled by brackets in text', async () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  expect(await send(nested(32))).toMatchObject({ status: 200 })
  expect(await send(nested(33))).toEqual(invalid('the body nests deeper than 32 levels'))
  expect(await send(nested(100_000))).toEqual(invalid('the body nests deeper than 32 levels'))
  expect(await send(JSON.stringify('\\"[{'.repeat(99)))).toMatchObject({ status: 200 })
})

it('takes 1 MiB and refuses a byte more, whether or not the length is declared', async () => {
  const body = new TextEncoder().encode(JSON.stringify('a'.repeat(MEBIBYTE - 1)))
  const tooLarge = {
    status: 413,
    error: 'a JSON body may have at most 1 MiB',
    code: 'payload_too_large',
  }
  expect(body.length).toBe(MEBIBYTE + 1)
  const length = { 'content-type': 'application/json', 'content-length': String(body.length) }
  expect(await send(body, length)).toEqual(tooLarge)
  expect(await send(body)).toEqual(tooLarge)
  expect(await send(JSON.stringify('a'.repeat(MEBIBYTE - 2)))).toMatchObject({ status: 200 })
})

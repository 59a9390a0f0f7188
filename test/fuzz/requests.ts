/** Arbitrary requests to an endpoint of the OpenAPI document. */
import * as fc from 'fast-check'
import { type Document, document, resolved } from '../support/document.ts'
import { damaged, hostileTexts, type Known, type Schema, valuesOf } from './schemas.ts'

type Parameter = { in: string; name: string; required?: boolean; schema: Schema }
type Operation = {
  parameters?: readonly (Parameter | { $ref: string })[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}
export type Endpoint = { method: string; path: string; operation: Operation }

/** What is asked; fast-check shows it when a case fails. */
export type Ask = {
  endpoint: string
  method: string
  path: string
  headers: Record<string, string>
  body: string | Uint8Array | null
}

const endpointsOf = ({ paths = {} }: Document): Endpoint[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: operation as Operation,
    })),
  )

/** How far a request is from what the document allows. */
type Distance = 'none' | 'little' | 'far'

/** Requests to the endpoint; `callers` are the ways to say who asks. */
export const requestsTo = (
  endpoint: Endpoint,
  known: Known,
  callers: fc.Arbitrary<Record<string, string>>,
): fc.Arbitrary<Ask> =>
  fc.oneof(
    { weight: 4, arbitrary: asks(endpoint, known, callers, 'none') },
    { weight: 4, arbitrary: asks(endpoint, known, callers, 'little') },
    { weight: 2, arbitrary: asks(endpoint, known, callers, 'far') },
  )

function asks(
  { method, path, operation }: Endpoint,
  known: Known,
  callers: fc.Arbitrary<Record<string, string>>,
  distance: Distance,
): fc.Arbitrary<Ask> {
  const parameters = (operation.parameters ?? []).map((p) => resolved<Parameter>(p) as Parameter)
  const at = (place: string) => parameters.filter((parameter) => parameter.in === place)
  return fc
    .record({
      caller: callers,
      segments: fieldsOf(at('path'), known, distance),
      query: fieldsOf(at('query'), known, distance),
      headers: fieldsOf(at('header'), known, distance),
      twice: distance === 'none' ? fc.constant(false) : fc.boolean(),
      body: bodiesOf(operation, known, distance),
    })
    .map(({ caller, segments, query, headers, twice, body }) => ({
      endpoint: `${method} ${path}`,
      method,
      path: path.replace(/\{(\w+)\}/g, (_, name) => inUrl(segments[name])) + search(query, twice),
      headers: { ...clean(headers), ...body.headers, ...caller },
      body: body.body,
    }))
}

function fieldsOf(
  parameters: readonly Parameter[],
  known: Known,
  distance: Distance,
): fc.Arbitrary<Record<string, unknown>> {
  const fields = parameters.map(({ name, required, schema }) => {
    const good = valuesOf(schema, known, name)
    const value =
      distance === 'none'
        ? good
        : fc.oneof({ weight: distance === 'far' ? 1 : 3, arbitrary: good }, hostileTexts)
    return [name, required ? value : fc.option(value, { nil: undefined, freq: 2 })] as const
  })
  return fc.record(Object.fromEntries(fields))
}

/** A text that is no URL on purpose stays so: `%E0` is not escaped again. */
function inUrl(value: unknown): string {
  const text = String(value)
  return /^%/.test(text) ? text : encodeURIComponent(text.toWellFormed())
}

function search(query: Record<string, unknown>, twice: boolean): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  const pairs = given.map(([name, value]) => `${name}=${inUrl(value)}`)
  return `?${[...pairs, ...(twice ? pairs : [])].join('&')}`
}

/** Only what every client can put into a header. */
const clean = (headers: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        name,
        String(value)
          .replace(/[^\x20-\x7e\x80-\xff]/g, '')
          .trim(),
      ]),
  )

type Body = { headers: Record<string, string>; body: string | Uint8Array | null }

function bodiesOf(
  { requestBody }: Operation,
  known: Known,
  distance: Distance,
): fc.Arbitrary<Body> {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (!type || !content) return fc.constant({ headers: {}, body: null })
  if (type === 'multipart/form-data') return forms(distance)
  if (type !== 'application/json') return files(type, distance)
  const good = valuesOf(content.schema, known)
  const bodies =
    distance === 'none'
      ? good.map((value) => JSON.stringify(value))
      : distance === 'little'
        ? damaged(good).map((value) => JSON.stringify(value) ?? '')
        : brokenTexts(good.map((value) => JSON.stringify(value)))
  return fc
    .tuple(bodies, distance === 'far' ? types(type) : fc.constant(type))
    .map(([body, contentType]) => ({ headers: { 'content-type': contentType }, body }))
}

const types = (right: string) =>
  fc.constantFrom(
    right,
    right,
    right,
    '',
    'text/plain',
    'application/json; charset=utf-16',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'multipart/form-data; boundary=x',
    'application/json, application/json',
    ';',
  )

const encoder = new TextEncoder()

/** What comes of a text on a bad line, or from a bad program. */
const brokenTexts = (texts: fc.Arbitrary<string>): fc.Arbitrary<string | Uint8Array> =>
  fc.oneof(
    fc.tuple(texts, fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1))),
    fc.tuple(texts, hostileTexts).map(([text, more]) => text + more),
    texts.map((text) => `\uFEFF${text}`),
    texts.map((text) => text.replace(/"(\w+)":/, '"$1":0,"$1":')),
    texts.map((text) => text.replace(/\d+/, '1e999')),
    texts.map((text) => text.replaceAll('"', "'")),
    fc.nat(5000).map((levels) => '['.repeat(levels) + ']'.repeat(levels)),
    fc.nat(500).map((levels) => '{"a":'.repeat(levels) + 1 + '}'.repeat(levels)),
    fc.constant(`[${'0,'.repeat(200_000)}0]`),
    fc.constant(JSON.stringify('a'.repeat(2 ** 20))),
    fc.uint8Array({ maxLength: 60 }),
    fc.tuple(texts, fc.nat()).map(([text, at]) => {
      const bytes = encoder.encode(text)
      bytes[at % bytes.length] = 0xff
      return bytes
    }),
    fc.json(),
    hostileTexts,
  )

/** One white pixel. */
const PIXEL = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==',
    'base64',
  ),
)

const pictures = (distance: Distance): fc.Arbitrary<Uint8Array> => {
  if (distance === 'none') return fc.constant(PIXEL)
  return fc.oneof(
    fc.nat(PIXEL.length).map((length) => PIXEL.slice(0, length)),
    fc.constant(encoder.encode('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')),
    fc.uint8Array({ maxLength: 200 }),
    fc.constant(PIXEL),
  )
}

const files = (type: string, distance: Distance): fc.Arbitrary<Body> =>
  fc
    .tuple(pictures(distance), distance === 'far' ? types(type) : fc.constant(type))
    .map(([body, contentType]) => ({ headers: { 'content-type': contentType }, body }))

const forms = (distance: Distance): fc.Arbitrary<Body> =>
  fc
    .tuple(
      pictures(distance),
      distance === 'none' ? fc.constant('avatar') : fc.constantFrom('avatar', 'file', '', 'a"b'),
      fc.constantFrom('image/png', 'image/*', 'text/plain'),
      distance === 'far' ? fc.constantFrom('y', '', '"') : fc.constant('x'),
    )
    .map(([picture, name, type, boundary]) => ({
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: partOf(picture, name, type),
    }))

function partOf(picture: Uint8Array, name: string, type: string): Uint8Array {
  const head = encoder.encode(
    `--x\r\nContent-Disposition: form-data; name="${name}"; filename="a.png"\r\n` +
      `Content-Type: ${type}\r\n\r\n`,
  )
  const tail = encoder.encode('\r\n--x--\r\n')
  const whole = new Uint8Array(head.length + picture.length + tail.length)
  whole.set(head)
  whole.set(picture, head.length)
  whole.set(tail, head.length + picture.length)
  return whole
}

export const endpoints = endpointsOf(document)

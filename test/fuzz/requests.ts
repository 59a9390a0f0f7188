/** Generates requests to the endpoints of the OpenAPI document. */
import * as fc from 'fast-check'
import { type Document, document, resolved } from '../support/document.ts'
import { damaged, hostileTexts, type KnownValues, type Schema, valuesOf } from './schemas.ts'

type Parameter = { in: string; name: string; required?: boolean; schema: Schema }
type Operation = {
  parameters?: readonly Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}
export type Endpoint = { method: string; path: string; operation: Operation }

/** fast-check prints it when a run fails. */
export type FuzzRequest = {
  endpoint: string
  method: string
  path: string
  headers: Record<string, string>
  body: string | Uint8Array | null
}

const listEndpoints = ({ paths = {} }: Document): Endpoint[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: inlined(operation) as Operation,
    })),
  )

/** Replaces each `$ref` by what it names. */
function inlined(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map(inlined)
  if ('$ref' in part) return inlined(resolved(part as { $ref: string }))
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, inlined(value)]))
}

/** `damaged` requests differ from valid ones in a detail, `hostile` ones in many. */
type Validity = 'valid' | 'damaged' | 'hostile'

/** Generates requests to an endpoint. `callers` are headers that identify the caller. */
export const requestsTo = (
  endpoint: Endpoint,
  known: KnownValues,
  callers: fc.Arbitrary<Record<string, string>>,
): fc.Arbitrary<FuzzRequest> =>
  fc.oneof(
    { weight: 4, arbitrary: requestsOf(endpoint, known, callers, 'valid') },
    { weight: 4, arbitrary: requestsOf(endpoint, known, callers, 'damaged') },
    { weight: 2, arbitrary: requestsOf(endpoint, known, callers, 'hostile') },
  )

function requestsOf(
  { method, path, operation }: Endpoint,
  known: KnownValues,
  callers: fc.Arbitrary<Record<string, string>>,
  validity: Validity,
): fc.Arbitrary<FuzzRequest> {
  const { parameters = [] } = operation
  const at = (place: string) => parameters.filter((parameter) => parameter.in === place)
  return fc
    .record({
      caller: callers,
      segments: fieldsOf(at('path'), known, validity),
      query: fieldsOf(at('query'), known, validity),
      headers: fieldsOf(at('header'), known, validity),
      isQueryRepeated: validity === 'valid' ? fc.constant(false) : fc.boolean(),
      body: bodiesOf(operation, known, validity),
    })
    .map(({ caller, segments, query, headers, isQueryRepeated, body }) => ({
      endpoint: `${method} ${path}`,
      method,
      path:
        path.replace(/\{(\w+)\}/g, (_, name) => encode(segments[name])) +
        search(query, isQueryRepeated),
      headers: { ...toHeaders(headers), ...body.headers, ...caller },
      body: body.body,
    }))
}

function fieldsOf(
  parameters: readonly Parameter[],
  known: KnownValues,
  validity: Validity,
): fc.Arbitrary<Record<string, unknown>> {
  const fields = parameters.map(({ name, required, schema }) => {
    const valid = valuesOf(schema, known, name)
    const value =
      validity === 'valid'
        ? valid
        : fc.oneof({ weight: validity === 'hostile' ? 1 : 3, arbitrary: valid }, hostileTexts)
    return [name, required ? value : fc.option(value, { nil: undefined, freq: 2 })] as const
  })
  return fc.record(Object.fromEntries(fields))
}

/** Encodes a value for a URL. Hostile values such as `%E0` stay as they are. */
function encode(value: unknown): string {
  const text = String(value)
  return /^%/.test(text) ? text : encodeURIComponent(text.toWellFormed())
}

function search(query: Record<string, unknown>, isRepeated: boolean): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  const pairs = given.map(([name, value]) => `${name}=${encode(value)}`)
  return `?${[...pairs, ...(isRepeated ? pairs : [])].join('&')}`
}

/** Removes all but visible ASCII: workerd prints a warning for each other header value. */
const toHeaders = (headers: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        name,
        String(value)
          .replace(/[^\x20-\x7e]/g, '')
          .trim(),
      ]),
  )

type Body = { headers: Record<string, string>; body: string | Uint8Array | null }

function bodiesOf(
  { requestBody }: Operation,
  known: KnownValues,
  validity: Validity,
): fc.Arbitrary<Body> {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (!type || !content) return fc.constant({ headers: {}, body: null })
  if (type === 'multipart/form-data')
    return fc.constant({
      headers: { 'content-type': `${type}; boundary=x` },
      body: Uint8Array.from(PIXEL_FORM),
    })
  if (type === 'application/x-ndjson') return catalogues(type, validity)
  if (type !== 'application/json')
    return fc.constant({ headers: { 'content-type': type }, body: PIXEL })
  const valid = valuesOf(content.schema, known)
  const bodies =
    validity === 'valid'
      ? valid.map((value) => JSON.stringify(value))
      : validity === 'damaged'
        ? damaged(valid).map((value) => JSON.stringify(value) ?? '')
        : brokenTexts(valid.map((value) => JSON.stringify(value)))
  return fc
    .tuple(bodies, validity === 'hostile' ? contentTypes(type) : fc.constant(type))
    .map(([body, contentType]) => ({ headers: { 'content-type': contentType }, body }))
}

/** Users, one a line. */
const catalogues = (type: string, validity: Validity): fc.Arbitrary<Body> => {
  const valid: fc.Arbitrary<unknown> = fc
    .uuid()
    .map((id) => ({ type: 'user', id, name: `User ${id}`, email: `${id}@example.com` }))
  const lines = (validity === 'valid' ? valid : damaged(valid)).map(
    (record) => JSON.stringify(record) ?? '',
  )
  const bodies = validity === 'hostile' ? brokenTexts(lines) : lines
  return bodies.map((body) => ({ headers: { 'content-type': type }, body }))
}

const contentTypes = (valid: string) =>
  fc.constantFrom(
    valid,
    valid,
    valid,
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

/** Texts that are truncated, not JSON, not UTF-8 or too large. */
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

/** A PNG of one white pixel. */
const PIXEL = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==',
    'base64',
  ),
)

/** A form with the pixel. Pictures and forms that are broken: test/avatars. */
const PIXEL_FORM = [
  ...encoder.encode(
    '--x\r\nContent-Disposition: form-data; name="avatar"; filename="a.png"\r\n' +
      'Content-Type: image/png\r\n\r\n',
  ),
  ...PIXEL,
  ...encoder.encode('\r\n--x--\r\n'),
]

export const endpoints = listEndpoints(document)

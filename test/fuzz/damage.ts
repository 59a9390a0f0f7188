/** Damages a request: a value of its path, query, headers or body, or the body as a whole. */
import * as fc from 'fast-check'
import type { Endpoint } from '../../scripts/build/openapi/list.ts'
import type { SampleRequest } from '../support/endpoints.ts'
import { fieldsOf } from '../support/json-schema.ts'

/** Texts that often break programs. */
const hostileTexts = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\r\nset-cookie: a=b',
    "'; DROP TABLE users; --",
    '" OR 1=1 --',
    '../../../etc/passwd',
    '%',
    '%00',
    '%E0%A4%A',
    '<script>alert(1)</script>',
    '__proto__',
    'constructor',
    'me',
    'null',
    'NaN',
    '-0',
    '1e3',
    '0x10',
    '٣',
    ',',
    '1,,2',
    '9007199254740993',
    '9'.repeat(400),
    'a'.repeat(256),
    'é'.repeat(300),
    '👩‍👩‍👧‍👦'.repeat(30),
    '\u202Eright to left',
    '\uFEFF',
    '\uD800',
    'file:///etc/passwd',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'javascript:alert(1)',
    'multipart/form-data',
    'application/json; charset=utf-16',
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
)

/** Values of unexpected types and sizes. */
const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  hostileTexts,
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e308, 2 ** 53, 5e-324, [], {}, [[]], [null]),
  fc.constantFrom<unknown>({ length: 1 }, { toString: 1 }),
  fc.jsonValue({ maxDepth: 3 }),
)

/** fast-check prints it when a run fails. `at` chooses one of the places that a request has. */
export const damages = fc.record({
  part: fc.constantFrom('path', 'query', 'header', 'field', 'field', 'body'),
  at: fc.nat(),
  action: fc.constantFrom('replace', 'drop', 'repeat', 'add'),
  text: hostileTexts,
  value: hostileValues,
})

export type Damage = typeof damages extends fc.Arbitrary<infer Value> ? Value : never

const chosen = <T>(list: readonly T[], at: number): T | undefined => list[at % list.length]

/** Chooses a field that an endpoint declares. */
function chooseName(
  { input = {} }: Endpoint,
  target: 'query' | 'header' | 'json' | 'form',
  at: number,
  others: readonly string[] = [],
): string {
  const schema = input[target]
  const names = schema ? fieldsOf(schema) : []
  return chosen([...names, ...others], at) ?? 'unknown'
}

/** Encodes a value for a URL. Values such as `%E0` stay as they are. */
const encode = (text: string): string =>
  /^%/.test(text) ? text : encodeURIComponent(text.toWellFormed())

/** Returns the request with the damage. */
export function damaged(endpoint: Endpoint, request: SampleRequest, damage: Damage): SampleRequest {
  const { at, text } = damage
  const [path = '', query = ''] = request.path.split('?')
  if (damage.part === 'path') {
    const parts = endpoint.path.split('/')
    const place = chosen(
      parts.flatMap((part, i) => (part.startsWith(':') ? [i] : [])),
      at,
    )
    const segments = path.split('/').map((part, i) => (i === place ? encode(text) : part))
    return { ...request, path: `${segments.join('/')}?${query}` }
  }
  if (damage.part === 'query') {
    const pair = `${chooseName(endpoint, 'query', at)}=${encode(text)}`
    const pairs = damage.action === 'repeat' ? [query, pair, pair] : [pair]
    return { ...request, path: `${path}?${pairs.join('&')}` }
  }
  if (damage.part === 'header') {
    const name = chooseName(endpoint, 'header', at, ['content-type', 'x-d1-bookmark', 'range'])
    // workerd prints a warning for each value that has other characters.
    const value = text.replace(/[^\x20-\x7e]/g, '').trim()
    return { ...request, headers: { ...request.headers, [name]: value } }
  }
  if (damage.part === 'field') return { ...request, ...withField(endpoint, request, damage) }
  return { ...request, ...withBody(request, damage) }
}

/** Damages one value of the body. */
function withField(endpoint: Endpoint, { json, body }: SampleRequest, damage: Damage) {
  const { at, action, text } = damage
  if (json !== undefined)
    return { json: damageJson(json, damage, chooseName(endpoint, 'json', at)) }
  if (!(body instanceof URLSearchParams)) return {}
  const form = new URLSearchParams(body)
  const name = chosen([...form.keys()], at) ?? ''
  if (action === 'drop') form.delete(name)
  else if (action === 'repeat') form.append(name, text)
  else form.set(action === 'add' ? chooseName(endpoint, 'form', at) : name, text)
  return { body: form }
}

type Place = { parent: object; key: string }

function findPlaces(parent: object): Place[] {
  return Object.entries(parent).flatMap(([key, value]: [string, unknown]) => [
    { parent, key },
    ...(value !== null && typeof value === 'object' ? findPlaces(value) : []),
  ])
}

/** Replaces, drops, repeats or adds one element of a value. */
function damageJson(json: unknown, { at, action, value }: Damage, name: string): unknown {
  const copy = { root: structuredClone(json) }
  const { parent, key } = chosen(findPlaces(copy), at) ?? { parent: copy, key: 'root' }
  const isList = Array.isArray(parent)
  if (action === 'drop' && !isList) Reflect.deleteProperty(parent, key)
  else if (action === 'repeat' && isList) parent.push(Reflect.get(parent, key))
  else Reflect.set(parent, action === 'add' && !isList ? name : key, value)
  return copy.root
}

/** Texts that are truncated, not JSON, not UTF-8 or too large. */
const breakers: readonly ((body: string, damage: Damage) => string | Uint8Array)[] = [
  (body, { at }) => body.slice(0, at % (body.length + 1)),
  (body, { text }) => body + text,
  (body) => `\uFEFF${body}`,
  (body) => body.replace(/"(\w+)":/, '"$1":0,"$1":'),
  (body) => body.replace(/\d+/, '1e999'),
  (body) => body.replaceAll('"', "'"),
  (_, { at }) => '['.repeat(at % 5000) + ']'.repeat(at % 5000),
  (_, { at }) => '{"a":'.repeat(at % 500) + 1 + '}'.repeat(at % 500),
  () => `[${'0,'.repeat(200_000)}0]`,
  () => JSON.stringify('a'.repeat(2 ** 20)),
  (_, { text }) => text,
  (_, { value }) => JSON.stringify(value),
  (body, { at }) => {
    const bytes = new TextEncoder().encode(body)
    bytes[at % bytes.length] = 0xff
    return bytes
  },
]

/** Breaks the body of a request that has one. Pictures and forms that are broken: test/avatars. */
function withBody({ json, body, headers }: SampleRequest, damage: Damage) {
  const text = json === undefined ? body : JSON.stringify(json)
  if (typeof text !== 'string' && !(text instanceof URLSearchParams)) return {}
  const broken = chosen(breakers, damage.at)?.(`${text}`, damage) ?? ''
  const form = 'application/x-www-form-urlencoded'
  const type = json !== undefined ? 'application/json' : typeof text === 'string' ? '' : form
  return {
    json: undefined,
    body: broken,
    headers: { ...(type && { 'content-type': type }), ...headers },
  }
}

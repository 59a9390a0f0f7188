import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { describedEndpoints } from '../../../scripts/build/openapi/endpoints.ts'
import { listEndpoints } from '../../../scripts/build/openapi/list.ts'
import app from '../../../src/app.ts'
import { errorStatus } from '../../../src/http/errors.ts'
import {
  assertDocumented,
  codesOf,
  document,
  problemWith,
  resolved,
} from '../../support/document.ts'

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

/** A page, a form of it, or a document for programs. */
const page =
  /^\w+ \/($|openapi.json|llms.txt|claim|collection|create|creators|docs|mails|nfts(\/:id(\/content|\/report)?)?$|operations|orders|phone|language|robots.txt|sitemap.xml|sign-in|sign-out|settings)/

/** A sentence, or several. A table may follow. */
const sentence = /^(`|[A-Z]|1 to).*[.|`]$/s

type Described = { description?: string }

/** Returns the places of what should have a description in a part of the document and has none. */
function undescribedIn(part: unknown, place: string): string[] {
  if (typeof part !== 'object' || part === null) return []
  const children = Object.entries(part)
    // Examples are data.
    .filter(([key]) => key !== 'example' && key !== 'examples')
    .flatMap(([key, child]) => undescribedIn(child, `${place}/${key}`))
  if (!('type' in part && 'properties' in part)) return children
  const undescribed = Object.entries<Described>(Object(part.properties))
    .filter(([, property]) => !isDescribed(property))
    .map(([name]) => `${place}/properties/${name}`)
  return [...undescribed, ...children]
}

const isDescribed = (part: Described) =>
  sentence.test(part.description ?? resolved(part)?.description ?? '')

it('has Retry-After with each code that tells how long to wait', () => {
  for (const { operation } of operations)
    for (const response of Object.values(operation.responses)) {
      const { description = '', headers = {} } = resolved(response) ?? {}
      const isWait = /^`(rate_limited|request_in_progress|try_later)`:/m.test(description)
      expect([description, 'Retry-After' in headers]).toEqual([description, isWait])
    }
})

it('has every endpoint except pages and their forms', () => {
  const endpoints = listEndpoints(app)
  expect(endpoints.filter(({ access }) => access === null)).toEqual([])
  const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
  const described = describedEndpoints.map(nameOf)
  const isDescribedOrPage = (name: string) => described.includes(name) || page.test(name)
  expect(endpoints.map(nameOf).filter((name) => !isDescribedOrPage(name))).toEqual([])
  expect(operations).toHaveLength(described.length)
})

describe('descriptions', () => {
  it('are sentences at every property', () => {
    expect(undescribedIn(document, '#')).toEqual([])
  })

  it('are sentences at every tag, schema, header, parameter, body and status', () => {
    const { schemas, headers, parameters, responses } = document.components
    const parts = Object.entries({
      ...Object.fromEntries(document.tags.map((tag) => [`tag ${tag.name}`, tag])),
      ...schemas,
      ...headers,
      ...parameters,
      ...responses,
    })
    for (const { operation } of operations) {
      const { operationId, requestBody } = operation
      parts.push([operationId, operation])
      for (const parameter of operation.parameters ?? [])
        parts.push([`${operationId} parameter`, resolved(parameter) ?? {}])
      if (requestBody) parts.push([`${operationId} body`, requestBody])
      for (const [status, response] of Object.entries(operation.responses)) {
        parts.push([`${operationId} ${status}`, resolved(response) ?? {}])
        for (const [name, header] of Object.entries(resolved(response)?.headers ?? {}))
          parts.push([`${operationId} ${status} ${name}`, resolved<Described>(header) ?? {}])
      }
    }
    expect(parts.filter(([, part]) => !isDescribed(part)).map(([name]) => name)).toEqual([])
  })

  it('say what the caller of each operation needs', () => {
    for (const { operation } of operations) {
      const [, need] =
        /Needs (no token|a (?:master )?token|the session cookie)[^.]*\.$/.exec(
          operation.description,
        ) ?? []
      const schemes = operation.security.flatMap((scheme) => Object.keys(scheme))
      const expected: Record<string, string[]> = {
        'no token': [],
        'a token': ['bearer', 'cookie'],
        'a master token': ['bearer', 'cookie'],
        'the session cookie': ['cookie'],
      }
      expect([operation.operationId, schemes]).toEqual([
        operation.operationId,
        expected[need ?? ''],
      ])
    }
  })

  it('list error codes under their own status', () => {
    for (const { operation } of operations)
      for (const [status, response] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue
        const codes = codesOf(resolved(response) ?? {})
        expect(codes).not.toEqual([])
        for (const code of codes)
          expect([code, Reflect.get(errorStatus, code)]).toEqual([code, Number(status)])
      }
  })
})

/** Values at the edges of what servers accept. */
const numbers = [-1, 0, 1, 1.5, 100, 101, 2 ** 53 - 1, 2 ** 53, 999_999_999_999_999, 1e15]
const texts = [
  '',
  'a',
  'me',
  'paid',
  '0x',
  'a'.repeat(255),
  'a'.repeat(256),
  'a\u0000b',
  'é'.repeat(255),
  '😀',
]
const others = [null, true, false, [], {}, [1], { a: 1 }]

/** What JSON has instead of a value in a path, query or header. */
const asText = (value: unknown) => (Array.isArray(value) ? value.join(',') : String(value))

describe('limits', () => {
  it.each(describedEndpoints.map((endpoint) => [endpoint.id, endpoint] as const))(
    'of parameters are those that the server enforces: %s',
    (id, { input = {} }) => {
      const operation = operations.find(({ operation }) => operation.operationId === id)?.operation
      for (const [part, schema] of Object.entries(input)) {
        if (part === 'json') continue
        const { shape } = (schema as z.ZodObject).def
        for (const [name, field] of Object.entries(shape)) {
          const parameter = operation?.parameters
            ?.map((one) => resolved(one))
            .find((one) => one?.name === name)
          for (const value of parameter?.schema && 'type' in parameter.schema
            ? samplesOf(parameter.schema)
            : []) {
            const isDocumented = problemWith(parameter?.schema, value) === null
            expect([name, value, z.safeParse(field, asText(value)).success]).toEqual([
              name,
              value,
              isDocumented,
            ])
          }
        }
      }
    },
  )

  it.each(
    describedEndpoints
      .filter(({ input }) => input?.json)
      .map((endpoint) => [endpoint.id, endpoint] as const),
  )('of bodies are those that the server enforces: %s', (id, { input = {} }) => {
    const operation = operations.find(({ operation }) => operation.operationId === id)?.operation
    const documented = operation?.requestBody?.content?.['application/json']
    const valid = Object.values(documented?.examples ?? {}).map(({ value }) => value)
    expect(valid).not.toEqual([])
    for (const body of valid.flatMap((value) => [value, ...changesOf(value)])) {
      const isDocumented = problemWith(documented?.schema, body) === null
      const isAccepted = input.json?.safeParse(body).success
      expect([body, isAccepted]).toEqual([body, isDocumented])
    }
  })
})

/** Values that a path, query or header can stand for. */
function samplesOf(schema: object): unknown[] {
  const type = Reflect.get(schema, 'type')
  if (type === 'integer') return numbers
  if (type === 'array') return [[], [1], [0], [1, 2], Array.from({ length: 101 }, (_, i) => i + 1)]
  return texts
}

/** The value with each of its fields replaced or removed. */
function changesOf(value: unknown): unknown[] {
  if (Array.isArray(value))
    return [[], ...changesOf(value[0]).map((first) => [first]), Array(101).fill(value[0])]
  const fields = Object.keys(Object(value))
  return fields.flatMap((field) => [
    Object.fromEntries(Object.entries(Object(value)).filter(([name]) => name !== field)),
    ...[...numbers, ...texts, ...others].map((changed) => ({ ...Object(value), [field]: changed })),
  ])
}

describe('examples', () => {
  it('exist for every error code, wherever it is listed', () => {
    const seen = new Set<string>()
    for (const { operation } of operations)
      for (const response of Object.values(operation.responses).map(resolved)) {
        const codes = codesOf(response ?? {})
        const { examples = {} } = response?.content?.['application/json'] ?? {}
        const found = Object.values(examples).map(({ value }) => Reflect.get(Object(value), 'code'))
        if (codes.length > 0) expect(found).toEqual(codes)
        for (const code of codes) seen.add(code)
      }
    // No operation of the document has these: a path has another method, and forms of pages are refused.
    const others = [
      ...['method_not_allowed', 'email_taken', 'not_linked', 'only_sign_in'],
      ...['transfers_under_way', 'wallet_has_account'],
    ]
    expect([...seen, ...others].sort()).toEqual(Object.keys(errorStatus).sort())
  })

  it('exist for every answer and every JSON body', () => {
    for (const { operation } of operations) {
      const { operationId, requestBody, responses } = operation
      for (const body of [requestBody, ...Object.values(responses).map(resolved)]) {
        const { examples } = body?.content?.['application/json'] ?? { examples: { none: {} } }
        expect([operationId, Object.keys(examples ?? {})]).not.toEqual([operationId, []])
      }
    }
  })

  it('exist for every parameter of a path, a query or a body', () => {
    for (const { operation } of operations)
      for (const parameter of operation.parameters ?? []) {
        if ('$ref' in parameter) continue
        const { name, schema, example } = parameter
        expect([operation.operationId, name, problemWith(schema, example)]).toEqual([
          operation.operationId,
          name,
          null,
        ])
      }
  })
})

describe('assertDocumented', () => {
  it.each([
    ['a body of another shape', { keys: [{ kty: 'RSA' }] }, {}, /keys/],
    ['an additional key', { keys: [], more: 1 }, {}, /additional properties/],
    ['an undocumented status', { keys: [] }, { status: 418 }, /does not have this status/],
    ['another media type', { keys: [] }, { type: 'text/plain' }, /have the type text\/plain/],
    ['a missing request id', { keys: [] }, { id: '' }, /x-request-id is missing/],
    ['429 without Retry-After', {}, { status: 429 }, /Retry-After is missing/],
    ['an error code of another status', anError('conflict'), { status: 400 }, /the code conflict/],
  ])('rejects %s', async (_, body, changes, problem) => {
    const response = { status: 200, type: 'application/json', id: crypto.randomUUID(), ...changes }
    await expect(
      assertDocumented(
        new Request('https://marketplace.test/.well-known/jwks.json'),
        Response.json(body, {
          status: response.status,
          headers: {
            'content-type': response.type,
            'x-request-id': response.id,
            'cache-control': 'private, no-store',
          },
        }),
      ),
    ).rejects.toThrow(problem)
  })
})

function anError(code: string) {
  const issues = [{ path: '', code, message: 'wrong' }]
  const documentationUrl = 'https://marketplace.test/docs/errors'
  return { error: 'wrong', code, issues, requestId: crypto.randomUUID(), documentationUrl }
}

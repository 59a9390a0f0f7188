import { describe, expect, it } from 'vitest'
import { createOpenApi } from '../../../scripts/openapi/document.ts'
import app from '../../../src/app.ts'
import { endpointsOf } from '../../../src/http/endpoint.ts'
import { statusOf } from '../../../src/http/errors.ts'
import { assertDocumented, document, problemWith, resolved } from '../../support/document.ts'

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

type Property = { description?: string }

/** Returns the places of the properties in a part of the document that have no description. */
function undescribedIn(part: unknown, place: string): string[] {
  if (typeof part !== 'object' || part === null) return []
  const children = Object.entries(part)
    // Examples are data.
    .filter(([key]) => key !== 'example' && key !== 'examples')
    .flatMap(([key, child]) => undescribedIn(child, `${place}/${key}`))
  if (!('type' in part && 'properties' in part)) return children
  const undescribed = Object.entries<Property>(Object(part.properties))
    .filter(([, property]) => !(property.description ?? resolved(property)?.description))
    .map(([name]) => `${place}/properties/${name}`)
  return [...undescribed, ...children]
}

/** Returns every schema with examples, and its examples. */
function examplesIn(part: unknown): { schema: object; example: unknown }[] {
  if (typeof part !== 'object' || part === null) return []
  const own =
    'examples' in part && Array.isArray(part.examples)
      ? part.examples.map((example: unknown) => ({ schema: part, example }))
      : []
  return [...own, ...Object.values(part).flatMap((child) => examplesIn(child))]
}

it('is up to date', () => {
  expect(document).toEqual(JSON.parse(JSON.stringify(createOpenApi())))
})

it('names the server that it comes from', () => {
  expect(document.servers).toMatchObject([{ url: '/' }])
})

it('has every endpoint that declares what it answers', () => {
  const endpoints = endpointsOf(app)
  expect(endpoints.filter(({ info }) => info === null)).toEqual([])
  expect(operations).toHaveLength(endpoints.filter(({ info }) => info?.answer).length)
})

it('describes every parameter in a path', () => {
  for (const { path, method, operation } of operations) {
    const inTemplate = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const described = (operation.parameters ?? [])
      .map((parameter) => resolved(parameter))
      .filter((parameter) => parameter?.in === 'path')
      .map((parameter) => parameter?.name)
    expect([method, path, described]).toEqual([method, path, inTemplate])
  }
})

it('has a description of every parameter', () => {
  for (const { path, method, operation } of operations)
    for (const parameter of operation.parameters ?? []) {
      const { name, description } = resolved(parameter) ?? {}
      expect([method, path, name, description]).toEqual([method, path, name, expect.any(String)])
    }
})

it('has a description of every property', () => {
  expect(undescribedIn(document, '#')).toEqual([])
})

it('has only valid examples', () => {
  const examples = examplesIn(document)
  expect(examples.length).toBeGreaterThan(50)
  for (const { schema, example } of examples)
    expect([example, problemWith(schema, example)]).toEqual([example, null])
})

it('has an example of every required parameter', () => {
  for (const { path, method, operation } of operations)
    for (const parameter of operation.parameters ?? []) {
      const { name, required, schema, example } = resolved(parameter) ?? {}
      if (required)
        expect([method, path, name, problemWith(schema, example)]).toEqual([
          method,
          path,
          name,
          null,
        ])
    }
})

it('lists error codes under their own status', () => {
  for (const { operation } of operations)
    for (const [status, response] of Object.entries(operation.responses)) {
      if (Number(status) < 400) continue
      const { description = '' } = resolved(response) ?? {}
      const codes = [...description.matchAll(/^`(\w+)`: /gm)].map(([, code = '']) => code)
      expect(codes).not.toEqual([])
      for (const code of codes)
        expect([code, Reflect.get(statusOf, code)]).toEqual([code, Number(status)])
    }
})

describe('assertDocumented', () => {
  it.each([
    ['a body of another shape', { keys: [{ kty: 'RSA' }] }, {}, /keys/],
    ['an additional key', { keys: [], more: 1 }, {}, /additional properties/],
    ['an undocumented status', { keys: [] }, { status: 418 }, /does not have this status/],
    ['another media type', { keys: [] }, { type: 'text/plain' }, /have the type text\/plain/],
    ['a missing request id', { keys: [] }, { id: '' }, /x-request-id is missing/],
    ['429 without Retry-After', {}, { status: 429 }, /Retry-After is missing/],
  ])('rejects %s', async (_, body, changes, problem) => {
    const response = { status: 200, type: 'application/json', id: '1', ...changes }
    await expect(
      assertDocumented(
        new Request('https://marketplace.test/.well-known/jwks.json'),
        Response.json(body, {
          status: response.status,
          headers: { 'content-type': response.type, 'x-request-id': response.id },
        }),
      ),
    ).rejects.toThrow(problem)
  })
})

it('is accepted by Redocly without a warning', async () => {
  const { createConfig, lintFromString } = await import('@redocly/openapi-core')
  // The API has no licence.
  const config = await createConfig({ extends: ['recommended'], rules: { 'info-license': 'off' } })
  const problems = await lintFromString({ source: JSON.stringify(document), config })
  expect(
    problems.map(
      ({ severity, ruleId, message, location }) =>
        `${severity} ${ruleId}: ${message} at ${location[0]?.pointer}`,
    ),
  ).toEqual([])
})

import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import app from '../../../src/app.ts'
import { doorsOf } from '../../../src/http/door.ts'
import { statusOf } from '../../../src/http/errors.ts'
import { BASE_URL, call } from '../../support/api.ts'
import { assertDocumented, document, problemWith, resolved } from '../../support/document.ts'

type Content = {
  content?: Record<
    string,
    { schema?: object; example?: unknown; examples?: Record<string, { value: unknown }> }
  >
}
type Parameter = { required?: boolean; schema?: object; example?: unknown }
type Answer = { status?: number; type?: string; id?: string }

const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

it('is served, and names this instance', async () => {
  const response = await call('GET', '/openapi.json')
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual(document)
  expect(document.servers).toEqual([{ url: env.PUBLIC_URL }])
})

it('has every endpoint that is no page', () => {
  const doors = doorsOf(app).filter(({ about }) => typeof about?.answer !== 'string')
  expect(operations).toHaveLength(doors.length)
  expect(doors.filter(({ about }) => about === null)).toEqual([])
})

it('describes every parameter that a path has', () => {
  for (const { path, method, operation } of operations) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const described = (operation.parameters ?? [])
      .filter((parameter: { in?: string }) => parameter.in === 'path')
      .map(({ name }: { name: string }) => name)
    expect([method, path, described]).toEqual([method, path, named])
  }
})

it('says what each parameter is for', () => {
  for (const { path, method, operation } of operations)
    for (const parameter of operation.parameters ?? []) {
      const { name, description } =
        resolved<{ name?: string; description?: string }>(parameter) ?? {}
      expect([method, path, name, description]).toEqual([method, path, name, expect.any(String)])
    }
})

it('has an example of each JSON body and each parameter that must be given, and it is right', () => {
  for (const { path, method, operation } of operations) {
    const answers = Object.values(operation.responses).map((answer) =>
      resolved<Content>(answer as Content),
    )
    for (const body of [operation.requestBody as Content | undefined, ...answers]) {
      const json = body?.content?.['application/json']
      if (!json) continue
      const examples = json.examples
        ? Object.values(json.examples).map(({ value }) => value)
        : [json.example]
      for (const example of examples)
        expect([method, path, problemWith(json.schema, example)]).toEqual([method, path, null])
    }
    for (const parameter of operation.parameters ?? []) {
      const { required, schema, example } = resolved<Parameter>(parameter) ?? {}
      if (required)
        expect([method, path, problemWith(schema, example)]).toEqual([method, path, null])
    }
  }
})

it('gives each refusal its codes, with an example of each', () => {
  for (const { operation } of operations)
    for (const [status, reference] of Object.entries(operation.responses)) {
      const json = resolved<{ content?: Record<string, { examples?: object }> }>(
        reference as { $ref: string },
      )?.content?.['application/json']
      if (Number(status) < 400 || !json) continue
      for (const code of Object.keys(json.examples ?? { none: {} }))
        expect([code, Reflect.get(statusOf, code)]).toEqual([code, Number(status)])
    }
})

it.each([
  ['a body of another shape', { keys: [{ kty: 'RSA' }] }, {}, /keys/],
  ['a key that is not in it', { keys: [], more: 1 }, {}, /additional properties/],
  ['a status that is not in it', { keys: [] }, { status: 418 }, /a status that is not/],
  ['another media type', { keys: [] }, { type: 'text/plain' }, /the type text\/plain/],
  ['no id of the request', { keys: [] }, { id: '' }, /without x-request-id/],
  ['a 429 that does not say how long', {}, { status: 429 }, /without Retry-After/],
])('is what the test client holds answers against: %s', async (_, body, answer, problem) => {
  const { status = 200, type = 'application/json', id = '1' }: Answer = answer
  const response = Response.json(body, {
    status,
    headers: { 'content-type': type, 'x-request-id': id },
  })
  const request = new Request(`${BASE_URL}/.well-known/jwks.json`)
  await expect(assertDocumented(request, response)).rejects.toThrow(problem)
})

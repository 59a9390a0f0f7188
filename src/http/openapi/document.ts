/** The OpenAPI 3.1 document, read off the doors that check the requests. */
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiRequestBodyObject,
} from 'zod-openapi'
import { version } from '../../../package.json'
import type { Door } from '../door.ts'
import { answerOf, partOf, refusalsOf } from './answers.ts'
import { illustrate, type Schemas } from './examples.ts'
import { bookmarkParameter, requestIdParameter } from './headers.ts'

const description = `
Every answer is JSON unless its endpoint says otherwise. An error is a sentence and a stable
\`code\`; a client branches on the code, shows the sentence, and quotes \`x-request-id\` to us.

A token goes into \`Authorization\`, with or without \`Bearer\`; in a browser the session cookie
does, for requests from the same site. Every path that takes \`GET\` takes \`HEAD\`, every path
takes \`OPTIONS\`, and another method gets 405 with \`Allow\`. Bodies in JSON have at most 1 MiB and
32 levels, are UTF-8, and give no key twice. A token, or else an address, may ask 600 times in 60
seconds. A master token that sends \`x-server-timing\` is told the cost of a request in
\`Server-Timing\`.
`

/** The endpoints of programs; pages are for people. */
export function documentOf(doors: readonly Door[], url: string) {
  const paths: ZodOpenApiPathsObject = {}
  for (const door of doors) {
    const operation = operationOf(door)
    if (!operation) continue
    const path = templateOf(door.path)
    paths[path] = { ...paths[path], [door.method.toLowerCase()]: operation }
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: { title: 'Marketplace API', version, description: description.trim() },
      servers: [{ url }],
      paths,
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          token: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'The same JWT without `Bearer`.',
          },
          cookie: {
            type: 'apiKey',
            in: 'cookie',
            name: 'token',
            description: 'The session of a browser that is signed in.',
          },
        },
      },
    },
    { override: ({ jsonSchema }) => readable(jsonSchema) },
  )
  const schemas: Schemas = JSON.parse(JSON.stringify(document.components?.schemas ?? {}))
  for (const methods of Object.values(document.paths ?? {}))
    for (const operation of Object.values(methods)) illustrate(operation, schemas)
  return document
}

/** Leaves out what only restates the format, and the bounds that any number in JSON has. */
function readable(schema: {
  format?: unknown
  pattern?: unknown
  minimum?: unknown
  maximum?: unknown
}): void {
  if (schema.format) delete schema.pattern
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

function operationOf(door: Door): ZodOpenApiOperationObject | null {
  const { about, inputs, method, path } = door
  if (!about || typeof about.answer === 'string') return null
  const input = (target: string) => inputs.find((candidate) => candidate.target === target)?.schema
  const body = bodyOf(door)
  const params = { path: input('param'), query: input('query'), header: input('header') }
  return {
    operationId: operationIdOf(method, path),
    tags: [about.tag],
    summary: about.summary,
    ...(about.description && { description: about.description }),
    security: about.audience === 'anyone' ? [] : [{ bearer: [] }, { token: [] }, { cookie: [] }],
    parameters: [requestIdParameter, bookmarkParameter],
    requestParams: Object.fromEntries(Object.entries(params).filter(([, schema]) => schema)),
    ...(body && { requestBody: body }),
    responses: {
      200: answerOf(about.answer(), about),
      ...(about.ranges && { 206: partOf(about.answer(), about) }),
      ...refusalsOf(door, about),
    },
  }
}

function bodyOf({ about, inputs }: Door): ZodOpenApiRequestBodyObject | null {
  const json = inputs.find(({ target }) => target === 'json')
  if (json) return { required: true, content: { 'application/json': { schema: json.schema } } }
  if (!about?.body) return null
  const { type, schema } = about.body
  return { required: true, content: { [type]: { schema } } }
}

/** `/a/:id{[0-9]+}` → `/a/{id}`. */
const templateOf = (path: string) => path.replace(/:(\w+)(?:\{[^/]*\})?/g, '{$1}')

/** `GET /api/public/user/:id/profile/avatar` → `getUserProfileAvatar`. */
function operationIdOf(method: string, path: string): string {
  const words = path
    .replace(/^\/api(\/public)?/, '')
    .replace(/:\w+(?:\{[^/]*\})?/g, '')
    .match(/[A-Za-z0-9]+/g)
  return method.toLowerCase() + (words ?? []).map((w) => w[0]?.toUpperCase() + w.slice(1)).join('')
}

/** Builds the OpenAPI 3.1 document from the declarations that validate the requests. */
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiRequestBodyObject,
} from 'zod-openapi'
import { version } from '../../package.json'
import app from '../../src/app.ts'
import { type Endpoint, endpointsOf } from '../../src/http/endpoint.ts'
import { MAX_BODY_MIB } from '../../src/http/json.ts'
import { addExamples } from './examples.ts'
import { bookmarkParameter, requestIdParameter } from './headers.ts'
import { errorResponses, successResponse } from './responses.ts'

const description = `
Responses are JSON unless the endpoint says otherwise. An error response has a sentence in \`error\`
and a stable \`code\`. Branch on the code, and show or log the sentence. Quote the header
\`x-request-id\` when you ask for support.

Send a token in the header \`Authorization\`, with or without \`Bearer\`. A browser can send the
session cookie instead, on requests from the same site. Paths that support \`GET\` also support
\`HEAD\`, and every path supports \`OPTIONS\`. Other methods get 405 with the header \`Allow\`.

A JSON body is encoded in UTF-8 and has at most ${MAX_BODY_MIB} MiB. 600 requests may be sent in 60
seconds: by all user tokens of a user together, by each master token, and by a client address
without a valid token. 20 changes of avatars may be sent in 60 seconds. With a master token, send
the header \`x-server-timing\` to get the cost of the request in \`Server-Timing\`.
`

/** Returns the document of all endpoints that declare what they answer. */
export function createOpenApi() {
  const paths: ZodOpenApiPathsObject = {}
  for (const endpoint of endpointsOf(app)) {
    const operation = operationOf(endpoint)
    if (!operation) continue
    const path = pathTemplate(endpoint.path)
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation }
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: { title: 'Marketplace API', version, description: description.trim() },
      servers: [{ url: '/', description: 'The server of this document.' }],
      paths,
      components: { securitySchemes },
    },
    { override: ({ jsonSchema }) => removeNoise(jsonSchema) },
  )
  addExamples(document)
  return document
}

const securitySchemes = {
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
    description: 'The session of a signed-in browser.',
  },
} as const

/** Removes patterns that repeat the format, and bounds that every JSON number has. */
function removeNoise(schema: Record<string, unknown>): void {
  if (schema.format) delete schema.pattern
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

function operationOf(endpoint: Endpoint): ZodOpenApiOperationObject | null {
  const { info, inputs, method, path } = endpoint
  if (!info?.answer) return null
  const input = (target: string) => inputs.find((candidate) => candidate.target === target)?.schema
  const body = requestBody(endpoint)
  const params = { path: input('param'), query: input('query'), header: input('header') }
  return {
    operationId: operationId(method, path),
    ...(info.tag && { tags: [info.tag] }),
    ...(info.summary && { summary: info.summary }),
    ...(info.description && { description: info.description }),
    security: info.access === 'public' ? [] : [{ bearer: [] }, { token: [] }, { cookie: [] }],
    parameters: [requestIdParameter, bookmarkParameter],
    requestParams: Object.fromEntries(Object.entries(params).filter(([, schema]) => schema)),
    ...(body && { requestBody: body }),
    responses: { 200: successResponse(info.answer(), info.headers), ...errorResponses(endpoint) },
  }
}

function requestBody({ info, inputs }: Endpoint): ZodOpenApiRequestBodyObject | null {
  const json = inputs.find(({ target }) => target === 'json')
  if (json) return { required: true, content: { 'application/json': { schema: json.schema } } }
  if (!info?.body) return null
  const { type, schema } = info.body
  return { required: true, content: { [type]: { schema } } }
}

/** `/a/:id` → `/a/{id}`. */
const pathTemplate = (path: string) => path.replace(/:(\w+)/g, '{$1}')

/** `GET /api/public/user/:user_id/profile/avatar` → `getUserProfileAvatar`. */
function operationId(method: string, path: string): string {
  const words = path
    .replace(/^\/api(\/public)?/, '')
    // The same path without the id acts on many.
    .replace('/:id/', '/by/id/')
    .replace(/:\w+/g, '')
    .match(/[A-Za-z0-9]+/g)
  return method.toLowerCase() + (words ?? []).map((w) => w[0]?.toUpperCase() + w.slice(1)).join('')
}

/** Builds the OpenAPI 3.1 document from the declarations that validate the requests. */
import * as z from 'zod'
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiRequestBodyObject,
} from 'zod-openapi'
import { license, version } from '../../../package.json'
import { describeLimit, requestLimits } from '../../../src/limits.ts'
import { FILE_URL } from '../docs/pages.ts'
import { type DescribedEndpoint, describedEndpoints } from './endpoints.ts'
import { addExamples, type Example } from './examples.ts'
import { bookmarkParameter, ifNoneMatchParameter } from './headers.ts'
import { errorResponses, successResponse } from './responses.ts'
import { tags } from './tags.ts'
import { override } from './types.ts'
import { webhooks } from './webhooks.ts'

const description = `
Responses are JSON unless the operation says otherwise. An error response has a sentence in \`error\`
and a stable \`code\`. Branch on the code, and show or log the sentence. \`issues\` has everything that
is wrong. Quote the header \`x-request-id\` when you ask for support; a request may have one of your
own, which the server logs beside its own.

Send a token in the header \`Authorization\`, with or without \`Bearer\`. Without this header, the
session cookie of a signed-in browser is used, on requests from the same site. A user token acts for
its user, a master token for every user. A token that may only read works for \`GET\` alone. A master
token with the scope \`orders\` is for one shop: it places and follows the orders of its name.

Paths that support \`GET\` also support \`HEAD\`, and every path supports \`OPTIONS\`. Other methods get
405 with the header \`Allow\`.

A deprecated operation has the headers \`Deprecation\` and \`Sunset\` in each response: log a warning
when you receive one. It works for at least 12 months after that.

A JSON body is encoded in UTF-8 and has at most ${describeLimit(requestLimits.json)}. Requests are limited:
${describeLimit(requestLimits.ofToken)} of each user token, and of a client address without a valid
token; ${describeLimit(requestLimits.ofUser)} of all user tokens of a user together;
${describeLimit(requestLimits.ofMasterToken)} of each master token. At a limit the answer is 429, and \`Retry-After\` says how many seconds to wait. Other responses do not count down.
With a master token, send the header \`x-server-timing\` to get the cost of the request in
\`Server-Timing\`.
`

/** Returns the document of all endpoints that have a description. */
export function createOpenApi(examples: readonly Example[]) {
  const paths: ZodOpenApiPathsObject = {}
  for (const endpoint of describedEndpoints.toSorted((a, b) => tagIndex(a) - tagIndex(b))) {
    const path = pathTemplate(endpoint.path)
    const method = { [endpoint.method.toLowerCase()]: operationOf(endpoint) }
    // What a client does first comes first: it creates, then it reads.
    paths[path] =
      endpoint.method === 'POST' ? { ...method, ...paths[path] } : { ...paths[path], ...method }
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Marketplace API',
        version,
        description: description.trim(),
        contact: { name: 'Marketplace API', url: `${FILE_URL}/docs` },
        license: { name: `${license} License`, identifier: license },
      },
      servers: [{ url: FILE_URL, description: 'The instance that serves this document.' }],
      tags,
      paths,
      webhooks: webhooks(),
      components: { securitySchemes },
    },
    { override },
  )
  addExamples(document, examples)
  return document
}

const tagIndex = ({ tag }: DescribedEndpoint) => tags.findIndex(({ name }) => name === tag)

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An API token: Settings → API Access generates it.',
  },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'token',
    description: 'The session of a signed-in browser.',
  },
} as const

function operationOf(endpoint: DescribedEndpoint): ZodOpenApiOperationObject {
  const { input = {}, answer, created, partial } = endpoint
  const body = requestBody(endpoint)
  const params = { path: input.param, query: input.query, header: input.header }
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: [endpoint.description, accessOf(endpoint)].filter(Boolean).join(' '),
    security: securityOf(endpoint),
    parameters: headerParameters(endpoint),
    requestParams: Object.fromEntries(Object.entries(params).filter(([, schema]) => schema)),
    ...(body && { requestBody: body }),
    responses: {
      ...(answer && { 200: successResponse(answer, endpoint) }),
      ...(answer &&
        created && {
          201: { ...successResponse(answer, endpoint), description: created },
        }),
      ...(answer &&
        partial && {
          206: { ...successResponse(answer, endpoint), description: partial },
        }),
      ...errorResponses(endpoint),
    },
  }
}

/** Returns the sentence that says what a caller needs. */
function accessOf({ method, access }: DescribedEndpoint): string {
  if (access === 'public') return 'Needs no token.'
  if (access === 'session') return 'Needs the session cookie of a signed-in browser.'
  if (access === 'metrics') return 'Needs a master token, which may be one for metrics only.'
  const token = access === 'master' ? 'a master token' : 'a token'
  const isForShops = access !== 'orders' ? '' : ', also one with the scope `orders`'
  return `Needs ${token}${method === 'GET' ? '' : ' that may write'}${isForShops}.`
}

function securityOf({ access }: DescribedEndpoint) {
  if (access === 'public') return []
  return access === 'session' ? [{ cookie: [] }] : [{ bearer: [] }, { cookie: [] }]
}

/** Only reads of the API may use a replica, which the bookmark is for. */
function headerParameters({ method, path, bodiless }: DescribedEndpoint) {
  const isApiRead = method === 'GET' && path.startsWith('/api/')
  return [
    ...(isApiRead ? [bookmarkParameter] : []),
    ...(bodiless?.[304] ? [ifNoneMatchParameter] : []),
  ]
}

function requestBody({ body, input }: DescribedEndpoint): ZodOpenApiRequestBodyObject | null {
  const { type, schema } = input?.json
    ? { type: 'application/json', schema: input.json }
    : (body ?? {})
  if (!type || !schema) return null
  // The schema of what is sent, before it is transformed.
  const { description = '' } =
    z.globalRegistry.get(schema instanceof z.core.$ZodPipe ? schema._zod.def.in : schema) ?? {}
  return { required: true, description, content: { [type]: { schema } } }
}

/** `/a/:id` → `/a/{id}`. */
const pathTemplate = (path: string) => path.replace(/:(\w+)/g, '{$1}')

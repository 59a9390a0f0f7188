import { readFileSync } from 'node:fs'
import * as z from 'zod'
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import { type ErrorCode, errorStatus } from '../../../src/http/errors.ts'
import { fieldsOf } from '../../../src/http/validation.ts'
import type { DescribedEndpoint } from './endpoints.ts'
import examples from './error-examples.json'
import {
  acceptEncoding,
  commonHeaders,
  deprecationHeaders,
  ownHeaders,
  retryAfter,
  retryAfterOfSome,
  wwwAuthenticate,
} from './headers.ts'
import { Code, Issue } from './issue.ts'

/** Returns the response of status 200. */
export function successResponse(
  schema: z.ZodType,
  endpoint: DescribedEndpoint,
): ZodOpenApiResponseObject {
  return {
    description: schema.description ?? '',
    headers: headersOf(endpoint),
    content: Object.fromEntries(mediaTypes(schema).map((type) => [type, { schema }])),
  }
}

const cacheHeader = { 'Cache-Control': 'For how long caches may keep the response.' }

/** What caches may keep has no headers of one request. */
function headersOf({ cache, headers }: DescribedEndpoint) {
  const declared = { ...(cache && cacheHeader), ...headers }
  return z.object({
    ...('Cache-Control' in declared ? deprecationHeaders : commonHeaders),
    ...ownHeaders(declared),
  })
}

/** `image/jpeg` for `z.file().mime('image/jpeg')`; other schemas describe JSON. */
function mediaTypes(schema: z.ZodType): string[] {
  if (!(schema instanceof z.ZodFile)) return ['application/json']
  const json = z.toJSONSchema(schema)
  const types = [json, ...(json.anyOf ?? [])].flatMap(
    ({ contentMediaType }) => contentMediaType ?? [],
  )
  return types.length > 0 ? types.map(String) : ['application/octet-stream']
}

/** Returns the responses of all other statuses. */
export function errorResponses(endpoint: DescribedEndpoint): ZodOpenApiResponsesObject {
  const responses: ZodOpenApiResponsesObject = {}
  for (const [status, description] of Object.entries(endpoint.bodiless ?? {}))
    responses[statusKey(status)] = {
      description,
      headers: headersOf(endpoint),
    }
  for (const [status, codes] of Map.groupBy(errorCodes(endpoint), (code) => errorStatus[code]))
    responses[statusKey(status)] = errorResponse(status, codes, endpoint)
  return responses
}

const statusKey = (status: number | string) => `${status}` as `4${string}`

/** Texts in paths and queries. */
const textFields = ['providerId', 'source', 'q', 'ref', 'name']

/** The error codes of the endpoint and of all endpoints like it, in the order of `errorStatus`. */
function errorCodes({
  access,
  errors = [],
  isUnavailable,
  input = {},
  method,
  isStrict,
}: DescribedEndpoint): ErrorCode[] {
  const takesJson = input.json !== undefined
  const takesText = Object.values(input).some((schema) =>
    textFields.some((name) => name in fieldsOf(schema)),
  )
  const codes = new Set<ErrorCode>([
    'invalid_input',
    'rate_limited',
    'internal_error',
    'not_ready',
    'try_later',
  ])
  // A token may lack the role or the scope.
  if (access !== 'public') codes.add('unauthenticated').add('forbidden')
  if (method !== 'GET') codes.add('cross_site')
  if (takesJson) codes.add('payload_too_large').add('unsupported_media_type')
  if (takesJson || takesText) codes.add('invalid_character')
  if (isStrict || (method === 'GET' && input.query)) codes.add('unknown_field')
  for (const code of errors) codes.add(code)
  if (isUnavailable) codes.delete('internal_error')
  return (Object.keys(errorStatus) as ErrorCode[]).filter((code) => codes.has(code))
}

/** A row of docs/errors.md: status, code, cause and action, without a full stop. */
const errorRow = /^\| \d+ \| `(\w+)` \| (.+) \| (.+) \|$/gm

const errorTexts = new Map(
  [...readFileSync('docs/errors.md', 'utf8').matchAll(errorRow)].map(
    ([, code = '', cause = '', action = '']) => [code, { cause, action }],
  ),
)

/** Returns what docs/errors.md says of an error code. */
function errorText(code: ErrorCode) {
  const text = errorTexts.get(code)
  if (!text) throw new Error(`docs/errors.md lacks the row | ${errorStatus[code]} | \`${code}\` |.`)
  return text
}

/** Returns the cause of an error code and what to do. */
function meaningOf(code: ErrorCode): string {
  const { cause, action } = errorText(code)
  return `${cause}. ${action}.`
}

/** By component id. A component is declared by using the same object everywhere. */
const components = new Map<string, ZodOpenApiResponseObject>()

/** More codes than a name can list. */
const MANY = 3

/** Returns the response of a status with these codes. */
function errorResponse(
  status: number,
  codes: readonly ErrorCode[],
  { id: operationId, isUnavailable, path }: DescribedEndpoint,
): ZodOpenApiResponseObject {
  // As `setErrorFields` does.
  const errorFields = path.startsWith('/api/externalOrders') ? { orders: null } : undefined
  const hasStatus = isUnavailable && status === 503
  const name = codes.length < MANY && !hasStatus ? codes.join('_or_') : `${operationId}_${status}`
  const id = pascalCase(errorFields && codes.length < MANY ? `orders_${name}` : name)
  const fields = { ...errorFields, ...(hasStatus && { status: 'unavailable' }) }
  const schema = hasStatus ? UnavailableError : errorFields ? OrdersError : ApiError
  const response = components.get(id) ?? {
    id,
    description: codes.map((code) => `\`${code}\`: ${meaningOf(code)}`).join('\n\n'),
    headers: z.object({ ...commonHeaders, ...errorHeaders(codes) }),
    content: { 'application/json': { schema, examples: errorExamples(codes, fields) } },
  }
  components.set(id, response)
  return response
}

/** Returns an example for each code: an answer of a request that failed. */
const errorExamples = (codes: readonly ErrorCode[], fields: object) =>
  Object.fromEntries(
    codes.map((code) => [
      code,
      { summary: errorText(code).cause, value: { ...fields, ...examples[code] } },
    ]),
  )

const ApiError = z
  .object({
    error: z.string().describe('What is wrong, as a sentence.'),
    code: Code.describe('The code of the first issue. The status lists the possible ones.'),
    issues: z.array(Issue).min(1).describe('Everything that is wrong.'),
    requestId: z.uuid().describe('The same as the header `x-request-id`.'),
    documentationUrl: z.url().describe('The page that explains the code.'),
  })
  .meta({ id: 'ApiError', description: 'Why a request failed.' })

const OrdersError = z
  .object({ orders: z.null().describe('Always null in an error.'), ...ApiError.shape })
  .meta({ id: 'OrdersError', description: 'Why a request of the order endpoints failed.' })

const UnavailableError = z
  .object({
    status: z.literal('unavailable').describe('The instance cannot serve.'),
    ...ApiError.shape,
  })
  .meta({ id: 'UnavailableError', description: 'The instance cannot serve.' })

function errorHeaders(codes: readonly ErrorCode[]): Record<string, z.ZodType> {
  if (codes.includes('unauthenticated')) return { 'WWW-Authenticate': wwwAuthenticate }
  if (codes.includes('rate_limited')) return { 'Retry-After': retryAfter }
  if (codes.includes('unsupported_media_type')) return { 'Accept-Encoding': acceptEncoding }
  if (codes.includes('request_in_progress') || codes.includes('try_later'))
    return { 'Retry-After': retryAfterOfSome }
  return {}
}

/** `not_found` → `NotFound`. */
const pascalCase = (text: string) =>
  text.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

import { readFileSync } from 'node:fs'
import * as z from 'zod'
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import type { Endpoint, EndpointInfo } from '../../src/http/endpoint.ts'
import { type ErrorCode, statusOf } from '../../src/http/errors.ts'
import { commonHeaders, retryAfter, wwwAuthenticate } from './headers.ts'

/** Returns the response of status 200. */
export function successResponse(
  schema: z.ZodType,
  headers: EndpointInfo['headers'] = {},
): ZodOpenApiResponseObject {
  const ownHeaders = Object.entries(headers).map(([name, description]) => [
    name,
    z.string().optional().meta({ description }),
  ])
  return {
    description: 'Success.',
    headers: z.object({ ...commonHeaders, ...Object.fromEntries(ownHeaders) }),
    content: { [mediaType(schema)]: { schema } },
  }
}

/** `image/jpeg` for `z.file().mime('image/jpeg')`; other schemas describe JSON. */
function mediaType(schema: z.ZodType): string {
  if (!(schema instanceof z.ZodFile)) return 'application/json'
  return String(z.toJSONSchema(schema).contentMediaType ?? 'application/octet-stream')
}

/** Returns the responses of all other statuses. */
export function errorResponses(endpoint: Endpoint): ZodOpenApiResponsesObject {
  const responses: ZodOpenApiResponsesObject = {}
  for (const [status, description] of Object.entries(endpoint.info?.bodiless ?? {}))
    responses[statusKey(status)] = { description, headers: z.object(commonHeaders) }
  for (const [status, codes] of Map.groupBy(errorCodes(endpoint), (code) => statusOf[code]))
    responses[statusKey(status)] = errorResponse(codes, endpoint.info?.errorFields)
  return responses
}

const statusKey = (status: number | string) => `${status}` as `4${string}`

/** The error codes of the endpoint and of all endpoints like it, in the order of `statusOf`. */
function errorCodes({ info, inputs, method }: Endpoint): ErrorCode[] {
  const takesJson = inputs.some(({ target }) => target === 'json')
  const codes = new Set<ErrorCode>(['invalid_input', 'rate_limited', 'internal_error'])
  if (info?.access !== 'public') codes.add('unauthenticated')
  if (info?.access === 'master') codes.add('forbidden')
  if (method !== 'GET') {
    codes.add('cross_site')
    // A read-only token.
    if (info?.access === 'token') codes.add('forbidden')
  }
  if (takesJson) codes.add('payload_too_large').add('unsupported_media_type')
  for (const code of info?.errors ?? []) codes.add(code)
  return (Object.keys(statusOf) as ErrorCode[]).filter((code) => codes.has(code))
}

const errorTable = readFileSync('docs/errors.md', 'utf8')

/** Returns the cause of an error code and what to do, from the table in docs/errors.md. */
function meaningOf(code: ErrorCode): string {
  const [, cause, action] =
    new RegExp(`\\| \`${code}\` \\| (.*) \\| (.*) \\|`).exec(errorTable) ?? []
  if (!cause || !action) throw new Error(`docs/errors.md does not describe ${code}`)
  return `${cause}. ${action}.`
}

/** By component id. A component is declared by using the same object everywhere. */
const components = new Map<string, ZodOpenApiResponseObject>()

/** Returns the response of a status with these codes. */
function errorResponse(
  codes: readonly ErrorCode[],
  errorFields: EndpointInfo['errorFields'] = {},
): ZodOpenApiResponseObject {
  const id = [...Object.keys(errorFields), codes.join('_or_')].map(pascalCase).join('')
  const response = components.get(id) ?? newErrorResponse(id, codes, errorFields)
  components.set(id, response)
  return response
}

function newErrorResponse(
  id: string,
  codes: readonly ErrorCode[],
  errorFields: Record<string, null>,
): ZodOpenApiResponseObject {
  const nulls = Object.keys(errorFields).map((name) => [
    name,
    z.null().describe('Always null in an error.'),
  ])
  return {
    id,
    description: codes.map((code) => `\`${code}\`: ${meaningOf(code)}`).join('\n\n'),
    headers: z.object({ ...commonHeaders, ...errorHeaders(codes) }),
    content: {
      'application/json': {
        schema: z.object({
          ...Object.fromEntries(nulls),
          error: z.string().describe('What is wrong, as a sentence.'),
          code: z.enum(codes).describe('The stable code of the error.'),
        }),
      },
    },
  }
}

function errorHeaders(codes: readonly ErrorCode[]): Record<string, z.ZodType> {
  if (codes.includes('unauthenticated')) return { 'WWW-Authenticate': wwwAuthenticate }
  if (codes.includes('rate_limited')) return { 'Retry-After': retryAfter }
  if (codes.includes('request_in_progress')) return { 'Retry-After': retryAfter.optional() }
  return {}
}

/** `not_found` → `NotFound`. */
const pascalCase = (text: string) =>
  text.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

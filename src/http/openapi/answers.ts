import * as z from 'zod'
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import type { About, Door } from '../door.ts'
import { type ErrorCode, isOrderPath, statusOf } from '../errors.ts'
import { commonHeaders, retryAfter, wwwAuthenticate } from './headers.ts'
import { meaningOf } from './meanings.ts'

/** The 200, and what else is no refusal. */
export function answerOf(
  schema: z.ZodType,
  { headers = {} }: Pick<About, 'headers'>,
): ZodOpenApiResponseObject {
  const own = Object.entries(headers).map(([name, description]) => [
    name,
    z.string().optional().meta({ description }),
  ])
  return {
    description: 'Done.',
    headers: z.object({ ...commonHeaders, ...Object.fromEntries(own) }),
    content: { [mediaTypeOf(schema)]: { schema } },
  }
}

/** The 206: the part that `Range` names. */
export const partOf = (schema: z.ZodType, about: Pick<About, 'headers'>) => ({
  ...answerOf(schema, { headers: { ...about.headers, 'Content-Range': 'Which part this is' } }),
  description: 'The part that `Range` asks for.',
})

/** `z.file().mime('image/jpeg')` is bytes of that type; everything else is JSON. */
function mediaTypeOf(schema: z.ZodType): string {
  if (!(schema instanceof z.ZodFile)) return 'application/json'
  return String(z.toJSONSchema(schema).contentMediaType ?? 'application/octet-stream')
}

/** Each status but 200 that the endpoint may answer with. */
export function refusalsOf(door: Door, about: About): ZodOpenApiResponsesObject {
  const codes = codesOf(door)
  const responses: ZodOpenApiResponsesObject = {}
  for (const [status, description] of Object.entries(about.bodiless ?? {}))
    responses[statusKey(status)] = { description, headers: z.object(commonHeaders) }
  for (const [status, its] of Map.groupBy(codes, (code) => statusOf[code]))
    responses[statusKey(status)] = refusal(its, isOrderPath(door.path))
  return responses
}

const statusKey = (status: number | string) => `${status}` as `4${string}`

/** The refusals of this endpoint, and those that every door shares. */
function codesOf({ about, inputs, method }: Door): ErrorCode[] {
  const takesJson = inputs.some(({ target }) => target === 'json')
  const codes: ErrorCode[] = ['invalid_input', 'rate_limited', 'internal_error']
  if (about?.audience !== 'anyone') codes.push('unauthenticated')
  if (about?.audience === 'masters') codes.push('forbidden')
  if (method !== 'GET') codes.push('cross_site')
  if (takesJson) codes.push('payload_too_large', 'unsupported_media_type')
  const all = new Set([...codes, ...(about?.errors ?? [])])
  // In the order of the statuses.
  return (Object.keys(statusOf) as ErrorCode[]).filter((code) => all.has(code))
}

const made = new Map<string, ZodOpenApiResponseObject>()

/** The answer for these codes, which share a status; the same object each time. */
function refusal(codes: readonly ErrorCode[], ofOrders: boolean): ZodOpenApiResponseObject {
  const id = (ofOrders ? 'Orders' : '') + codes.map(pascal).join('Or')
  let response = made.get(id)
  if (!response) {
    response = newRefusal(id, codes, ofOrders)
    made.set(id, response)
  }
  return response
}

function newRefusal(id: string, codes: readonly ErrorCode[], ofOrders: boolean) {
  const orders = ofOrders ? { orders: z.null() } : {}
  const examples = codes.map((code) => [
    code,
    { value: { ...(ofOrders && { orders: null }), error: meaningOf[code].example, code } },
  ])
  return {
    id,
    description: codes.map((code) => `\`${code}\`: ${meaningOf[code].means}`).join('\n\n'),
    headers: z.object({ ...commonHeaders, ...headersOf(codes) }),
    content: {
      'application/json': {
        schema: z.object({ ...orders, error: z.string(), code: z.enum(codes) }),
        examples: Object.fromEntries(examples),
      },
    },
  }
}

function headersOf(codes: readonly ErrorCode[]): Record<string, z.ZodType> {
  if (codes.includes('unauthenticated')) return { 'WWW-Authenticate': wwwAuthenticate }
  if (codes.includes('rate_limited')) return { 'Retry-After': retryAfter }
  if (codes.includes('request_in_progress')) return { 'Retry-After': retryAfter.optional() }
  return {}
}

const pascal = (code: string) =>
  code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

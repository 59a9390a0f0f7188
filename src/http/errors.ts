/** What an endpoint answers when it refuses. Contract: "Errors"; decisions: "Errors". */
import type { Context, ErrorHandler, NotFoundHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { App } from './context.ts'

/** Every code that a client may meet, and its status. The README lists them. */
export const statusOf = {
  invalid_input: 400,
  order_not_found: 400,
  unauthenticated: 401,
  forbidden: 403,
  cross_site: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  link_expired: 410,
  provider_id_used: 409,
  request_in_progress: 409,
  too_many_addresses: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  idempotency_key_reused: 422,
  rate_limited: 429,
  internal_error: 500,
  chain_unavailable: 503,
} as const satisfies Record<string, ContentfulStatusCode>

export type ErrorCode = keyof typeof statusOf

/** A refusal that the client is told: a stable code, a sentence, and headers that go with it. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly headers: Record<string, string>

  constructor(code: ErrorCode, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.code = code
    this.headers = headers
  }
}

/** RFC 9110, section 11.6.1: a 401 says which scheme would do. */
export const unauthenticated = () =>
  new ApiError('unauthenticated', 'a valid token is required', { 'WWW-Authenticate': 'Bearer' })

export const notFound: NotFoundHandler<App> = (c) =>
  answer(c, new ApiError('not_found', 'there is nothing at this path'))

/** Turns whatever was thrown into the envelope; what is ours is logged and never told. */
export const onError: ErrorHandler<App> = (error, c) => {
  if (error instanceof ApiError) return answer(c, error)
  if (error instanceof HTTPException && error.status < 500)
    return answer(c, new ApiError('invalid_input', error.message))
  console.error({
    event: 'request_failed',
    requestId: c.var.requestId,
    error: error.stack ?? String(error),
    cause: error.cause === undefined ? undefined : String(error.cause),
  })
  return answer(c, new ApiError('internal_error', 'something went wrong on our side'))
}

export function answer(c: Context<App>, { code, message, headers }: ApiError): Response {
  const body = { error: message, code }
  return c.json(isOrderPath(c.req.path) ? { orders: null, ...body } : body, statusOf[code], headers)
}

/** The contract's order endpoints answer errors with the key of their success as well. */
export const isOrderPath = (path: string): boolean => path.startsWith('/api/externalOrders')

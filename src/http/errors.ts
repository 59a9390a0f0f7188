/** Error responses. */
import type { Context, ErrorHandler, NotFoundHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { callsOf, log } from '../log.ts'
import type { App } from './context.ts'
import { callerRequestId } from './request-log.ts'

/** Every error code and its status. `docs/errors.md` describes them. */
export const statusOf = {
  invalid_input: 400,
  order_not_found: 400,
  unauthenticated: 401,
  forbidden: 403,
  cross_site: 403,
  reauthentication_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  link_expired: 410,
  provider_id_used: 409,
  request_in_progress: 409,
  too_many_addresses: 409,
  too_many_open_orders: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limited: 429,
  internal_error: 500,
  chain_unavailable: 503,
  not_ready: 503,
} as const satisfies Record<string, ContentfulStatusCode>

export type ErrorCode = keyof typeof statusOf

/** An error for the client: a stable code, a sentence, and headers for the response. */
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

/** No token, or one that is not live. RFC 9110, section 11.6.1: a 401 names the scheme to use. */
export class TokenRequired extends ApiError {
  constructor() {
    super('unauthenticated', 'a valid token is required', { 'WWW-Authenticate': 'Bearer' })
  }
}

export const unauthenticated = () => new TokenRequired()

export const notFound: NotFoundHandler<App> = (c) =>
  errorResponse(c, new ApiError('not_found', 'there is nothing at this path'))

/** Answers an unexpected error with 500. Its details are logged and never sent. */
export const onError: ErrorHandler<App> = (error, c) => {
  if (error instanceof ApiError) return errorResponse(c, error)
  if (error instanceof HTTPException && error.status < 500)
    return errorResponse(c, new ApiError('invalid_input', error.message))
  log.error('request_failed', {
    requestId: c.var.requestId,
    callerRequestId: callerRequestId(c),
    error,
    stack: callsOf(error),
  })
  return errorResponse(c, new ApiError('internal_error', 'something went wrong on our side'))
}

export function errorResponse(c: Context<App>, { code, message, headers }: ApiError): Response {
  const body = { ...c.get('errorFields'), error: message, code }
  return c.json(body, statusOf[code], headers)
}

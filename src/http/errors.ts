/** The errors of the API. `error-response.ts` makes responses of them. */
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { saleObstacles } from '../db/schema/catalogue.ts'

const badRequests = <Code extends string>(codes: readonly Code[]) =>
  Object.fromEntries(codes.map((code) => [code, 400])) as Record<Code, 400>

/** Every error code and its status. docs/errors.md describes them. */
export const errorStatus = {
  invalid_input: 400,
  invalid_character: 400,
  unknown_field: 400,
  order_not_found: 400,
  listing_not_found: 400,
  listing_inactive: 400,
  listing_ended: 400,
  listing_is_auction: 400,
  listing_not_checked: 400,
  listing_mismatch: 400,
  nft_not_found: 400,
  nft_not_released: 400,
  content_missing: 400,
  buyer_not_found: 400,
  user_not_found: 400,
  duplicate_id: 400,
  network_not_found: 400,
  identity_taken: 400,
  username_taken: 400,
  token_taken: 400,
  cannot_change: 400,
  amount_too_small: 400,
  file_differs: 400,
  no_billing_address: 400,
  sold_out: 400,
  quantity_too_large: 400,
  quantity_above_limit: 400,
  reservation_not_found: 400,
  reservation_mismatch: 400,
  unauthenticated: 401,
  forbidden: 403,
  cross_site: 403,
  not_your_listing: 403,
  seller_not_approved: 403,
  not_a_creator: 403,
  account_closed: 403,
  reauthentication_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  confirmation_required: 409,
  content_full: 409,
  wallet_required: 409,
  not_held: 409,
  mint_not_permitted: 409,
  not_deliverable: 409,
  withdrawn: 409,
  not_delivered: 409,
  link_expired: 410,
  events_removed: 410,
  provider_id_used: 409,
  price_changed: 409,
  order_differs: 409,
  request_in_progress: 409,
  wallet_taken: 409,
  wallet_has_account: 409,
  email_taken: 409,
  already_linked: 409,
  not_linked: 409,
  only_sign_in: 409,
  transfers_under_way: 409,
  too_many_addresses: 409,
  too_many_open_orders: 409,
  length_required: 411,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  idempotency_key_reused: 422,
  rate_limited: 429,
  internal_error: 500,
  chain_unavailable: 503,
  not_ready: 503,
  try_later: 503,
  ...badRequests(saleObstacles),
} as const satisfies Record<string, ContentfulStatusCode>

export type ErrorCode = keyof typeof errorStatus

/** What programs need of an issue besides its code: further fields of it in the answer. */
export type IssueDetails = {
  /** The order that has the number. */
  orderId?: number
  /** Prices of one piece in minor units, and their currencies. */
  expectedPriceCents?: number
  expectedCurrency?: string
  priceCents?: number
  priceCurrency?: string
  /** What the order has: an id in place of whatever names a row. */
  stored?: number | string | Readonly<Record<string, number | string | null>> | null
}

export type Issue = IssueDetails & {
  /** The field, such as `orders[2].quantity`; empty for the request as a whole. */
  path: string
  code: ErrorCode
  /** A sentence without the field. */
  message: string
}

/** An error for the client: a stable code, a sentence, all issues, and headers for the response. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly headers: Record<string, string>
  readonly issues: readonly Issue[]

  constructor(
    code: ErrorCode,
    message: string,
    headers: Record<string, string> = {},
    issues: readonly Issue[] = [{ path: '', code, message }],
  ) {
    super(message)
    this.code = code
    this.headers = headers
    this.issues = issues
  }
}

/**
 * Returns the error for a request with these issues. The first issue sets code and status; issues
 * about permission come first.
 */
export function rejected(issues: readonly [Issue, ...Issue[]]): ApiError {
  const isForbidden = ({ code }: Issue) => Number(errorStatus[code] === 403)
  const sorted = issues.toSorted((a, b) => isForbidden(b) - isForbidden(a))
  const { path, code, message } = sorted[0] ?? issues[0]
  return new ApiError(code, path ? `${path}: ${message}` : message, {}, sorted)
}

export function requireNone([first, ...others]: readonly Issue[]): void {
  if (first) throw rejected([first, ...others])
}

export const invalidField = (path: string, message: string): ApiError =>
  rejected([{ path, code: 'invalid_input', message }])

/**
 * The request has no token, or an invalid one. The response names the scheme to use (RFC 9110,
 * section 11.6.1) and what is wrong with the token (RFC 6750, section 3.1).
 */
export class TokenRequired extends ApiError {
  /** `reason` has no quotes and no backslashes. */
  constructor(reason?: string) {
    const details = reason && ` error="invalid_token", error_description="${reason}"`
    super('unauthenticated', reason ?? 'a token is required', {
      'WWW-Authenticate': `Bearer${details ?? ''}`,
    })
  }
}

/**
 * The error for a service that cannot be used at the moment. If it is the database, what the call
 * was to change may have been changed.
 */
export const tryLater = (reason: string, seconds = 5) =>
  new ApiError('try_later', `${reason}: please try again later`, { 'Retry-After': String(seconds) })

export const rateLimited = (message: string, seconds: number) =>
  new ApiError('rate_limited', message, { 'Retry-After': String(seconds) })

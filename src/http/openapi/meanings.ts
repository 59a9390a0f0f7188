import type { ErrorCode } from '../errors.ts'

/** What each code means to a client, and a sentence that may come with it. */
export const meaningOf: Record<ErrorCode, { means: string; example: string }> = {
  invalid_input: {
    means: 'Something in the request is not as it must be; the sentence names it.',
    example: 'id: must be a positive integer',
  },
  order_not_found: {
    means: 'An id in the path has no order that the caller may see.',
    example: 'the order with id 7 does not exist',
  },
  unauthenticated: {
    means: 'There is no token, or it is broken, expired, revoked or another instance’s.',
    example: 'a valid token is required',
  },
  forbidden: {
    means: 'The token is good, but not for this.',
    example: 'the token belongs to another user',
  },
  cross_site: {
    means: 'A request that changes something came with the cookie, but from another site.',
    example: 'a request with the session cookie must be same-origin',
  },
  not_found: {
    means: 'There is nothing here, or nothing that the caller may know of.',
    example: 'there is nothing at this path',
  },
  method_not_allowed: {
    means: 'The path takes other methods; the header `Allow` lists them.',
    example: 'this path takes GET, HEAD',
  },
  conflict: {
    means: 'What is asked for does not fit what is there.',
    example: 'another request was quicker',
  },
  link_expired: {
    means: 'The mailed link was used before, is too old, or is for somebody else.',
    example: 'this link was used before or has expired: please ask for a new one',
  },
  provider_id_used: {
    means: 'The caller’s `providerId` already has an order; the sentence names it.',
    example: 'orders[0].providerId: used by order 7',
  },
  request_in_progress: {
    means: 'The first call with this `Idempotency-Key` is still running; ask again.',
    example: 'the first request with this key is still running',
  },
  too_many_addresses: {
    means: 'The user has as many addresses of this kind as there may be.',
    example: 'a user has at most 100 addresses of a kind',
  },
  precondition_failed: {
    means: 'What is here is not what `If-Match` or `If-Unmodified-Since` asks for.',
    example: 'the picture is another one',
  },
  payload_too_large: {
    means: 'The body is larger than this endpoint takes.',
    example: 'a JSON body may have at most 1 MiB',
  },
  unsupported_media_type: {
    means: 'The body is of a kind that this endpoint does not take.',
    example: 'send the body as application/json in UTF-8',
  },
  range_not_satisfiable: {
    means: 'The range begins behind the end; `Content-Range` tells the size.',
    example: 'the picture has 48213 bytes',
  },
  idempotency_key_reused: {
    means: 'This `Idempotency-Key` came before, with another body.',
    example: 'this key was used with another body',
  },
  rate_limited: {
    means: 'Too many requests; wait as long as `Retry-After` says.',
    example: 'too many requests; wait, then go on more slowly',
  },
  internal_error: {
    means: 'Our fault; `x-request-id` finds it in the log.',
    example: 'something went wrong on our side',
  },
  chain_unavailable: {
    means: 'The chain that has to be asked does not answer; it may do so later.',
    example: 'the chain does not answer: please try again',
  },
}

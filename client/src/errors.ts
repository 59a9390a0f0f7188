import type { ErrorBody, ErrorCode, Issue, IssueOf, OperationId, Order } from './types.ts'

/** What a rejected call throws. `C` is the code; null if the response is not from the API. */
export interface ApiErrorOf<C extends ErrorCode | null> extends Error {
  readonly name: 'ApiError'
  readonly status: number
  /** Branch on it: it does not change. Null if the response is from a proxy before the API. */
  readonly code: C
  /** Everything that is wrong with the request. The first issue has the code of the error. */
  readonly issues: C extends ErrorCode ? readonly [IssueOf<C>, ...Issue[]] : readonly []
  /** Quote it when you ask for support. */
  readonly requestId: string | null
  /** The page that explains the code. */
  readonly documentationUrl: string | null
  /** Seconds to wait before the next attempt (`Retry-After`); null if the response does not say. */
  readonly retryAfter: number | null
}

/** Whether the protection of the Cloudflare zone has answered. The API answers a 403 with JSON. */
export const isZoneProtection = ({ status, headers }: Response): boolean =>
  status === 403 && /^text\/html\b/i.test(headers.get('content-type') ?? '')

export const ZONE_MESSAGE =
  'the protection of the Cloudflare zone answered, not the API (HTTP 403 with a page). Its operator has to switch off Browser Integrity Check and Bot Fight Mode for the API: Deploying, "Let servers through"'

/** A call was rejected. After a comparison of `code`, TypeScript knows what `issues` have. */
export type ApiError = { [C in ErrorCode]: ApiErrorOf<C> }[ErrorCode] | ApiErrorOf<null>

/** The instances of a class cannot be a union: this gives `instanceof ApiError` the type that is one. */
export const ApiError = class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: ErrorCode | null
  readonly issues: readonly Issue[]
  readonly requestId: string | null
  readonly documentationUrl: string | null
  readonly retryAfter: number | null

  constructor(response: Response, body: Partial<ErrorBody>) {
    const { status, headers } = response
    const unknown = `HTTP ${status}, and the response is not from the API`
    super(body.error ?? (isZoneProtection(response) ? ZONE_MESSAGE : unknown))
    this.status = status
    this.code = body.code ?? null
    this.issues = body.issues ?? []
    this.requestId = body.requestId ?? headers.get('x-request-id')
    this.documentationUrl = body.documentationUrl ?? null
    this.retryAfter = parseRetryAfter(headers.get('retry-after') ?? '')
  }
} as unknown as {
  new (response: Response, body: Partial<ErrorBody>): ApiError
  readonly prototype: ApiError
}

/** Returns seconds; null without a valid header. RFC 9110, section 10.2.3: seconds or a date. */
function parseRetryAfter(header: string): number | null {
  if (/^\d+$/.test(header)) return Number(header)
  const milliseconds = header.endsWith('GMT') ? Date.parse(header) - Date.now() : Number.NaN
  return Number.isNaN(milliseconds) ? null : Math.max(0, Math.ceil(milliseconds / 1000))
}

/** Returns the error of a response. */
export async function readError(response: Response): Promise<ApiError> {
  const text = await response.text()
  try {
    const body: Partial<ErrorBody> = Object(JSON.parse(text))
    return new ApiError(response, body.code && body.issues?.[0] ? body : {})
  } catch {
    return new ApiError(response, {})
  }
}

/** Names the address in what is thrown if there is no connection, or if it breaks. Returns other errors. */
export function nameAddress(error: unknown, url: string): unknown {
  if (!(error instanceof TypeError)) return error
  return new TypeError(`there is no complete answer from ${url}: ${causeOf(error)}`, {
    cause: error.cause,
  })
}

/** Returns why a request has failed: Node tells it in the cause, one for each address of a host. */
export function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  return first instanceof Error ? first.message : String(first)
}

/** A response is from a proxy or another server, or was cut. What the call does may be done nevertheless. */
export class UnexpectedResponseError extends Error {
  override readonly name = 'UnexpectedResponseError'
  readonly operationId: OperationId

  constructor(operationId: OperationId, expected: string | null, received: string) {
    super(
      `${operationId}: the response is not from the API: ${expected ?? 'no content'} was expected, but it is ${received}`,
    )
    this.operationId = operationId
  }
}

/** A call, or an attempt of it, took too long. What it does may be done nevertheless. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
  readonly operationId: OperationId

  /** `cause` is the error of the attempt before, if there was one. */
  constructor(operationId: OperationId, milliseconds: number, cause: unknown) {
    super(`${operationId}: there was no complete response after ${milliseconds} ms`, { cause })
    this.operationId = operationId
  }
}

/** An item of an order cannot be delivered. */
export class DeliveryFailedError extends Error {
  override readonly name = 'DeliveryFailedError'
  readonly order: Order

  constructor(order: Order) {
    super(`${describeItems(order)}: ${order.failReason}`)
    this.order = order
  }
}

/** An order was not delivered in time. It may still be delivered. */
export class DeliveryTimeoutError extends Error {
  override readonly name = 'DeliveryTimeoutError'
  /** As it was read last; null if it was not read in time. */
  readonly order: Order | null

  constructor(orderId: number, order: Order | null, timeout: number) {
    const state = order ? describeItems(order) : `order ${orderId} was not read`
    super(`${state} after ${timeout} ms`)
    this.order = order
  }
}

/** The id is that of another order by now: the marketplace has restored its database. */
export class OrderReplacedError extends Error {
  override readonly name = 'OrderReplacedError'
  /** As it is now. */
  readonly order: Order

  constructor(order: Order) {
    super(`order ${order.id} has another source or number than before: place your order again`)
    this.order = order
  }
}

/** `order 7: item 9 is transferring`. An item without a status is queued. */
const describeItems = ({ id, orderItems }: Order): string =>
  `order ${id}: ${orderItems.map((item) => `item ${item.id} is ${item.status ?? 'queued'}`).join(', ')}`

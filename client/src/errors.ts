import type { ErrorBody, ErrorCode, Issue, Order } from './types.ts'

/** A call was rejected. Branch on `code`: it does not change. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** Null if the response is not from the API, but from a proxy before it. */
  readonly code: ErrorCode | null
  /** Everything that is wrong with the request. Empty if the response is not from the API. */
  readonly issues: readonly Issue[]
  /** Quote it when you ask for support. */
  readonly requestId: string | null
  /** The page that explains the code. */
  readonly documentationUrl: string | null
  /** Seconds to wait before the next attempt (`Retry-After`); null if the response does not say. */
  readonly retryAfter: number | null

  constructor({ status, headers }: Response, body: Partial<ErrorBody>) {
    super(body.error ?? `HTTP ${status}, and the response is not from the API`)
    this.status = status
    this.code = body.code ?? null
    this.issues = body.issues ?? []
    this.requestId = body.requestId ?? headers.get('x-request-id')
    this.documentationUrl = body.documentationUrl ?? null
    const seconds = headers.get('retry-after')
    this.retryAfter = seconds && /^\d+$/.test(seconds) ? Number(seconds) : null
  }
}

/** Returns the error of a response. */
export async function readError(response: Response): Promise<ApiError> {
  const text = await response.text()
  try {
    return new ApiError(response, Object(JSON.parse(text)))
  } catch {
    return new ApiError(response, {})
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

/** `order 7: item 9 is transferring`. An item without a status is queued. */
const describeItems = ({ id, orderItems }: Order): string =>
  `order ${id}: ${orderItems.map((item) => `item ${item.id} is ${item.status ?? 'queued'}`).join(', ')}`

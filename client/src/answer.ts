/** Reads the answers of operations. */
import { readError, UnexpectedResponseError } from './errors.ts'
import { routes } from './schema.ts'
import type { OperationId, OrderState, OrderStateId } from './types.ts'

/**
 * Returns the body of a response, and what its headers say of an order. Throws `ApiError`,
 * `UnexpectedResponseError` unless it is what the operation answers, and what reading the body throws.
 */
export async function readAnswer(id: OperationId, response: Response): Promise<unknown> {
  const { status, headers } = response
  const { answer } = routes[id]
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  const unexpected = (received: string) => new UnexpectedResponseError(id, answer, received)
  // The API redirects no call. Browsers hide the status of a redirect and where it leads.
  if (status === 0) throw unexpected('a redirect')
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location) throw unexpected(`${status} to ${location}`)
  if (!response.ok) throw await readError(response)
  if (answer === null && status === 204) return undefined
  if (answer === null || type !== answer)
    throw unexpected(`${status} ${type ? `with ${type}` : 'without a content type'}`)
  if (answer !== 'application/json') return response.blob()
  const body = parseObject(await response.text())
  if (!body) throw unexpected(`${status} with malformed ${type}`)
  return hasOrderState(id) ? { ...body, ...readOrderState(headers) } : body
}

/** Returns the object of a JSON text, which every answer is; null if it is anything else. */
function parseObject(text: string): object | null {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && !Array.isArray(body) ? body : null
  } catch {
    return null
  }
}

const hasOrderState = (id: OperationId): id is OrderStateId =>
  id === 'getOrders' || id === 'putOrder'

function readOrderState(headers: Headers): OrderState {
  const sequence = headers.get('x-order-sequence')
  return {
    source: decodeSource(headers.get('x-order-source')),
    sequence: sequence === null ? null : Number(sequence),
  }
}

/** Null also if a proxy has changed the header: the order was answered all the same. */
function decodeSource(text: string | null): string | null {
  try {
    return text === null ? null : decodeURIComponent(text)
  } catch {
    return null
  }
}

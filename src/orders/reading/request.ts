/** What a list of orders is asked for. */
import * as z from 'zod'
import { orderItemStatuses } from '../../db/schema/delivery.ts'
import { statesWith } from '../../delivery/shown.ts'
import { invalidField } from '../../http/errors.ts'
import { idText, instant, limitText, tokenNameText } from '../../http/inputs.ts'
import { ProviderId } from './schema.ts'
import { type Viewer, viewerValues } from './viewer.ts'

/** Where a page ended: an order or, if orders are sorted by change, a delivery and the time of its change. */
type Cursor = { id: number; at?: string | undefined }

const CursorText = z
  .string()
  .trim()
  .regex(/^[1-9]\d{0,14}(-\d{13})?$/, 'must be the `nextCursor` of a page')
  .transform((text): Cursor => {
    const [id = 0, at] = text.split('-').map(Number)
    return { id, at: at === undefined ? undefined : new Date(at).toISOString() }
  })

export const OrderQuery = z.object({
  limit: limitText(20).describe('Orders per page.'),
  cursor: CursorText.optional().describe('The `nextCursor` of the previous page.'),
  fields: z
    .literal('summary')
    .optional()
    .describe('`summary` returns a short row of each order, without its NFT and its buyer.'),
  providerId: ProviderId.optional().describe('Selects orders with this order number of the shop.'),
  source: tokenNameText.optional().describe('Selects orders that tokens of this name have placed.'),
  sellerId: idText.optional().describe('Selects orders of the seller with this user id.'),
  buyerUserId: idText.optional().describe('Selects orders of the buyer with this user id.'),
  deliveryStatus: z
    .enum(['pending', ...orderItemStatuses])
    .optional()
    .describe('Selects orders whose item has this status; `pending` stands for null.'),
  createdFrom: instant
    .optional()
    .describe('Selects orders that were placed at this time or later.'),
  createdTo: instant.optional().describe('Selects orders that were placed before this time.'),
  updatedFrom: instant
    .optional()
    .describe('Selects orders whose `updatedAt` is this time or later, the oldest change first.'),
})
export type ListRequest = Omit<z.infer<typeof OrderQuery>, 'fields'>

/** Whether the oldest change comes first. Otherwise the newest order does. */
export const isByChange = ({ providerId, updatedFrom }: ListRequest): boolean =>
  providerId === undefined && updatedFrom !== undefined

/**
 * Milliseconds. Ids grow with the time of writing, and `createdAt` is the time of the call. So orders
 * whose times differ by more than this have ids in the order of their times.
 */
const MARGIN = 60_000
/** Later times do not sort as text. */
const LAST = Date.parse('9999-12-31T23:59:59.999Z')
const shifted = (time: string | undefined, by: number): string | null =>
  time === undefined ? null : new Date(Math.min(Date.parse(time) + by, LAST)).toISOString()

export type ListValues = ReturnType<typeof listValues>

/** Returns the values of the statements of a list. That of a filter that is not used is null. */
export function listValues(viewer: Viewer, request: ListRequest) {
  const { limit, cursor, deliveryStatus } = request
  if (cursor && (cursor.at !== undefined) !== isByChange(request))
    throw invalidField('cursor', 'is of a list with other filters')
  const status = deliveryStatus ? statesWith(deliveryStatus) : null
  return {
    ...viewerValues(viewer),
    /** One more than a page has. */
    readLimit: limit + 1,
    /** The page begins below this order or, sorted by change, after this time and delivery. */
    before: cursor?.id ?? Number.MAX_SAFE_INTEGER,
    afterTime: cursor?.at ?? request.updatedFrom ?? '',
    afterDelivery: cursor?.id ?? 0,
    /** Orders that were placed before `earliest`, or at `latest` and later, are not looked at. */
    earliest: shifted(request.createdFrom, -MARGIN),
    latest: shifted(request.createdTo, MARGIN),
    providerId: request.providerId ?? null,
    source: request.source ?? null,
    sellerId: request.sellerId ?? null,
    buyerUserId: request.buyerUserId ?? null,
    /** JSON: the states of the deliveries. */
    states: status && JSON.stringify(status.states),
    isSent: status?.isSent ?? null,
    createdFrom: request.createdFrom ?? null,
    createdTo: request.createdTo ?? null,
    updatedFrom: request.updatedFrom ?? null,
  }
}

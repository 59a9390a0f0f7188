/** Places an order under the shop's own number, or finds the order that has it. */
import type * as z from 'zod'
import { type Issue, type IssueDetails, invalidField, requireNone } from '../../http/errors.ts'
import { identityOf, namingFields } from './check.ts'
import type { OrderBuyer, PlaceCtx } from './data.ts'
import { canonicalJson } from './idempotency.ts'
import type { NewOrder, NumberedOrder } from './new-order.ts'
import { type Placement, placeOnce } from './place.ts'

/**
 * Places one order, or returns the one that has the number, as it is now. However often and at
 * whatever time a shop repeats the call, there is one order. Throws `order_differs` if the order is not
 * the one that the call asks for, and `invalid_input` if it names another number.
 */
export async function putOrder(
  ctx: PlaceCtx,
  { providerId, order }: { providerId: string; order: z.infer<typeof NumberedOrder> },
): Promise<Placement> {
  if ((order.providerId ?? providerId) !== providerId)
    throw invalidField('providerId', 'is not the number in the path')
  const input = { ...order, providerId }
  const placement = await placeOnce(ctx, {
    inputs: [input],
    idempotency: null,
    isByNumber: true,
    listName: '',
  })
  if (placement.isReplay) requireNone(findDifferences(input, placement))
  return placement
}

/**
 * Returns an issue for each field that is not that of the placed order. Not compared: billing data,
 * of which an order keeps the address that it has got.
 */
function findDifferences(input: NewOrder, { data, orders: [order] }: Placement): Issue[] {
  const placed = data.placed.get(input.providerId ?? '')
  const [orderItem] = order?.orderItems ?? []
  if (!placed || !order || !orderItem) throw new Error('the order that has the number was not read')
  const { id, buyerId } = order
  const { nftId, listingId, quantity, priceCents, priceCurrency } = orderItem
  const { custom, paid } = placed
  const [rows] = data.orders
  const field = namingFields(input)
  // It was removed with the data of a buyer who was forgotten.
  const isSameCustom =
    placed.buyerRemovedAt !== null || canonicalJson(input.custom) === canonicalJson(custom)
  const isSamePayment = canonicalJson(input.paid) === canonicalJson(paid)
  const isSameBuyer = isBuyer(input, rows?.buyers ?? [], { ...placed, id: buyerId })
  const fields: [field: keyof NewOrder, given: unknown, stored: IssueDetails['stored']][] = [
    [field.nft, rows?.nft?.id, nftId],
    [field.listing, rows?.listing?.id, listingId],
    ['quantity', input.quantity, quantity],
    ['expectedPriceCents', input.expectedPriceCents ?? priceCents, priceCents],
    ['expectedCurrency', input.expectedCurrency ?? priceCurrency, priceCurrency],
    [input.buyer ? 'buyer' : 'buyerUserId', isSameBuyer && buyerId, buyerId],
    ['custom', isSameCustom && custom, custom],
    ['paid', isSamePayment && paid, paid],
  ]
  const issue = {
    code: 'order_differs',
    orderId: id,
    message: `is not that of order ${id}`,
  } as const
  return fields
    .filter(([, given, stored]) => given !== stored)
    .map(([path, , stored = null]) => ({ path, ...issue, stored }))
}

/**
 * Whether an order names the buyer of the placed one. Nobody may have the address any more: the
 * person was forgotten or has unlinked it, and is not created again. Who has another one is another.
 */
function isBuyer(
  input: NewOrder,
  named: readonly OrderBuyer[],
  { id, email, wallet }: Pick<OrderBuyer, 'id' | 'email' | 'wallet'>,
): boolean {
  const isNobody = identityOf(input) !== undefined && named.length === 0
  const isGone = isNobody && (input.buyer?.email ? email : wallet) === ''
  const userId = input.buyerUserId ?? input.buyer?.userId
  return isGone || userId === id || named.some((buyer) => buyer.id === id)
}

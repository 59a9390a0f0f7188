/** Places an order under the shop's own number, or finds the order that has it. */
import type * as z from 'zod'
import { type Issue, type IssueDetails, invalidField, requireNone } from '../http/errors.ts'
import {
  type Buyer,
  fieldsOf,
  findProblems,
  identityOf,
  type NamedRows,
  requireOwnListings,
} from './check.ts'
import { canonicalJson } from './idempotency.ts'
import { loadToWrite } from './load.ts'
import type { NewOrder, NumberedOrder } from './new-order.ts'
import { countAdded, requireRoom } from './open-orders.ts'
import { type PlaceCtx, type Placement, readPlaced, toPlacement } from './place.ts'
import { planOrders } from './plan.ts'
import type { PlacedOrder } from './schema.ts'
import { writePlan } from './write.ts'

/**
 * Places one order, or returns the one that has the number, as it is now. However often and at
 * whatever time a shop repeats the call, there is one order. Takes the steps of `placeOrders`. Throws
 * `order_differs` if the order is not the one that the call asks for, and `invalid_input` if it names
 * another number.
 */
export async function putOrder(
  ctx: PlaceCtx,
  { providerId, order }: { providerId: string; order: z.infer<typeof NumberedOrder> },
): Promise<Placement> {
  if ((order.providerId ?? providerId) !== providerId)
    throw invalidField('providerId', 'is not the number in the path')
  const input = { ...order, providerId }
  const inputs = [input]
  for (let attempt = 1; ; attempt++) {
    const data = await loadToWrite(ctx, { inputs, attempt })
    const problems = findProblems(ctx, inputs, data, () => '')
    requireOwnListings(problems)
    const placed = data.placed.get(providerId)
    if (placed) {
      const placement = await readPlaced(ctx, data, [placed.id])
      for (const stored of placement.orders)
        requireNone(findDifferences(input, data.rows[0], { ...placed, ...stored }))
      return placement
    }
    requireNone(problems)
    requireRoom(ctx, data.open, countAdded(inputs))
    const plan = await planOrders(ctx, inputs, data)
    const written = await writePlan(ctx, { inputs, data, plan, call: null })
    if (written) return toPlacement(ctx, data, plan, written)
  }
}

/** The order, and what its buyer has now. */
type Stored = PlacedOrder &
  Pick<Buyer, 'email' | 'wallet'> &
  Pick<NewOrder, 'custom' | 'paid'> & { buyerRemovedAt: string | null }

/**
 * Returns an issue for each field that is not that of the stored order. Not compared: billing data,
 * of which an order keeps the address that it has got.
 */
function findDifferences(
  input: NewOrder,
  rows: NamedRows | undefined,
  { id, orderItems: [item], ...stored }: Stored,
): Issue[] {
  if (!item) throw new Error(`order ${id} has no item`)
  const { nftId, listingId, quantity, priceCents, priceCurrency } = item
  const { buyerId, custom, paid } = stored
  const field = fieldsOf(input)
  // It was removed with the data of a buyer who was forgotten.
  const isSameCustom =
    stored.buyerRemovedAt !== null || canonicalJson(input.custom) === canonicalJson(custom)
  const isSamePayment = canonicalJson(input.paid) === canonicalJson(paid)
  const fields: [field: keyof NewOrder, given: unknown, stored: IssueDetails['stored']][] = [
    [field.nft, rows?.nft?.id, nftId],
    [field.listing, rows?.listing?.id, listingId],
    ['quantity', input.quantity, quantity],
    ['expectedPriceCents', input.expectedPriceCents ?? priceCents, priceCents],
    ['expectedCurrency', input.expectedCurrency ?? priceCurrency, priceCurrency],
    [input.buyer ? 'buyer' : 'buyerUserId', isBuyer(stored, input, rows) && buyerId, buyerId],
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
 * Whether an order names the buyer of the stored one. Nobody may have the address any more: the
 * person was forgotten or has unlinked it, and is not created again. Who has another one is another.
 */
function isBuyer(
  { buyerId, email, wallet }: Pick<Stored, 'buyerId' | 'email' | 'wallet'>,
  input: NewOrder,
  { buyers = [] }: Partial<NamedRows> = {},
): boolean {
  const isNobody = identityOf(input) !== undefined && buyers.length === 0
  const userId = input.buyerUserId ?? input.buyer?.userId
  const isGone = isNobody && (input.buyer?.email ? email : wallet) === ''
  return isGone || userId === buyerId || buyers.some(({ id }) => id === buyerId)
}

/**
 * Checks whether orders may be placed. Pure functions of the request and the rows it names.
 *
 * A user token learns here, from the first trip, that a listing is not that of its user: a 403, before
 * anything else of the order, before other problems of the call, and before an earlier call is looked
 * for (`requireOwnListings`). `refuseChanged` (`guards.ts`) compares the seller again in the second trip.
 */

import { needsPostalCode } from '../../addresses/postal-codes.ts'
import { actsForAll } from '../../auth/access.ts'
import { type ListingReason, whyNoOrders } from '../../db/sale.ts'
import { orderableStatuses } from '../../db/schema/catalogue.ts'
import { isUnlimited } from '../../db/stock.ts'
import { rules } from '../../delivery/reasons.ts'
import type { Ctx } from '../../http/context.ts'
import { type ErrorCode, type Issue, type IssueDetails, requireNone } from '../../http/errors.ts'
import type { ListingRow, NftRow } from '../reading/nft.ts'
import type { NamedOrder, OrderData } from './data.ts'
import type { NewOrder } from './new-order.ts'

/** What the checks of an order need besides its rows. */
type Check = {
  data: OrderData
  caller: Ctx['caller']
  now: Date
  /** The index of the order in the call. */
  i: number
  field: ReturnType<typeof namingFields>
  /** What messages call the NFT and the listing. */
  labels: ReturnType<typeof labelsOf>
  /** Pieces sold by the earlier orders of the call that no reservation holds: NFT id to number. */
  sold: Map<number, number>
  /** Provider ids of the earlier orders of the call, with their index. */
  providerIds: Map<string, number>
  /** `buyerKey` of buyers whose first billing address comes from an earlier order of the call. */
  newAddresses: Set<unknown>
  /** Adds an issue about a field of the order that is checked. */
  report: (
    field: keyof NewOrder | 'buyer.userId',
    code: ErrorCode,
    message: string,
    details?: IssueDetails,
  ) => void
}

/** Returns the fields by which an order names the rows. A reservation names a listing only. */
export function namingFields({ nftId, nft, listing: other, buyer }: NewOrder) {
  const listing = other ? 'listing' : 'listingId'
  return {
    nft: nft ? 'nft' : nftId ? 'nftId' : listing,
    listing,
    buyer: buyer ? 'buyer.userId' : 'buyerUserId',
  } as const
}

function labelsOf(order: NewOrder) {
  const listing = `listing ${order.listingId ?? JSON.stringify(order.listing)}`
  const nft = order.nftId ?? (order.nft && JSON.stringify(order.nft))
  return { nft: nft ? `NFT ${nft}` : `the NFT of ${listing}`, listing }
}

/**
 * Returns why these orders cannot be placed: everything that is wrong, in the order of the call. A
 * record that is missing, or that the caller may not use, hides what follows from it. `listName` is
 * what the call has a list of; empty if it is one order.
 */
export function findProblems(
  { caller, now }: Pick<Ctx, 'caller' | 'now'>,
  data: OrderData,
  listName: OrderListName,
): Issue[] {
  const issues: Issue[] = []
  const call = { sold: new Map(), providerIds: new Map(), newAddresses: new Set() }
  for (const [i, order] of data.orders.entries()) {
    const { input } = order
    const prefix = listName && `${listName}[${i}].`
    const report: Check['report'] = (field, code, message, details) =>
      issues.push({ path: prefix + field, code, message, ...details })
    const names = { field: namingFields(input), labels: labelsOf(input) }
    checkOrder(order, { data, caller, now, i, ...names, ...call, report })
  }
  return issues
}

export type OrderListName = 'orders' | 'reservations' | ''

/** What refuses the caller, and not the order. */
const refusals: readonly string[] = [
  'not_your_listing',
  'seller_not_approved',
] satisfies ErrorCode[]

/**
 * Throws the problems if one of them is that the caller may not sell the listing. It comes before what an
 * earlier call has done: the caller may have lost the listing since.
 */
export function requireOwnListings(problems: readonly Issue[]): void {
  if (problems.some(({ code }) => refusals.includes(code))) requireNone(problems)
}

function checkOrder(order: NamedOrder, check: Check): void {
  const { caller, field, report } = check
  const { input, listing } = order
  if (caller.role !== 'master' && listing && listing.sellerId !== caller.userId) {
    const message = 'only the seller may place orders for this listing'
    report(field.listing, 'not_your_listing', message)
    return
  }
  if (caller.role !== 'master' && listing && !order.isSellerApproved) {
    const message = 'an administrator has to approve you before you place orders'
    report(field.listing, 'seller_not_approved', message)
    return
  }
  if (!checkProviderId(input, check)) return
  checkHold(order, check)
  const nft = findNft(order, check)
  checkListing({ ...order, nft }, check)
  if (listing) checkPrice(order, listing, check)
  if (nft) checkQuantity(order, nft, check)
  if (input.buyerUserId ?? input.buyer) checkBuyer(order, check)
}

function checkHold({ input, nft, listing, hold }: NamedOrder, { report }: Check): void {
  if (!input.reservationId) return
  if (!hold)
    report('reservationId', 'reservation_not_found', 'no such reservation is live and not used')
  else {
    const { listingId, nftId, quantity } = hold
    if (listing?.id === listingId && nft?.id === nftId && input.quantity === quantity) return
    const message = `it is for ${quantity} of NFT ${nftId} by listing ${listingId}`
    report('reservationId', 'reservation_mismatch', message)
  }
}

/** Returns the NFT, if it exists. */
function findNft({ nft, listing, hold }: NamedOrder, check: Check): NftRow | undefined {
  const { data, now, field, labels, report } = check
  if (!listing && field.nft === field.listing) return undefined
  const exists = nft && !nft.deletedAt
  const missingFiles = data.missingFiles.get(nft?.id ?? 0) ?? 0
  if (!exists) report(field.nft, 'nft_not_found', `there is no ${labels.nft}`)
  else if (!orderableStatuses.includes(nft.status) || nft.releaseAt > now.toISOString())
    report(field.nft, 'nft_not_released', `${labels.nft} is not released`)
  else if (missingFiles > 0 && !hold)
    report(
      field.nft,
      'content_missing',
      `${labels.nft}: ${missingFiles} of its files are not stored yet`,
    )
  return exists ? nft : undefined
}

/** What a reservation holds is sold even if the listing has ended since. */
function checkListing(order: NamedOrder, check: Check): void {
  const { listing, obstacle = null, untriedUntil = null, nft, hold } = order
  const { now, field, labels, report } = check
  const path = field.listing
  if (!listing) report(path, 'listing_not_found', `there is no ${labels.listing}`)
  else if (nft && listing.nftId !== nft.id)
    report(path, 'listing_mismatch', `${labels.listing} does not sell ${labels.nft}`)
  else if (hold) return
  else {
    const reason = whyNoOrders({ ...listing, obstacle, untriedUntil }, now.toISOString())
    if (reason) report(path, reason, describeListing(reason, order, check))
  }
}

/** Says why a listing takes no orders. */
function describeListing(reason: ListingReason, order: NamedOrder, { labels }: Check): string {
  switch (reason) {
    case 'listing_is_auction':
      return `${labels.listing} is an auction, and has no fixed price`
    case 'listing_inactive':
      return `${labels.listing} is not active`
    case 'listing_ended':
      return `${labels.listing} ended at ${order.listing?.activeTill}`
    case 'listing_not_checked':
      return `it is found out whether ${labels.listing} can be delivered, until ${order.untriedUntil} at the latest`
    default:
      return `${labels.listing}: ${rules[reason].sentence}`
  }
}

/** The price may have changed since the shop showed it to the customer. */
function checkPrice({ input, hold }: NamedOrder, listing: ListingRow, { labels, report }: Check) {
  const { priceCents, priceCurrency } = hold ?? listing
  const { expectedPriceCents, expectedCurrency } = input
  if (expectedPriceCents === undefined || expectedCurrency === undefined) return
  if (expectedPriceCents === priceCents && expectedCurrency === priceCurrency) return
  const message = `${hold ? 'the reservation' : labels.listing} asks ${priceCents} ${priceCurrency} in minor units for a piece`
  const prices = { expectedPriceCents, expectedCurrency, priceCents, priceCurrency }
  report('expectedPriceCents', 'price_changed', message, prices)
}

function checkQuantity(
  { input: { quantity }, listing, hold }: NamedOrder,
  nft: NftRow,
  { data, sold, labels, report }: Check,
): void {
  const most = listing && !hold ? largestQuantity(listing) : quantity
  if (quantity > most) {
    const message = `${labels.listing} sells at most ${most} per order`
    report('quantity', 'quantity_too_large', message)
  }
  const limit = data.maxPieces.get(nft.contractNetwork) ?? Infinity
  if (quantity > limit) {
    const message = `the network of ${labels.nft} delivers at most ${limit} per order`
    report('quantity', 'quantity_above_limit', message)
  }
  if (isUnlimited(nft.payload.amountType)) return
  const before = sold.get(nft.id) ?? 0
  const held = hold ? 0 : (data.held.get(nft.id) ?? 0)
  const left = Math.max(0, nft.availableAmount - held - before)
  const earlier = before > 0 ? ` after the ${before} of the earlier orders of this call` : ''
  const reserved = held > 0 ? `, and ${held} are reserved` : ''
  if (quantity > left)
    report('quantity', 'sold_out', `${labels.nft} has ${left} left${earlier}${reserved}`)
  else if (!hold && quantity <= Math.min(most, limit)) sold.set(nft.id, before + quantity)
}

/** The largest quantity of one order. The total price must be a safe integer, too. */
export const largestQuantity = ({
  amount,
  priceCents,
}: Pick<ListingRow, 'amount' | 'priceCents'>) =>
  Math.min(amount ?? Infinity, Math.floor(Number.MAX_SAFE_INTEGER / Math.max(priceCents, 1)))

/** The billing address of the request, if the fields of a place are given. */
export function newBillingAddress({ buyerBillingData: data }: NewOrder) {
  if (!data?.city || !data.country || !data.street) return null
  return data.postal || !needsPostalCode(data.country) ? data : null
}

/** The e-mail address or wallet by which an order names its buyer, whose account may be created. */
export const identityOf = ({ buyer }: NewOrder) => buyer?.email ?? buyer?.wallet

/** Returns what tells the buyers of a call apart. A wallet that nobody has proved is one for each chain. */
export const buyerKey = ({ input, buyers, chainId }: NamedOrder) =>
  buyers[0]?.id ?? (input.buyer?.wallet ? `${chainId}:${input.buyer.wallet}` : identityOf(input))

function checkBuyer(order: NamedOrder, { caller, field, newAddresses, report }: Check): void {
  const { input, buyers } = order
  const key = buyerKey(order)
  const id = input.buyerUserId ?? input.buyer?.userId
  // A shop does not learn whether somebody has an account, and a billing address.
  const isProbe = !actsForAll(caller) && identityOf(input) !== undefined
  if (!key) report(field.buyer, 'buyer_not_found', `there is no user ${id}`)
  else if (newBillingAddress(input)) {
    // Other billing data is kept for its own order only.
    if (actsForAll(caller)) newAddresses.add(key)
  } else if (isProbe || (!buyers[0]?.billingAddressId && !newAddresses.has(key)))
    report(
      'buyerBillingData',
      'no_billing_address',
      `must have city, street, country and postal (unless country is the ISO code of one without postal codes), as ${isProbe ? 'this token does not use those of others' : `${id ? `user ${id}` : 'the buyer'} has no billing address`}`,
    )
}

/**
 * Returns whether no other order has the provider id. An order that was placed before may have taken
 * the last piece itself, so nothing else of it is checked.
 */
function checkProviderId({ providerId }: NewOrder, check: Check): boolean {
  const { data, i, providerIds, report } = check
  if (!providerId) return true
  const orderId = data.placed.get(providerId)?.orderId
  const earlier = providerIds.get(providerId)
  if (orderId !== undefined)
    report('providerId', 'provider_id_used', `order ${orderId} already has it`, { orderId })
  else if (earlier !== undefined)
    report('providerId', 'provider_id_used', `orders[${earlier}] already has it`)
  else providerIds.set(providerId, i)
  return orderId === undefined && earlier === undefined
}

/**
 * Whether orders may be placed: a pure function of what was asked for and what was read.
 * Contract: "Orders", "Errors"; decisions: "Orders", "Who may do what".
 */
import type { Caller } from '../http/context.ts'
import { ApiError, type ErrorCode } from '../http/errors.ts'
import type { Listing, Nft } from './answer.ts'
import type { BuyerFacts, Facts } from './facts.ts'
import type { Element } from './input.ts'

type Postal = { city: string; country: string; postal: string; street: string }

/** An order that may be placed. */
export type Sale = {
  nft: Nft
  listing: Listing
  buyer: BuyerFacts
  quantity: number
  providerId: string | null
  /** The address to add to the buyer's book and to bill; null bills the first of the book. */
  newBillingAddress: Postal | null
}

/** Makes the error for a field of the element that is looked at. */
type Refuse = (field: keyof Element, problem: string, code?: ErrorCode) => ApiError

/**
 * Throws the first reason why an order cannot be placed: `invalid_input`, `forbidden` or
 * `provider_id_used`, with a message that names the element and the field.
 */
export function checkOrders(
  elements: readonly Element[],
  facts: Facts,
  caller: Caller,
  now: Date,
): Sale[] {
  const soldBefore = new Map<number, number>()
  const placedBefore = new Map<string, number>()
  const addedBefore = new Set<number>()
  return elements.map((element, i) => {
    const refuse: Refuse = (field, problem, code = 'invalid_input') =>
      new ApiError(code, `orders[${i}].${field}: ${problem}`)
    const listing = checkListing(element, facts, caller, now, refuse)
    const nft = checkNft(element, facts, listing, refuse)
    checkQuantity(element, nft, listing, soldBefore, refuse)
    const buyer = facts.buyers.get(element.buyerUserId)
    if (!buyer) throw refuse('buyerUserId', `there is no user ${element.buyerUserId}`)
    const newBillingAddress = checkBilling(element, buyer, addedBefore, refuse)
    const providerId = checkProviderId(element, i, facts, placedBefore, refuse)
    return { nft, listing, buyer, quantity: element.quantity, providerId, newBillingAddress }
  })
}

function checkListing(
  { listingId }: Element,
  facts: Facts,
  caller: Caller,
  now: Date,
  refuse: Refuse,
): Listing {
  const listing = facts.listings.get(listingId)
  if (!listing) throw refuse('listingId', `there is no listing ${listingId}`)
  if (caller.role !== 'master' && listing.sellerId !== caller.userId)
    throw refuse('listingId', 'only its seller may place orders for this listing', 'forbidden')
  if (!listing.active) throw refuse('listingId', `listing ${listingId} is not active`)
  if (listing.activeTill && listing.activeTill <= now.toISOString())
    throw refuse('listingId', `listing ${listingId} ended at ${listing.activeTill}`)
  return listing
}

function checkNft({ nftId, listingId }: Element, facts: Facts, listing: Listing, refuse: Refuse) {
  const nft = facts.nfts.get(nftId)
  if (!nft || nft.deletedAt) throw refuse('nftId', `there is no NFT ${nftId}`)
  if (nft.status !== 'released') throw refuse('nftId', `NFT ${nftId} is not released`)
  if (listing.nftId !== nftId)
    throw refuse('listingId', `listing ${listingId} is not one of NFT ${nftId}`)
  return nft
}

function checkQuantity(
  { quantity }: Element,
  nft: Nft,
  listing: Listing,
  soldBefore: Map<number, number>,
  refuse: Refuse,
): void {
  if (listing.amount !== null && quantity > listing.amount)
    throw refuse('quantity', `listing ${listing.id} sells at most ${listing.amount} at once`)
  if (!Number.isSafeInteger(listing.priceCents * quantity))
    throw refuse('quantity', 'the price would be too large')
  if (isUnlimited(nft)) return
  const before = soldBefore.get(nft.id) ?? 0
  if (before + quantity > nft.availableAmount) {
    const others = before > 0 ? ` after the ${before} of the orders before` : ''
    throw refuse('quantity', `NFT ${nft.id} has ${nft.availableAmount - before} left${others}`)
  }
  soldBefore.set(nft.id, before + quantity)
}

/** An NFT of which no order takes anything away. */
export const isUnlimited = ({ payload }: Nft): boolean => payload.amountType === 'unlimited'

/** Billing address rules 1 to 3. */
function checkBilling(
  { buyerBillingData }: Element,
  buyer: BuyerFacts,
  addedBefore: Set<number>,
  refuse: Refuse,
): Postal | null {
  const { city, country, postal, street } = buyerBillingData ?? {}
  if (city && country && postal && street) {
    addedBefore.add(buyer.id)
    return { city, country, postal, street }
  }
  if (buyer.billingAddressId === null && !addedBefore.has(buyer.id))
    throw refuse(
      'buyerBillingData',
      `must have city, country, postal and street, as user ${buyer.id} has no billing address`,
    )
  return null
}

function checkProviderId(
  { providerId }: Element,
  i: number,
  facts: Facts,
  placedBefore: Map<string, number>,
  refuse: Refuse,
): string | null {
  if (!providerId) return null
  const orderId = facts.providerIds.get(providerId)
  if (orderId !== undefined)
    throw refuse('providerId', `order ${orderId} already has it`, 'provider_id_used')
  const before = placedBefore.get(providerId)
  if (before !== undefined)
    throw refuse('providerId', `orders[${before}] already has it`, 'provider_id_used')
  placedBefore.set(providerId, i)
  return providerId
}

/** Checks whether orders may be placed. Pure functions of the request and the rows it names. */
import type { Caller } from '../http/context.ts'
import { ApiError, type ErrorCode } from '../http/errors.ts'
import type { Listing, Nft } from './answer.ts'
import type { OrderInput } from './input.ts'
import type { OrderData } from './load.ts'

/** Creates the error for a field of the order at this index. */
const problemAt =
  (i: number) =>
  (field: keyof OrderInput, message: string, code: ErrorCode = 'invalid_input') =>
    new ApiError(code, `orders[${i}].${field}: ${message}`)

/** Throws `forbidden` if a user token orders from a listing that its user does not sell. */
export function checkSeller(
  inputs: readonly OrderInput[],
  { listings }: OrderData,
  caller: Caller,
): void {
  if (caller.role === 'master') return
  for (const [i, { listingId }] of inputs.entries()) {
    const listing = listings.get(listingId)
    if (listing && listing.sellerId !== caller.userId)
      throw problemAt(i)(
        'listingId',
        'only the seller may place orders for this listing',
        'forbidden',
      )
  }
}

type Check = {
  data: OrderData
  caller: Caller
  now: Date
  /** Pieces sold by the earlier orders of the call: NFT id to number. */
  sold: Map<number, number>
  /** Provider ids of the earlier orders of the call, with their index. */
  providerIds: Map<string, number>
  /** Buyers whose first billing address comes from an earlier order of the call. */
  newAddresses: Set<number>
  /** Creates the error for a field of the order that is checked. */
  problem: ReturnType<typeof problemAt>
}

/**
 * Throws the first reason why orders that the caller may place cannot be placed: `invalid_input` or
 * `provider_id_used`, with a message that names the order and the field.
 */
export function checkOrders(
  inputs: readonly OrderInput[],
  data: OrderData,
  caller: Caller,
  now: Date,
): void {
  const call = { sold: new Map(), providerIds: new Map(), newAddresses: new Set<number>() }
  for (const [i, input] of inputs.entries()) {
    const check: Check = { data, caller, now, ...call, problem: problemAt(i) }
    const listing = checkListing(input, check)
    const nft = checkNft(input, listing, check)
    checkQuantity(input, nft, listing, check)
    checkBuyer(input, check)
    checkProviderId(input, i, check)
  }
}

function checkListing({ listingId }: OrderInput, { data, now, problem }: Check): Listing {
  const listing = data.listings.get(listingId)
  if (!listing) throw problem('listingId', `there is no listing ${listingId}`)
  if (!listing.active) throw problem('listingId', `listing ${listingId} is not active`)
  if (listing.activeTill && listing.activeTill <= now.toISOString())
    throw problem('listingId', `listing ${listingId} ended at ${listing.activeTill}`)
  return listing
}

function checkNft({ nftId }: OrderInput, listing: Listing, { data, problem }: Check): Nft {
  const nft = data.nfts.get(nftId)
  if (!nft || nft.deletedAt) throw problem('nftId', `there is no NFT ${nftId}`)
  if (nft.status !== 'released') throw problem('nftId', `NFT ${nftId} is not released`)
  if (listing.nftId !== nftId)
    throw problem('listingId', `listing ${listing.id} does not sell NFT ${nftId}`)
  return nft
}

function checkQuantity(
  { quantity }: OrderInput,
  nft: Nft,
  listing: Listing,
  { sold, problem }: Check,
): void {
  if (listing.amount !== null && quantity > listing.amount)
    throw problem('quantity', `listing ${listing.id} sells at most ${listing.amount} per order`)
  if (!Number.isSafeInteger(listing.priceCents * quantity))
    throw problem('quantity', 'the total price would be too large')
  if (isUnlimited(nft)) return
  const before = sold.get(nft.id) ?? 0
  if (before + quantity > nft.availableAmount) {
    const earlier = before > 0 ? ` after the ${before} of the earlier orders of this call` : ''
    throw problem('quantity', `NFT ${nft.id} has ${nft.availableAmount - before} left${earlier}`)
  }
  sold.set(nft.id, before + quantity)
}

/** Whether orders do not reduce the stock of the NFT. */
export const isUnlimited = ({ payload }: Nft): boolean => payload.amountType === 'unlimited'

/** The billing address of the request, if all four fields are given. */
export function newBillingAddress({ buyerBillingData }: OrderInput) {
  const { city, country, postal, street } = buyerBillingData ?? {}
  return city && country && postal && street ? { city, country, postal, street } : null
}

function checkBuyer(input: OrderInput, check: Check): void {
  const { data, caller, newAddresses, problem } = check
  const buyer = data.buyers.get(input.buyerUserId)
  if (!buyer) throw problem('buyerUserId', `there is no user ${input.buyerUserId}`)
  if (newBillingAddress(input)) {
    // Billing data of a user token is kept for its own order only.
    if (caller.role === 'master') newAddresses.add(buyer.id)
  } else if (buyer.billingAddressId === null && !newAddresses.has(buyer.id))
    throw problem(
      'buyerBillingData',
      `must have city, country, postal and street, as user ${buyer.id} has no billing address`,
    )
}

/** Whether an earlier call has used the id is checked when the order is written. */
function checkProviderId({ providerId }: OrderInput, i: number, check: Check): void {
  const { providerIds, problem } = check
  if (!providerId) return
  const earlier = providerIds.get(providerId)
  if (earlier !== undefined)
    throw problem('providerId', `orders[${earlier}] already has it`, 'provider_id_used')
  providerIds.set(providerId, i)
}

/** Checks whether orders may be placed. Pure functions of the request and the rows it names. */
import type { Ctx } from '../http/context.ts'
import type { ErrorCode, Issue } from '../http/errors.ts'
import { isUnlimited, type Listing, type Nft } from './nft.ts'
import type { NewOrder } from './schema.ts'

type Buyer = {
  id: number
  /** `''` if the buyer has no wallet. */
  wallet: string
  /** The chain of a wallet that is a contract; 0 for a wallet with a key. */
  walletChainId: number
  /** The live billing address with the lowest id. */
  billingAddressId: number | null
}

/** The rows that the orders of a call name. Rows that do not exist are absent. */
export type OrderData = {
  nfts: Map<number, Nft>
  listings: Map<number, Listing>
  buyers: Map<number, Buyer>
  /** Orders of earlier calls in the namespace: provider id to order id. */
  placed: Map<string, number>
  /** The namespace of the caller's token. */
  namespace: string
  /** The most pieces that can be delivered at once, by the name of the network. */
  maxPieces: Map<string, number>
}

type Check = {
  data: OrderData
  caller: Ctx['caller']
  now: Date
  /** Pieces sold by the earlier orders of the call: NFT id to number. */
  sold: Map<number, number>
  /** Provider ids of the earlier orders of the call, with their index. */
  providerIds: Map<string, number>
  /** Buyers whose first billing address comes from an earlier order of the call. */
  newAddresses: Set<number>
  /** Adds an issue about a field of the order that is checked. */
  report: (field: keyof NewOrder, code: ErrorCode, message: string) => void
}

/**
 * Returns why these orders cannot be placed: everything that is wrong, in the order of the call. A
 * record that is missing, or that the caller may not use, hides what follows from it.
 */
export function findProblems(
  { caller, now }: Pick<Ctx, 'caller' | 'now'>,
  inputs: readonly NewOrder[],
  data: OrderData,
): Issue[] {
  const issues: Issue[] = []
  const call = { sold: new Map(), providerIds: new Map(), newAddresses: new Set<number>() }
  for (const [i, input] of inputs.entries()) {
    const report: Check['report'] = (field, code, message) =>
      issues.push({ path: `orders[${i}].${field}`, code, message })
    checkOrder(input, i, { data, caller, now, ...call, report })
  }
  return issues
}

function checkOrder(input: NewOrder, i: number, check: Check): void {
  const { data, caller, report } = check
  const listing = data.listings.get(input.listingId)
  if (caller.role !== 'master' && listing && listing.sellerId !== caller.userId) {
    const message = 'only the seller may place orders for this listing'
    report('listingId', 'not_your_listing', message)
    return
  }
  if (!checkProviderId(input, i, check)) return
  const nft = findNft(input, check)
  checkListing(input, listing, nft, check)
  if (nft) checkQuantity(input, nft, listing, check)
  checkBuyer(input, check)
}

/** Returns the NFT, if it exists. */
function findNft({ nftId }: NewOrder, { data, report }: Check): Nft | undefined {
  const nft = data.nfts.get(nftId)
  const exists = nft && !nft.deletedAt
  if (!exists) report('nftId', 'nft_not_found', `there is no NFT ${nftId}`)
  else if (nft.status !== 'released')
    report('nftId', 'nft_not_released', `NFT ${nftId} is not released`)
  return exists ? nft : undefined
}

function checkListing(
  { listingId, nftId }: NewOrder,
  listing: Listing | undefined,
  nft: Nft | undefined,
  { now, report }: Check,
): void {
  if (!listing) report('listingId', 'listing_not_found', `there is no listing ${listingId}`)
  else if (nft && listing.nftId !== nftId)
    report('listingId', 'listing_mismatch', `listing ${listingId} does not sell NFT ${nftId}`)
  else if (!listing.active)
    report('listingId', 'listing_inactive', `listing ${listingId} is not active`)
  else if (listing.activeTill && listing.activeTill <= now.toISOString())
    report('listingId', 'listing_ended', `listing ${listingId} ended at ${listing.activeTill}`)
}

function checkQuantity(
  { quantity }: NewOrder,
  nft: Nft,
  listing: Listing | undefined,
  { data, sold, report }: Check,
): void {
  const most = listing ? largestQuantity(listing) : quantity
  if (quantity > most) {
    const message = `listing ${listing?.id} sells at most ${most} per order`
    report('quantity', 'quantity_too_large', message)
  }
  const limit = data.maxPieces.get(nft.contractNetwork) ?? Infinity
  if (quantity > limit) {
    const message = `the network of NFT ${nft.id} delivers at most ${limit} per order`
    report('quantity', 'quantity_above_limit', message)
  }
  if (isUnlimited(nft)) return
  const before = sold.get(nft.id) ?? 0
  const left = nft.availableAmount - before
  const earlier = before > 0 ? ` after the ${before} of the earlier orders of this call` : ''
  if (quantity > left) report('quantity', 'sold_out', `NFT ${nft.id} has ${left} left${earlier}`)
  else if (quantity <= Math.min(most, limit)) sold.set(nft.id, before + quantity)
}

/** The largest quantity of one order. The total price must be a safe integer, too. */
const largestQuantity = ({ amount, priceCents }: Listing): number =>
  Math.min(amount ?? Infinity, Math.floor(Number.MAX_SAFE_INTEGER / Math.max(priceCents, 1)))

/** The billing address of the request, if the four fields of a place are given. */
export function newBillingAddress({ buyerBillingData }: NewOrder) {
  const { city, country, postal, street, companyName = null, taxId = null } = buyerBillingData ?? {}
  return city && country && postal && street
    ? { city, country, postal, street, companyName, taxId }
    : null
}

function checkBuyer(input: NewOrder, check: Check): void {
  const { data, caller, newAddresses, report } = check
  const buyer = data.buyers.get(input.buyerUserId)
  if (!buyer) report('buyerUserId', 'buyer_not_found', `there is no user ${input.buyerUserId}`)
  else if (newBillingAddress(input)) {
    // Billing data of a user token is kept for its own order only.
    if (caller.role === 'master') newAddresses.add(buyer.id)
  } else if (buyer.billingAddressId === null && !newAddresses.has(buyer.id))
    report(
      'buyerBillingData',
      'no_billing_address',
      `must have city, country, postal and street, as user ${buyer.id} has no billing address`,
    )
}

/**
 * Returns whether no other order has the provider id. An order that was placed before may have taken
 * the last piece itself, so nothing else of it is checked.
 */
function checkProviderId({ providerId }: NewOrder, i: number, check: Check): boolean {
  const { data, providerIds, report } = check
  if (!providerId) return true
  const [placed, earlier] = [data.placed.get(providerId), providerIds.get(providerId)]
  const other =
    placed === undefined ? earlier !== undefined && `orders[${earlier}]` : `order ${placed}`
  if (other) report('providerId', 'provider_id_used', `${other} already has it`)
  else providerIds.set(providerId, i)
  return !other
}

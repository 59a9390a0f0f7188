/** The answer to a call that places orders: what is written, and what only the transaction adds. */
import type { ItemRow, Listing, Nft, OrderRow, PlacedOrder } from './answer.ts'
import { isUnlimited, type Sale } from './check.ts'
import { ether } from './ether.ts'
import { byId, present } from './rows.ts'

/** All of the answer but the outcome. It is kept to answer the same call again. */
export type Draft = {
  orders: {
    order: Omit<OrderRow, 'id' | 'billingAddressId'>
    /** An address that is there, or the place of one among those that are added. */
    billing: { id: number } | { added: number }
    item: Omit<ItemRow, 'id' | 'orderId'>
  }[]
  nfts: Nft[]
  listings: Listing[]
  /** How many billing addresses are added. */
  added: number
}

/** What only the transaction knows. The ids that it gives to the rows of a table are consecutive. */
export type Outcome = {
  lastOrderId: number
  lastItemId: number
  lastAddressId: number | null
  /** The stock that is left, by NFT. */
  available: Record<string, number>
}

export function draftOf(sales: readonly Sale[], now: Date): Draft {
  const at = now.toISOString()
  const billing = billingOf(sales)
  return {
    orders: sales.map((sale, i) => ({
      order: orderOf(sale, at),
      billing: billing[i] ?? { added: 0 },
      item: itemOf(sale, at),
    })),
    nfts: distinct(sales.map(({ nft }) => nft)),
    listings: distinct(sales.map(({ listing }) => listing)),
    added: sales.filter(({ newBillingAddress }) => newBillingAddress).length,
  }
}

/** What is the same of every order that is placed here. */
export const ofEveryOrder = {
  paymentMethod: 'external',
  provider: 'external',
  payprovStxTransactionId: null,
  payprovPciTransactionId: null,
  status: 'paid',
  feesCollectedAt: null,
  ProductType: 'nft',
}

/** And of every item. */
export const ofEveryItem = { paymentProvider: 'external', ProductType: 'nft' }

function orderOf({ buyer, listing, quantity, providerId }: Sale, at: string) {
  return {
    ...ofEveryOrder,
    buyerId: buyer.id,
    providerId,
    payprovWebhookToken: crypto.randomUUID(),
    totalPriceCents: listing.priceCents * quantity,
    totalPriceCurrency: listing.priceCurrency,
    totalPriceEth: ether(BigInt(listing.priceWei) * BigInt(quantity)),
    failReason: null,
    createdAt: at,
    updatedAt: at,
  }
}

/** The prices of an item are those of one piece. */
function itemOf({ nft, listing, buyer, quantity }: Sale, at: string) {
  return {
    ...ofEveryItem,
    nftId: nft.id,
    listingId: listing.id,
    quantity,
    priceCents: listing.priceCents,
    priceEths: ether(BigInt(listing.priceWei)),
    ethRecipient: buyer.wallet || null,
    priceCurrency: listing.priceCurrency,
    txId: null,
    status: buyer.wallet ? null : ('awaiting_wallet' as const),
    createdAt: at,
    updatedAt: at,
  }
}

/** Billing address rules 1 and 2; the first of a buyer's may be one that an order before adds. */
function billingOf(sales: readonly Sale[]): Draft['orders'][number]['billing'][] {
  const firstAdded = new Map<number, number>()
  let added = 0
  return sales.map(({ buyer, newBillingAddress }) => {
    if (newBillingAddress) {
      if (!firstAdded.has(buyer.id)) firstAdded.set(buyer.id, added)
      return { added: added++ }
    }
    if (buyer.billingAddressId !== null) return { id: buyer.billingAddressId }
    return { added: firstAdded.get(buyer.id) ?? 0 }
  })
}

/** The same for the same draft and outcome, whenever it is asked for. */
export function answerOf(draft: Draft, outcome: Outcome): PlacedOrder[] {
  const { orders, added } = draft
  const updatedAt = orders[0]?.order.updatedAt ?? ''
  const nfts = byId(
    draft.nfts.map((nft) => {
      const availableAmount = outcome.available[nft.id] ?? nft.availableAmount
      return isUnlimited(nft) ? nft : { ...nft, availableAmount, updatedAt }
    }),
  )
  const listings = byId(draft.listings)
  const firstOrderId = outcome.lastOrderId - orders.length + 1
  const firstItemId = outcome.lastItemId - orders.length + 1
  const firstAddressId = (outcome.lastAddressId ?? 0) - added + 1
  return orders.map(({ order, billing, item }, i) => {
    return {
      id: firstOrderId + i,
      billingAddressId: 'id' in billing ? billing.id : firstAddressId + billing.added,
      ...order,
      orderItems: [
        {
          id: firstItemId + i,
          orderId: firstOrderId + i,
          ...item,
          nft: present(nfts, item.nftId),
          listing: present(listings, item.listingId),
        },
      ],
    }
  })
}

const distinct = <Row extends { id: number }>(rows: readonly Row[]): Row[] => [
  ...byId(rows).values(),
]

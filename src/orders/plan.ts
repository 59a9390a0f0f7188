/** The plan of a placement: everything that is written and answered, except what the database adds. */
import type { Hex } from 'viem'
import { formatEther } from 'viem/utils'
import { NOT_CONFIGURED } from '../delivery/engine/moves.ts'
import type { Settings } from '../env.ts'
import type { Caller } from '../http/context.ts'
import type { Listing, Nft, PlacedOrder } from './answer.ts'
import { isUnlimited, newBillingAddress } from './check.ts'
import type { OrderInput } from './input.ts'
import type { OrderData } from './load.ts'
import { visibleOrder } from './visible.ts'

type NewBillingAddress = NonNullable<ReturnType<typeof newBillingAddress>>
type Item = PlacedOrder['orderItems'][number]

/** `chainId` is null if the network of the NFT is not configured: the item fails at once. */
type PlannedDelivery = { key: Hex; chainId: number | null }

type PlannedOrder = {
  order: Omit<PlacedOrder, 'id' | 'billingAddressId' | 'orderItems'>
  item: Omit<Item, 'id' | 'orderId' | 'nft' | 'listing'>
  /** Stored with the item, and not in the answer. */
  recipientChainId: number
  sellerId: number
  /** Id of an existing billing address, or the index of a new one in `newAddresses`. */
  billing: { id: number } | { newAddress: number }
  delivery: PlannedDelivery
}

export type Plan = {
  orders: PlannedOrder[]
  newAddresses: ({ userId: number } & NewBillingAddress)[]
  /** As they were read; the transaction fails if a price has changed. */
  nfts: Nft[]
  listings: Listing[]
}

/** What the transaction adds. The ids that one INSERT assigns are consecutive. */
export type WriteResult = {
  lastOrderId: number
  lastItemId: number
  lastAddressId: number | null
  /** Stock after the sale: NFT id to pieces. */
  available: Record<string, number>
}

/** The columns that are the same for every order. */
export const orderConstants = {
  paymentMethod: 'external',
  provider: 'external',
  payprovStxTransactionId: null,
  payprovPciTransactionId: null,
  status: 'paid',
  feesCollectedAt: null,
  ProductType: 'nft',
}

/** The columns that are the same for every order item. */
export const itemConstants = { paymentProvider: 'external', ProductType: 'nft' }

/** Plans orders without problems. `keys` are the delivery keys, by position. */
export function planOrders(
  inputs: readonly OrderInput[],
  data: OrderData,
  keys: readonly Hex[],
  networks: Settings['NETWORKS'],
  now: Date,
): Plan {
  const timestamps = { createdAt: now.toISOString(), updatedAt: now.toISOString() }
  const newAddresses: Plan['newAddresses'] = []
  const keyAt = new Map(keys.entries())
  const orders = inputs.map((input, i): PlannedOrder => {
    const nft = required(data.nfts, input.nftId)
    const listing = required(data.listings, input.listingId)
    const buyer = required(data.buyers, input.buyerUserId)
    const chainId = networks[nft.contractNetwork]?.chainId ?? null
    const isUndeliverable = chainId === null && buyer.wallet !== ''
    const address = newBillingAddress(input)
    if (address) newAddresses.push({ userId: buyer.id, ...address })
    const firstNew = newAddresses.findIndex(({ userId }) => userId === buyer.id)
    return {
      order: {
        ...orderConstants,
        buyerId: buyer.id,
        providerId: input.providerId || null,
        payprovWebhookToken: crypto.randomUUID(),
        totalPriceCents: listing.priceCents * input.quantity,
        totalPriceCurrency: listing.priceCurrency,
        totalPriceEth: formatEther(BigInt(listing.priceWei) * BigInt(input.quantity)),
        failReason: isUndeliverable ? NOT_CONFIGURED : null,
        ...timestamps,
      },
      item: {
        ...itemConstants,
        nftId: input.nftId,
        listingId: listing.id,
        quantity: input.quantity,
        priceCents: listing.priceCents,
        priceEths: formatEther(BigInt(listing.priceWei)),
        ethRecipient: buyer.wallet || null,
        priceCurrency: listing.priceCurrency,
        txId: null,
        status: isUndeliverable ? 'failed' : buyer.wallet ? null : 'awaiting_wallet',
        ...timestamps,
      },
      recipientChainId: buyer.walletChainId,
      sellerId: listing.sellerId,
      billing: address
        ? { newAddress: newAddresses.length - 1 }
        : buyer.billingAddressId !== null
          ? { id: buyer.billingAddressId }
          : { newAddress: firstNew },
      delivery: { key: required(keyAt, i), chainId },
    }
  })
  return {
    orders,
    newAddresses,
    nfts: [...data.nfts.values()],
    listings: [...data.listings.values()],
  }
}

/** Builds the response. The same caller, plan and result always give the same response. */
export function placedOrders(caller: Caller, plan: Plan, result: WriteResult): PlacedOrder[] {
  const updatedAt = plan.orders[0]?.order.updatedAt ?? ''
  const nfts = new Map(
    plan.nfts.map((nft) => {
      const availableAmount = result.available[nft.id] ?? nft.availableAmount
      return [nft.id, isUnlimited(nft) ? nft : { ...nft, availableAmount, updatedAt }]
    }),
  )
  const listings = new Map(plan.listings.map((listing) => [listing.id, listing]))
  const firstOrderId = result.lastOrderId - plan.orders.length + 1
  const firstItemId = result.lastItemId - plan.orders.length + 1
  const firstAddressId = (result.lastAddressId ?? 0) - plan.newAddresses.length + 1
  return plan.orders.map(({ order, billing, item }, i) => ({
    id: firstOrderId + i,
    billingAddressId: 'id' in billing ? billing.id : firstAddressId + billing.newAddress,
    ...visibleOrder(caller, order),
    orderItems: [
      {
        id: firstItemId + i,
        orderId: firstOrderId + i,
        ...item,
        nft: required(nfts, item.nftId),
        listing: required(listings, item.listingId),
      },
    ],
  }))
}

function required<Row>(rows: Map<number, Row>, id: number): Row {
  const row = rows.get(id)
  if (row === undefined) throw new Error(`row ${id} was not read`)
  return row
}

/** Plans what placing orders writes. The database adds the ids and the stock that is left. */
import { formatEther } from 'viem/utils'
import type { deliveries, ReasonCode } from '../db/schema/delivery.ts'
import { makeKeys } from '../delivery/key.ts'
import { explain } from '../delivery/reasons.ts'
import type { Settings } from '../env.ts'
import type { Caller } from '../http/context.ts'
import { newBillingAddress, type OrderData } from './check.ts'
import { isUnlimited, type Listing, type Nft } from './nft.ts'
import { buildOrder, byId, type ItemRow, type OrderRow, requireRow } from './order.ts'
import type { NewOrder, PlacedOrder } from './schema.ts'

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

type Added = 'id' | 'orderId' | 'billingAddressId' | 'createdAt' | 'updatedAt'

/** The rows of an order, without ids and times, and without the constants above. */
type PlannedOrder = {
  order: Omit<OrderRow, Added | keyof typeof orderConstants>
  /** Id of an existing billing address, or the position of a new one in `newAddresses`. */
  billing: { billingAddressId: number } | { newAddress: number }
  item: Omit<ItemRow, Added | keyof typeof itemConstants | 'delivery'>
  /** Columns of the item that responses do not show. */
  hidden: { sellerId: number; recipientChainId: number }
  delivery: Pick<
    typeof deliveries.$inferInsert,
    'key' | 'awaits' | 'dueAt' | 'queuedAt' | 'failingSince'
  > & {
    /** Null if the network of the NFT is not configured. */
    chainId: number | null
    state: 'awaiting_wallet' | 'queued'
    reasonCode: ReasonCode | null
    reason: string | null
  }
}

type NewAddress = NonNullable<ReturnType<typeof newBillingAddress>> & { userId: number }

export type Plan = {
  placedAt: string
  orders: PlannedOrder[]
  newAddresses: NewAddress[]
  /** As they were read. Nothing is written if a price has changed since. */
  nfts: Nft[]
  listings: Listing[]
}

/** What the transaction adds. The ids that one INSERT assigns are consecutive. */
export type Written = {
  lastOrderId: number
  lastItemId: number
  lastAddressId: number | null
  /** Stock after the sale: NFT id to pieces. */
  available: Record<string, number>
}

type PlanCtx = { now: Date; settings: Pick<Settings, 'NETWORKS' | 'DELIVERY_KEY_SECRET'> }

/** Plans orders that may be placed. */
export async function planOrders(
  { now, settings }: PlanCtx,
  inputs: readonly NewOrder[],
  data: OrderData,
): Promise<Plan> {
  const { namespace } = data
  const sources = inputs.map(({ providerId }) => ({ namespace, providerId: providerId || null }))
  const keys = new Map((await makeKeys(settings.DELIVERY_KEY_SECRET, sources)).entries())
  const placedAt = now.toISOString()
  const newAddresses: NewAddress[] = []
  const orders = inputs.map((input, i): PlannedOrder => {
    const nft = requireRow(data.nfts, input.nftId)
    const listing = requireRow(data.listings, input.listingId)
    const buyer = requireRow(data.buyers, input.buyerUserId)
    const address = newBillingAddress(input)
    if (address) newAddresses.push({ userId: buyer.id, ...address })
    const chainId = settings.NETWORKS[nft.contractNetwork]?.chainId ?? null
    return {
      order: {
        buyerId: buyer.id,
        providerId: input.providerId || null,
        payprovWebhookToken: crypto.randomUUID(),
        totalPriceCents: listing.priceCents * input.quantity,
        totalPriceCurrency: listing.priceCurrency,
        totalPriceEth: formatEther(BigInt(listing.priceWei) * BigInt(input.quantity)),
      },
      billing: address
        ? { newAddress: newAddresses.length - 1 }
        : buyer.billingAddressId !== null
          ? { billingAddressId: buyer.billingAddressId }
          : { newAddress: newAddresses.findIndex(({ userId }) => userId === buyer.id) },
      item: {
        nftId: nft.id,
        listingId: listing.id,
        quantity: input.quantity,
        priceCents: listing.priceCents,
        priceEths: formatEther(BigInt(listing.priceWei)),
        ethRecipient: buyer.wallet || null,
        priceCurrency: listing.priceCurrency,
      },
      hidden: { sellerId: listing.sellerId, recipientChainId: buyer.walletChainId },
      delivery: { key: requireRow(keys, i), chainId, ...firstState(buyer, chainId, placedAt) },
    }
  })
  const [nfts, listings] = [[...data.nfts.values()], [...data.listings.values()]]
  return { placedAt, orders, newAddresses, nfts, listings }
}

/** An item waits for the wallet of its buyer, or is due at once. */
function firstState(buyer: { id: number; wallet: string }, chainId: number | null, now: string) {
  const none = { awaits: null, dueAt: null, queuedAt: null, failingSince: null }
  const noReason = { reasonCode: null, reason: null }
  if (!buyer.wallet)
    return { ...none, ...noReason, state: 'awaiting_wallet', awaits: buyer.id } as const
  const queued = { ...none, state: 'queued', dueAt: now, queuedAt: now } as const
  return chainId === null
    ? { ...queued, failingSince: now, ...explain('network_not_configured') }
    : { ...queued, ...noReason }
}

/** Builds the response. The same caller, plan and ids always give the same response. */
export function placedOrders(caller: Caller, plan: Plan, written: Written): PlacedOrder[] {
  const { placedAt } = plan
  const times = { createdAt: placedAt, updatedAt: placedAt }
  const nfts = plan.nfts.map((nft) => {
    const availableAmount = written.available[nft.id] ?? nft.availableAmount
    return isUnlimited(nft) ? nft : { ...nft, availableAmount, updatedAt: placedAt }
  })
  const sold = { nfts: byId(nfts), listings: byId(plan.listings) }
  const firstOrderId = written.lastOrderId - plan.orders.length + 1
  const firstItemId = written.lastItemId - plan.orders.length + 1
  const firstAddressId = (written.lastAddressId ?? 0) - plan.newAddresses.length + 1
  return plan.orders.map(({ order, billing, item, delivery }, i) => {
    const orderId = firstOrderId + i
    const billingAddressId =
      'newAddress' in billing ? firstAddressId + billing.newAddress : billing.billingAddressId
    const { state, reason } = delivery
    const shown = { state, reason, changedAt: placedAt, txId: null, sentAt: null }
    return buildOrder(caller, {
      order: { id: orderId, billingAddressId, ...orderConstants, ...order, ...times },
      items: [
        {
          id: firstItemId + i,
          orderId,
          ...itemConstants,
          ...item,
          createdAt: placedAt,
          delivery: shown,
        },
      ],
      sold,
    })
  })
}

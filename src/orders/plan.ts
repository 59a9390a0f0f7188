/** Plans what placing orders writes. The database adds the ids and the stock that is left. */
import { formatEther } from 'viem/utils'
import type { deliveries, ReasonCode } from '../db/schema/delivery.ts'
import type { users } from '../db/schema/users.ts'
import { makeKeys } from '../delivery/key.ts'
import { explain } from '../delivery/reasons.ts'
import type { Settings } from '../env.ts'
import type { Caller } from '../http/context.ts'
import { hashIdentity } from '../identity/namespace.ts'
import { buyerKey, identityOf, newBillingAddress, type OrderData } from './check.ts'
import type { NewOrder } from './new-order.ts'
import { isUnlimited, type Listing, type Nft } from './nft.ts'
import { buildOrder, byId, type ItemRow, type OrderRow, requireRow } from './order.ts'
import type { PlacedOrder } from './schema.ts'

type Added = 'id' | 'orderId' | 'buyerId' | 'billingAddressId' | 'createdAt'

/** Id of a user, or the position of a new one in `newUsers`. */
type UserReference = { userId: number } | { newUser: number }

/** The rows of an order, without ids and times. */
type PlannedOrder = {
  order: Omit<OrderRow, Added>
  buyer: UserReference
  /** Id of an existing billing address, or the position of a new one in `newAddresses`. */
  billing: { billingAddressId: number } | { newAddress: number }
  /** The shop's own texts, which responses do not show. */
  custom: NewOrder['custom']
  item: Omit<ItemRow, Added | 'delivery'>
  /** Columns of the item that responses do not show. */
  hidden: { sellerId: number; recipientChainId: number }
  delivery: Pick<typeof deliveries.$inferInsert, 'key' | 'dueAt' | 'queuedAt' | 'failingSince'> & {
    /** Null if the network of the NFT is not configured. */
    chainId: number | null
    state: 'awaiting_wallet' | 'queued'
    reasonCode: ReasonCode | null
    reasonDetail: string | null
  }
}

/** A user who has proved nothing yet. `hash` is that of the identity. */
type NewUser = Pick<typeof users.$inferInsert, 'provider' | 'email' | 'ethereumPublicAddr'> & {
  hash: string
}
type NewAddress = NonNullable<ReturnType<typeof newBillingAddress>> & UserReference

export type Plan = {
  placedAt: string
  orders: PlannedOrder[]
  newUsers: NewUser[]
  newAddresses: NewAddress[]
  /** As they were read. Nothing is written if a price has changed since. */
  nfts: Nft[]
  listings: Listing[]
}

/** What a response shows of a plan. */
export type ShownPlan = Pick<Plan, 'placedAt' | 'nfts' | 'listings'> & {
  orders: readonly (Pick<PlannedOrder, 'order' | 'buyer' | 'billing' | 'item'> & {
    delivery: Pick<PlannedOrder['delivery'], 'state'>
  })[]
  newUsers: { length: number }
  newAddresses: { length: number }
}

/** What the transaction adds. The ids that one INSERT assigns are consecutive. */
export type Written = {
  lastOrderId: number
  lastItemId: number
  lastUserId: number
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
  const newUsers = new Map<unknown, NewUser>()
  const newAddresses: NewAddress[] = []
  /** The first new address of a buyer, by `buyerKey`. */
  const firstAddresses = new Map<unknown, number>()
  const [nfts, listings] = [new Map<number, Nft>(), new Map<number, Listing>()]
  const orders = inputs.map((input, i): PlannedOrder => {
    const { nft, listing, hold, buyers: [found] = [] } = data.named[i] ?? {}
    if (!nft || !listing) throw new Error('the orders were not checked')
    const { priceCents, priceWei, priceCurrency } = hold ?? listing
    nfts.set(nft.id, nft)
    listings.set(listing.id, listing)
    const key = buyerKey(input, found)
    if (!found && !newUsers.has(key)) newUsers.set(key, newUser(input))
    const buyer = found ? { userId: found.id } : { newUser: [...newUsers.keys()].indexOf(key) }
    const address = newBillingAddress(input)
    if (address) {
      if (!firstAddresses.has(key)) firstAddresses.set(key, newAddresses.length)
      newAddresses.push({ ...buyer, ...address })
    }
    const wallet = found?.wallet ?? input.buyer?.wallet ?? ''
    const chainId = settings.NETWORKS[nft.contractNetwork]?.chainId ?? null
    return {
      order: {
        providerId: input.providerId || null,
        payprovWebhookToken: crypto.randomUUID(),
        totalPriceCents: priceCents * input.quantity,
        totalPriceCurrency: priceCurrency,
        totalPriceEth: formatEther(BigInt(priceWei) * BigInt(input.quantity)),
      },
      buyer,
      billing: address
        ? { newAddress: newAddresses.length - 1 }
        : found?.billingAddressId
          ? { billingAddressId: found.billingAddressId }
          : { newAddress: firstAddresses.get(key) ?? 0 },
      custom: input.custom,
      item: {
        nftId: nft.id,
        listingId: listing.id,
        quantity: input.quantity,
        priceCents,
        priceEths: formatEther(BigInt(priceWei)),
        ethRecipient: wallet || null,
        priceCurrency,
      },
      hidden: { sellerId: listing.sellerId, recipientChainId: found?.walletChainId ?? 0 },
      delivery: { key: requireRow(keys, i), chainId, ...firstState(wallet, chainId, placedAt) },
    }
  })
  const sold = { nfts: [...nfts.values()], listings: [...listings.values()] }
  return { placedAt, orders, newUsers: [...newUsers.values()], newAddresses, ...sold }
}

/** Returns the user who is created for a buyer whom nobody knows. */
function newUser(input: NewOrder): NewUser {
  const value = identityOf(input) ?? ''
  const provider = input.buyer?.email ? 'email' : 'wallet'
  const [email, wallet] = provider === 'email' ? [value, ''] : ['', value]
  return { provider, email, ethereumPublicAddr: wallet, hash: hashIdentity(provider, value) }
}

/** An item waits for the wallet of its buyer, or is due at once. */
function firstState(wallet: string, chainId: number | null, now: string) {
  const none = { dueAt: null, queuedAt: null, failingSince: null }
  const noReason = { reasonCode: null, reasonDetail: null }
  if (!wallet) return { ...none, ...noReason, state: 'awaiting_wallet' } as const
  const queued = { ...none, state: 'queued', dueAt: now, queuedAt: now } as const
  return chainId === null
    ? { ...queued, failingSince: now, ...explain('network_not_configured') }
    : { ...queued, ...noReason }
}

/** What is shown of a delivery that has not begun: a reason is shown of failed ones only. */
const unsent = { reasonCode: null, reasonDetail: null, txId: null, sentAt: null }

/** Builds the response. The same caller, plan and ids always give the same response. */
export function placedOrders(caller: Caller, plan: ShownPlan, written: Written): PlacedOrder[] {
  const { placedAt } = plan
  const nfts = plan.nfts.map((nft) => {
    const availableAmount = written.available[nft.id] ?? nft.availableAmount
    return isUnlimited(nft) ? nft : { ...nft, availableAmount, updatedAt: placedAt }
  })
  const sold = { nfts: byId(nfts), listings: byId(plan.listings) }
  const firstOrderId = written.lastOrderId - plan.orders.length + 1
  const firstItemId = written.lastItemId - plan.orders.length + 1
  const firstUserId = written.lastUserId - plan.newUsers.length + 1
  const firstAddressId = (written.lastAddressId ?? 0) - plan.newAddresses.length + 1
  return plan.orders.map(({ order, buyer, billing, item, delivery }, i) => {
    const orderId = firstOrderId + i
    const buyerId = 'newUser' in buyer ? firstUserId + buyer.newUser : buyer.userId
    const billingAddressId =
      'newAddress' in billing ? firstAddressId + billing.newAddress : billing.billingAddressId
    const shown = { ...unsent, state: delivery.state, changedAt: placedAt }
    return buildOrder(caller, {
      order: { id: orderId, buyerId, billingAddressId, ...order, createdAt: placedAt },
      items: [{ id: firstItemId + i, orderId, ...item, delivery: shown }],
      sold,
    })
  })
}

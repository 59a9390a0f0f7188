/** Plans what placing orders writes. The database adds the ids and the stock that is left. */
import type { Hex } from 'viem'
import { formatEther } from 'viem/utils'
import { makeKeys } from '../delivery/key.ts'
import { explain } from '../delivery/reasons.ts'
import type { Settings } from '../env.ts'
import type { DueEndpoint } from '../events/wake.ts'
import { hashIdentity } from '../identity/namespace.ts'
import type { Viewer } from './buyer.ts'
import { buyerKey, identityOf, newBillingAddress, type OrderData } from './check.ts'
import type { NewOrder } from './new-order.ts'
import type { Listing, Nft } from './nft.ts'
import { buildOrder, byId, type ItemRow, type OrderRow, requireRow } from './order.ts'
import type { PlacedOrder } from './schema.ts'

type Added = 'id' | 'orderId' | 'buyerId' | 'billingAddressId' | 'createdAt'

/** Id of a user, or the hash of one in `newUsers`. */
type UserReference = { userId: number } | { identityHash: string }

/** The rows of an order, without ids and times. `payprovWebhookToken` identifies the order. */
type PlannedOrder = {
  order: Omit<OrderRow, Added>
  buyer: UserReference
  /** Id of a billing address, or the key of one in `newAddresses`. */
  billing: { billingAddressId: number } | { placementKey: string }
  /** What the shop keeps with it, which orders of responses do not show. */
  custom: NewOrder['custom']
  paid: NewOrder['paid']
  /** With columns that responses do not show. */
  item: Omit<ItemRow, Added | 'delivery'> & { sellerId: number; recipientChainId: number }
  /** `chainId` is null if the network of the NFT is not configured. */
  delivery: ReturnType<typeof firstState> & { key: Hex; chainId: number | null }
}

type NewUser = ReturnType<typeof newUser>
type NewAddress = NonNullable<ReturnType<typeof newBillingAddress>> &
  UserReference & { placementKey: string }

export type Plan = {
  placedAt: string
  orders: PlannedOrder[]
  newUsers: NewUser[]
  newAddresses: NewAddress[]
  /** As they were read. Nothing is written if a price has changed since. */
  nfts: Nft[]
  listings: Listing[]
}

/** What the database has added to a plan. */
export type Written = {
  orders: OrderRow[]
  items: Pick<ItemRow, 'id' | 'orderId'>[]
  /** The NFTs that may be sold out, with the pieces that are left. */
  stock: Pick<Nft, 'id' | 'availableAmount'>[]
  /** The webhook endpoints that are to be woken. */
  endpoints: DueEndpoint[]
}

type PlanCtx = { now: Date; settings: Pick<Settings, 'NETWORKS' | 'DELIVERY_KEY_SECRET'> }

/** Plans orders that may be placed. */
export async function planOrders(
  { now, settings }: PlanCtx,
  inputs: readonly NewOrder[],
  { namespace, rows }: OrderData,
): Promise<Plan> {
  const sources = inputs.map(({ providerId }) => ({ namespace, providerId: providerId || null }))
  const keys = await makeKeys(settings.DELIVERY_KEY_SECRET, sources)
  const placedAt = now.toISOString()
  const newUsers = new Map<string, NewUser>()
  const newAddresses: NewAddress[] = []
  /** The key of the first new address of a buyer, by `buyerKey`. */
  const firstAddresses = new Map<unknown, string>()
  const nfts = new Map<number, Nft>()
  const listings = new Map<number, Listing>()

  const planBuyer = (input: NewOrder, known: { id: number } | undefined): UserReference => {
    if (known) return { userId: known.id }
    const user = newUser(input)
    // The first order of the call that names a language decides.
    const locale = newUsers.get(user.identityHash)?.locale ?? user.locale
    newUsers.set(user.identityHash, { ...user, locale })
    return { identityHash: user.identityHash }
  }
  const orders = inputs.map((input, i): PlannedOrder => {
    const { nft, listing, hold, buyers: [known] = [] } = rows[i] ?? {}
    const key = keys[i]
    if (!nft || !listing || !key) throw new Error('the orders were not checked')
    nfts.set(nft.id, nft)
    listings.set(listing.id, listing)
    const buyer = planBuyer(input, known)
    const whose = buyerKey(input, known)
    const address = newBillingAddress(input)
    const placementKey = crypto.randomUUID()
    if (address) newAddresses.push({ ...buyer, ...address, placementKey })
    if (address && !firstAddresses.has(whose)) firstAddresses.set(whose, placementKey)
    const { priceCents, priceWei, priceCurrency } = hold ?? listing
    const wallet = known?.wallet ?? input.buyer?.wallet ?? ''
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
        ? { placementKey }
        : known?.billingAddressId
          ? { billingAddressId: known.billingAddressId }
          : { placementKey: requireRow(firstAddresses, whose) },
      custom: input.custom,
      paid: input.paid,
      item: {
        nftId: nft.id,
        listingId: listing.id,
        quantity: input.quantity,
        priceCents,
        priceEths: formatEther(BigInt(priceWei)),
        ethRecipient: wallet || null,
        priceCurrency,
        sellerId: listing.sellerId,
        recipientChainId: known?.walletChainId ?? 0,
      },
      delivery: { key, chainId, ...firstState(wallet, chainId, placedAt) },
    }
  })
  const sold = { nfts: [...nfts.values()], listings: [...listings.values()] }
  return { placedAt, orders, newUsers: [...newUsers.values()], newAddresses, ...sold }
}

/** Returns the user who is created for a buyer whom nobody knows, and who has proved nothing yet. */
function newUser(input: NewOrder) {
  const value = identityOf(input) ?? ''
  const provider = input.buyer?.email ? 'email' : 'wallet'
  return {
    provider,
    email: provider === 'email' ? value : '',
    ethereumPublicAddr: provider === 'wallet' ? value : '',
    identityHash: hashIdentity(provider, value),
    locale: input.buyer?.locale ?? undefined,
  }
}

/** An item waits for the wallet of its buyer, or is due at once. */
function firstState(wallet: string, chainId: number | null, now: string) {
  const noReason = { failingSince: null, reasonCode: null, reasonDetail: null }
  if (!wallet)
    return { state: 'awaiting_wallet', dueAt: null, queuedAt: null, ...noReason } as const
  const queued = { state: 'queued', dueAt: now, queuedAt: now } as const
  return chainId === null
    ? { ...queued, failingSince: now, ...explain('network_not_configured') }
    : { ...queued, ...noReason }
}

/** Returns the chains on which a plan has something to deliver now. */
export const chainsToWake = ({ orders }: Plan): (number | null)[] =>
  orders.flatMap(({ delivery: { state, chainId } }) => (state === 'queued' ? chainId : []))

/** What is shown of a delivery that has not begun: a reason is shown of failed ones only. */
const unsent = { reasonCode: null, reasonDetail: null, txId: null, sentAt: null }

/** Builds the orders of a plan as the answer shows them. */
export function placedOrders(viewer: Viewer, plan: Plan, written: Written): PlacedOrder[] {
  const { placedAt } = plan
  const rows = new Map(written.orders.map((row) => [row.payprovWebhookToken, row]))
  const items = new Map(written.items.map((row) => [row.orderId, row]))
  const stock = byId(written.stock)
  const nfts = plan.nfts.map((nft) => {
    const left = stock.get(nft.id)
    return left ? { ...nft, ...left, updatedAt: placedAt } : nft
  })
  const sold = { nfts: byId(nfts), listings: byId(plan.listings) }
  return plan.orders.map(({ order: planned, item, delivery: { state } }) => {
    const { sellerId, recipientChainId, ...shown } = item
    const order = requireRow(rows, planned.payprovWebhookToken)
    const delivery = { ...unsent, state, changedAt: placedAt }
    return buildOrder(viewer, {
      order,
      items: [{ ...requireRow(items, order.id), ...shown, delivery }],
      sold,
    })
  })
}

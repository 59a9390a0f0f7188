/** Plans what placing orders writes. The database adds the ids and the stock that is left. */
import { bytesToHex, formatEther } from 'viem/utils'
import { makeKeys } from '../../delivery/key.ts'
import { explain } from '../../delivery/reasons.ts'
import { hashIdentity, hashWallet } from '../../identity/namespace.ts'
import { requireRow } from '../reading/order.ts'
import { buyerKey, newBillingAddress } from './check.ts'
import { type NamedOrder, type OrderData, type PlaceCtx, requireRows } from './data.ts'

type NewUser = ReturnType<typeof newUser>

/** Id of a user, or the hash of one in `newUsers`. */
type UserReference = { userId?: number; identityHash?: string }

/** Id of a billing address, or the key of one in `newAddresses`. */
type AddressReference = { billingAddressId?: number; placementKey?: string }

type NewAddress = NonNullable<ReturnType<typeof newBillingAddress>> &
  UserReference & { placementKey: string }

/** The rows to write, by column: of each order, and of its order item with the delivery. */
export type Plan = Awaited<ReturnType<typeof planOrders>>

export async function planOrders({ now, settings }: PlaceCtx, data: OrderData) {
  const { namespace } = data
  const numbers = data.orders.map(({ input }) => ({
    namespace,
    providerId: input.providerId || null,
  }))
  const keys = await makeKeys(settings.DELIVERY_KEY_SECRET, numbers)
  const placedAt = now.toISOString()
  const newUsers = new Map<string, NewUser>()
  const newAddresses: NewAddress[] = []
  /** The key of the first new address of a buyer, by `buyerKey`. */
  const firstAddresses = new Map<unknown, string>()

  const planBuyer = (order: NamedOrder): UserReference => {
    const [known] = order.buyers
    if (known) return { userId: known.id }
    const user = newUser(order)
    // The first order of the call that names a language decides.
    const locale = newUsers.get(user.identityHash)?.locale ?? user.locale
    newUsers.set(user.identityHash, { ...user, locale })
    return { identityHash: user.identityHash }
  }
  const planBilling = (order: NamedOrder, buyer: UserReference): AddressReference => {
    const whose = buyerKey(order)
    const address = newBillingAddress(order.input)
    if (address) {
      const placementKey = crypto.randomUUID()
      newAddresses.push({ ...buyer, ...address, placementKey })
      if (!firstAddresses.has(whose)) firstAddresses.set(whose, placementKey)
      return { placementKey }
    }
    const known = order.buyers[0]?.billingAddressId
    return known ? { billingAddressId: known } : { placementKey: requireRow(firstAddresses, whose) }
  }
  const orders = data.orders.map((named, i) => {
    const { input, hold, chainId } = named
    const { nft, listing } = requireRows(named)
    const key = keys[i]
    if (!key) throw new Error('there is no key for an order')
    const buyer = planBuyer(named)
    const [known] = named.buyers
    const { priceCents, priceWei, priceCurrency } = hold ?? listing
    const wallet = known?.wallet ?? input.buyer?.wallet ?? ''
    return {
      order: {
        providerId: input.providerId || null,
        // The key of the order in this plan, until it has an id.
        payprovWebhookToken: crypto.randomUUID(),
        claimSecret: bytesToHex(crypto.getRandomValues(new Uint8Array(16))).slice(2),
        totalPriceCents: priceCents * input.quantity,
        totalPriceCurrency: priceCurrency,
        totalPriceEth: formatEther(BigInt(priceWei) * BigInt(input.quantity)),
        ...buyer,
        ...planBilling(named, buyer),
        custom: input.custom,
        paid: input.paid,
      },
      orderItem: {
        nftId: nft.id,
        listingId: listing.id,
        quantity: input.quantity,
        priceCents,
        priceEths: formatEther(BigInt(priceWei)),
        ethRecipient: wallet || null,
        priceCurrency,
        sellerId: listing.sellerId,
        recipientChainId: known && !known.isGuest ? known.walletChainId : 0,
        key,
        chainId,
        ...firstState(wallet, chainId, placedAt),
      },
    }
  })
  return { placedAt, orders, newUsers: [...newUsers.values()], newAddresses }
}

/** Returns the user who is created for a buyer whom nobody knows, and who has proved nothing yet. */
function newUser({ input: { buyer }, chainId }: NamedOrder) {
  const { email = '', wallet = '', locale } = buyer ?? {}
  const walletChainId = wallet ? (chainId ?? 0) : 0
  return {
    provider: email ? 'email' : 'wallet',
    email,
    ethereumPublicAddr: wallet,
    walletChainId,
    identityHash: email ? hashIdentity('email', email) : hashWallet(wallet, walletChainId),
    locale,
  }
}

/** A delivery waits for the wallet of its buyer, or is due at once. */
function firstState(wallet: string, chainId: number | null, now: string) {
  if (!wallet) return { state: 'awaiting_wallet' } as const
  const queued = { state: 'queued', dueAt: now, queuedAt: now } as const
  return chainId === null
    ? { ...queued, waitingSince: now, ...explain('network_not_configured') }
    : queued
}

/** Returns the chains on which a plan has something to deliver now. */
export const chainsToWake = ({ orders }: Plan): (number | null)[] =>
  orders.flatMap(({ orderItem: { state, chainId } }) => (state === 'queued' ? chainId : []))

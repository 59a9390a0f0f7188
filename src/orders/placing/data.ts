/** What a call that places or reserves depends on: its rows, as the first trip reads them. */
import type { SaleObstacle } from '../../db/schema/catalogue.ts'
import type { reservations } from '../../db/schema/orders.ts'
import type { Settings } from '../../env.ts'
import type { Ctx } from '../../http/context.ts'
import type { ListingRow, NftRow } from '../reading/nft.ts'
import type { StoredCall } from './idempotency.ts'
import type { NewOrder } from './new-order.ts'

/** What placing and reserving need. */
export type PlaceCtx = Ctx & {
  settings: Pick<Settings, 'NETWORKS' | 'DELIVERY_KEY_SECRET' | 'MAX_OPEN_ORDERS' | 'PUBLIC_URL'>
}

export type OrderBuyer = {
  id: number
  /** `''` if the buyer has none. */
  email: string
  /** `''` if the buyer has no wallet. */
  wallet: string
  /** The chain of a wallet that is a contract, or of what a guest has bought; 0 for a wallet with a key. */
  walletChainId: number
  /** Whether only orders have named the buyer: nobody has proved the wallet, which may be either. */
  isGuest: 0 | 1
  /** The live billing address with the lowest id. */
  billingAddressId: number | null
}

/** An order or a reservation of a call, and the rows that it names; undefined if they do not exist. */
export type NamedOrder = {
  input: NewOrder
  nft: NftRow | undefined
  listing: ListingRow | undefined
  /** Why nothing is sold of the listing. */
  obstacle?: SaleObstacle | null
  /** Until when nothing is sold of it, because it was not tried yet whether it can be delivered. */
  untriedUntil?: string | null
  isSellerApproved?: boolean
  /** The live reservation of the namespace that becomes this order, and no other of the call. */
  hold: typeof reservations.$inferSelect | undefined
  /** The chain of the NFT; null if its network is not configured. */
  chainId: number | null
  /** Several for a wallet that a key and contracts have, the buyer first. */
  buyers: readonly OrderBuyer[]
}

/** Returns the NFT and the listing of an order that was checked. */
export function requireRows(order: NamedOrder | undefined) {
  if (!order?.nft || !order.listing) throw new Error('the orders were not checked')
  return { nft: order.nft, listing: order.listing }
}

/** A call, and the rows that it depends on. */
export type OrderData = {
  /** In the order of the call. */
  orders: NamedOrder[]
  /** Orders of earlier calls in the namespace, by provider id, with what their buyer has now. */
  placed: Map<
    string,
    Pick<OrderBuyer, 'email' | 'wallet'> &
      Pick<NewOrder, 'custom' | 'paid'> & { orderId: number; buyerRemovedAt: string | null }
  >
  /** The namespace of the caller's token. */
  namespace: string
  /** Files whose bytes are not stored yet: NFT id to number. */
  missingFiles: Map<number, number>
  /** Pieces that live reservations hold: NFT id to number. */
  held: Map<number, number>
  /** The most pieces that can be delivered at once, by the name of the network. */
  maxPieces: Map<string, number>
  /** An earlier call with the same idempotency key. */
  stored?: StoredCall | undefined
  /** Open orders and reservations of the caller, if they were counted. */
  open?: number | undefined
}

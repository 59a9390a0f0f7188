/** The orders that the demo begins with, one for each state that a buyer can see. */
import { createClient } from '../../client/src/index.ts'
import { CommandError } from '../shell/command.ts'

/** A marketplace, and a token that sells in it. */
type Shop = { url: string; token: string }

const BO = { buyerUserId: 3 }
/** Has neither a wallet nor a billing address. */
const EMIL = {
  buyerUserId: 5,
  buyerBillingData: { street: 'Markveien 12', postal: '0554', city: 'Oslo', country: 'NO' },
}

const CANCELLED = 'demo-cancelled'

/**
 * Programs of the guides follow order 1, which is delivered. NFTs 15 and 16 cannot be delivered: 15
 * waits for its token, and 16 fails.
 */
const orders = [
  { providerId: 'demo-delivered', nftId: 6, listingId: 8, quantity: 2, ...BO },
  { providerId: 'demo-failed', nftId: 16, listingId: 18, quantity: 1, ...BO },
  { providerId: CANCELLED, nftId: 15, listingId: 17, quantity: 1, ...BO },
  { providerId: 'demo-minted', nftId: 5, listingId: 7, quantity: 1, ...BO },
  { providerId: 'demo-on-its-way', nftId: 15, listingId: 17, quantity: 1, ...BO },
  { providerId: 'demo-awaiting-wallet', nftId: 7, listingId: 9, quantity: 1, ...EMIL },
]

/** Places the orders, as a shop does, and requests the cancellation of one. Returns their number. */
export async function placeDemoOrders(shop: Shop): Promise<number> {
  const client = createClient(shop)
  try {
    const placed = await client.placeOrders({ body: orders })
    const cancelled = placed.orders.find(({ providerId }) => providerId === CANCELLED)
    if (cancelled) await client.cancelOrder({ order_id: cancelled.id })
    return orders.length
  } catch (error) {
    throw new CommandError(`The orders of the demo were refused: ${Object(error).message}`)
  }
}

/** A shop sells NFTs, and an operator looks after the deliveries. */
import { localAccount } from '../../chain/accounts.ts'
import { type Teller, until, untilDelivery } from './teller.ts'

/** Code that reverts every call: a wallet contract that accepts no NFT. */
const REVERT = '0x60006000fd'
const bea = localAccount(4).address

export const billing = { street: 'Ringgaten 7', postal: '0150', city: 'Oslo', country: 'NO' }
export const edition = { nftId: 2, listingId: 2, quantity: 1 }

export async function orderChapter(teller: Teller): Promise<void> {
  await sell(teller)
  await sellToBuyersWithoutWallet(teller)
  await failAndRetry(teller)
  await list(teller)
}

async function sell(teller: Teller): Promise<void> {
  const { show, tokens, world } = teller
  const placed = {
    token: tokens.shop,
    parameters: { 'idempotency-key': 'checkout-1001' },
    body: [
      { nftId: 1, listingId: 1, quantity: 1, buyerUserId: 3, providerId: 'A-1001' },
      { ...edition, quantity: 2, buyerUserId: 3, providerId: 'A-1002' },
    ],
  }
  await world.chain.setAutomine(false)
  await show(200, 'placeOrders', 'two_orders', 'Two orders of a buyer with a wallet', placed)
  await untilDelivery(teller, [1, 2], 'in_flight')
  const first = { token: tokens.shop, parameters: { order_ids: [1] } }
  await show(200, 'getOrders', 'transferring', 'The transaction was sent', first)
  await world.chain.setAutomine(true)
  await world.chain.mine({ blocks: 2 })
  await untilDelivery(teller, [1, 2], 'transferred')
  const both = { token: tokens.shop, parameters: { order_ids: [1, 2] } }
  await show(200, 'getOrders', 'transferred', 'The buyer has the NFTs', both)
}

async function sellToBuyersWithoutWallet(teller: Teller): Promise<void> {
  const { show, tokens } = teller
  const body = [
    { ...edition, buyerUserId: 5, providerId: 'A-1003', buyerBillingData: billing },
    { ...edition, buyerUserId: 5, providerId: 'A-1004', buyerBillingData: billing },
  ]
  const summary = 'Orders of a buyer without a wallet, with a new billing address'
  await show(200, 'placeOrders', 'with_billing_data', summary, { token: tokens.seller, body })
  const waiting = { token: tokens.seller, parameters: { order_ids: [3] } }
  await show(
    200,
    'getOrders',
    'awaiting_wallet',
    'The buyer has no wallet, as a seller sees it',
    waiting,
  )
  const item = { token: tokens.shop, parameters: { id: 4 } }
  await show(200, 'cancelTransfer', 'cancelled', 'Cancel the delivery of a refunded order', item)
  await untilDelivery(teller, [4], 'cancelled')
  const cancelled = { token: tokens.shop, parameters: { order_ids: [4] } }
  await show(200, 'getOrders', 'cancelled', 'The delivery was cancelled', cancelled)
}

/** The wallet of user 4 refuses NFTs. The deliveries fail after ten minutes. */
async function failAndRetry(teller: Teller): Promise<void> {
  const { show, send, wait, tokens, world } = teller
  const token = tokens.shop
  await world.chain.setCode({ address: bea, bytecode: REVERT })
  const order = { ...edition, buyerUserId: 4, buyerBillingData: billing }
  const body = [
    { ...order, providerId: 'A-1005' },
    { ...order, providerId: 'A-1006' },
  ]
  await send('placeOrders', { token, body })
  await until(teller, '(SELECT count(failingSince) = 2 FROM deliveries WHERE id IN (5, 6))')
  wait(11)
  // Any call: it sets the clock of the Worker.
  await send('getStats')
  await world.runCron()
  await untilDelivery(teller, [5, 6], 'failed')
  const code = 'recipient_rejects'
  const failed = { token, parameters: { status: 'failed', code, limit: 10 } }
  await show(200, 'listTransfers', 'failed', 'The deliveries that failed for a reason', failed)
  const refused = { token, parameters: { order_ids: [5] } }
  await show(200, 'getOrders', 'failed', 'The wallet of the buyer refuses the NFT', refused)
  await world.chain.setCode({ address: bea, bytecode: '0x' })
  const item = { token, parameters: { id: 5 } }
  await show(200, 'retryTransfer', 'retried', 'Try a failed delivery again', item)
  await untilDelivery(teller, [5], 'transferred')
  await show(409, 'retryTransfer', 'transferred', 'The NFT was transferred', item)
  const others = { token, parameters: { status: 'failed', code } }
  await show(200, 'retryTransfers', 'retried', 'Retry all that failed for a reason', others)
  await untilDelivery(teller, [6], 'transferred')
}

async function list(teller: Teller): Promise<void> {
  const { show, tokens } = teller
  const token = tokens.shop
  const newest = await show(200, 'listOrders', 'newest', 'The two newest orders', {
    ...{ token, parameters: { limit: 2 } },
  })
  const { nextCursor: cursor } = newest.body as { nextCursor: string }
  const filters: [name: string, summary: string, parameters: object][] = [
    ['next_page', 'The next page', { limit: 2, cursor }],
    ['by_provider_id', 'The order with a number of the shop', { providerId: 'A-1001' }],
    ['by_status', 'The orders that wait for a wallet', { deliveryStatus: 'awaiting_wallet' }],
    ['by_buyer', 'The orders of a buyer', { buyerUserId: 4, limit: 1 }],
  ]
  for (const [name, summary, parameters] of filters)
    await show(200, 'listOrders', name, summary, { token, parameters: { ...parameters } })
  const page = { token, parameters: { limit: 2, cursor: '1' } }
  await show(200, 'listTransfers', 'page', 'A page of all deliveries', page)
  const waiting = { token, parameters: { status: 'awaiting_wallet' } }
  await show(200, 'cancelTransfers', 'cancelled', 'Cancel all that wait for a wallet', waiting)
  await untilDelivery(teller, [3], 'cancelled')
  const rest = { token, parameters: { status: 'failed', code: 'recipient_rejects' } }
  await show(200, 'cancelTransfers', 'none', 'Nothing is left to cancel', rest)
  await show(200, 'getStats', 'numbers', 'The numbers of NFTs')
  await show(200, 'listCreators', 'latest', 'The latest creators', { parameters: { limit: 10 } })
}

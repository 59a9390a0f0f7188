import { ApiError, createClient } from '@marketplace-api/marketplace'

const token = process.env.TOKEN ?? ''
const client = createClient({ url: 'http://localhost:8787', token })
const goods = { listing: 'listing-2', nft: 'nft-2', quantity: 1 }

const { listings } = await client.getListings({ ids: ['externalId:listing-2'] })
for (const { priceCents, priceCurrency, sellable } of listings)
  console.log(`costs ${priceCents} ${priceCurrency}, ${sellable ? 'for sale' : 'not for sale'}`)

// What the customer has seen in the cart, as your shop has stored it.
const seen = { expectedPriceCents: 1000, expectedCurrency: 'EUR' }
const { reservations } = await client.reserve(
  { body: [{ listing: 'listing-2', quantity: 1, ttl: 1800, ...seen }] },
  { headers: { 'idempotency-key': 'cart-4711' } },
)
const [held] = reservations
if (!held) throw new Error('nothing is held')
console.log(`reserved until ${held.expiresAt}`)

// The customer pays.

// With a voucher: the price of the listing stays the expected one.
const paid = {
  ...{ grossCents: 900, taxCents: 144, discountCents: 100, currency: 'EUR' },
  invoiceNumber: '2026-0815',
}
const body = { ...goods, ...seen, paid, buyer: { userId: 3 } }
const providerId = '4711'
const sold = await client
  .putOrder({ providerId, body: { ...body, reservationId: held.id } })
  .catch((error) => {
    // The hold has ended, and the piece may still be there. Refund only if this is refused, too.
    if (!(error instanceof ApiError && error.code === 'reservation_not_found')) throw error
    return client.putOrder({ providerId, body })
  })
for (const { id, status } of sold.orders) console.log(`order ${id}: ${status}`)

const buyerBillingData = { street: 'Road 1', postal: '0150', city: 'Oslo', country: 'NO' }
const gift = await client.putOrder({
  providerId: '4712',
  body: { ...goods, buyer: { email: 'guest@example.com' }, buyerBillingData },
})

const [{ createdAt: since = '' } = {}] = sold.orders
const { events } = await client.listEvents({ since, limit: 100 })
// Another shop may have an order with this number.
for (const { type, data } of events)
  if ('orderId' in data && data.source === sold.source && data.providerId === '4711')
    console.log(type, JSON.stringify(data))

for (const { id } of gift.orders)
  try {
    const { orders } = await client.cancelOrder({ order_id: id })
    console.log(`order ${id}: cancellation requested at ${orders[0]?.cancelRequestedAt}`)
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'conflict')) throw error
    console.log(`order ${id} was delivered before`)
  }

import { createClient } from 'marketplace-client'

const token = process.env.TOKEN ?? ''
// The client sends a call up to five times, and waits as long as the answer says.
const client = createClient({ url: 'http://localhost:8787', token })
const { orders } = await client.placeOrders(
  { body: [{ nftId: 2, listingId: 2, quantity: 1, buyerUserId: 3, providerId: '4711' }] },
  { headers: { 'idempotency-key': 'order-4711' } },
)
for (const { id, status } of orders) console.log(`order ${id}: ${status}`)

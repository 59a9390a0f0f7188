import { createClient } from '@marketplace-api/marketplace'

const token = process.env.TOKEN ?? ''
// The client sends a call up to five times, and waits as long as the answer says.
const client = createClient({ url: 'http://localhost:8787', token })
const { orders } = await client.placeOrders(
  { body: [{ nftId: 2, listingId: 2, quantity: 1, buyerUserId: 3, providerId: '4713' }] },
  { headers: { 'idempotency-key': 'order-4713' } },
)
for (const { id, status } of orders) console.log(`order ${id}: ${status}`)

import { createClient } from 'marketplace-client'

const token = process.env.TOKEN ?? ''
const client = createClient({ url: 'http://localhost:8787', token })
const { orders } = await client.placeOrders({
  body: [{ nftId: 2, listingId: 2, quantity: 1, buyerUserId: 3 }],
})
for (const { id, status } of orders) console.log(`order ${id}: ${status}`)

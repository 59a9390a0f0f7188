import { createClient } from 'marketplace-client'

const token = process.env.TOKEN ?? ''
const client = createClient({ url: 'http://localhost:8787', token })
const { orders } = await client.getOrders({ order_ids: [1] })
for (const { id, orderItems } of orders)
  for (const { status, txId } of orderItems) console.log(`order ${id}: ${status}, ${txId}`)

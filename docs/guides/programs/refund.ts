import { setTimeout } from 'node:timers/promises'
import { ApiError, createClient } from '@marketplace-api/marketplace'

const token = process.env.TOKEN ?? ''
const client = createClient({ url: 'http://localhost:8787', token })

/** Cancels an order, and returns what to do when that is final. */
async function cancel(order_id: number): Promise<string> {
  for (;;) {
    try {
      const { orders } = await client.cancelOrder({ order_id })
      if (orders[0]?.reasonCode === 'cancelled') return 'refund'
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 503
      if (status === 409) return whyNot(order_id)
      if (status < 500 && status !== 429) throw error
    }
    await setTimeout(2000)
  }
}

/** Nothing can be cancelled: the NFT is delivered, or the operator has to find out. */
async function whyNot(order_id: number): Promise<string> {
  const { orders } = await client.getOrders({ order_ids: [order_id] })
  const isDelivered = orders[0]?.orderItems[0]?.status === 'transferred'
  return isDelivered ? 'do not refund' : 'ask the operator about'
}

const id = Number(process.env.ORDER_ID)
console.log(`${await cancel(id)} order ${id}`)

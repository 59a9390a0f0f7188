import {
  createClient,
  DeliveryFailedError,
  DeliveryTimeoutError,
} from '@marketplace-api/marketplace'

const token = process.env.TOKEN ?? ''
const client = createClient({ url: 'http://localhost:8787', token })
try {
  const { orderItems } = await client.waitForDelivery(1)
  for (const { txId } of orderItems) console.log(`delivered by transaction ${txId}`)
} catch (error) {
  if (error instanceof DeliveryFailedError) console.log(`failed: ${error.order.failReason}`)
  else if (error instanceof DeliveryTimeoutError) console.log('not delivered yet')
  else throw error
}

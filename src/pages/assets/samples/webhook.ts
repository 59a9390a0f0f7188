import { createClient } from 'marketplace-client'

const token = process.env.TOKEN ?? ''
const client = createClient({ url: 'http://localhost:8787', token })
const { webhook, secret } = await client.createWebhook({
  body: {
    url: 'https://shop.example.com/webhooks',
    events: ['order.delivered', 'order.failed'],
  },
})
console.log(`webhook ${webhook.id}: ${secret}`)

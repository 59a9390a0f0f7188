import { createClient } from '@marketplace-api/marketplace'

const token = process.env.TOKEN ?? ''
const client = createClient({ url: 'http://localhost:8787', token })
const url = 'https://shop.example.com/webhooks'
const { webhooks } = await client.listWebhooks({ limit: 100 })
const found = webhooks.find((each) => each.url === url)
if (found) console.log(`webhook ${found.id}: there is one with this URL`)
else {
  const { webhook, secret } = await client.createWebhook({
    body: { url, events: ['order.delivered', 'order.failed'] },
  })
  console.log(`webhook ${webhook.id}: ${secret}`)
}

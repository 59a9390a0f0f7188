import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { verifyWebhook } from '@marketplace-api/marketplace'

const secret = process.env.WEBHOOK_SECRET ?? ''
// In your database, so that it outlives the program.
const processed = new Set<string>()

const server = createServer(async (request, response) => {
  // A body that is cut off has no valid signature.
  const body = await text(request).catch(() => '')
  const event = await verifyWebhook(body, request.headers, secret).catch(() => null)
  if (!event) return response.writeHead(400).end()
  if (!processed.has(event.id)) {
    // It may be about an order of another shop: compare `source` and `providerId` with yours.
    console.log(event.type, JSON.stringify(event.data))
    processed.add(event.id)
  }
  response.end(event.type === 'webhook.test' ? event.data.challenge : '')
})
server.listen(Number(process.env.PORT ?? 8000), () => console.log('listening'))

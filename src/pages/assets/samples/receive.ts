import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

type Event = { type: string; timestamp: string; data: Record<string, unknown> }

const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? '')
// In your database, so that it outlives the program.
const processed = new Set<string>()

const server = createServer(async (request, response) => {
  const id = String(request.headers['webhook-id'])
  const body = await text(request)
  try {
    webhook.verify(body, request.headers as Record<string, string>)
  } catch {
    return response.writeHead(400).end()
  }
  if (!processed.has(id)) {
    const { type, data }: Event = JSON.parse(body)
    console.log(type, JSON.stringify(data))
    processed.add(id)
  }
  response.writeHead(204).end()
})
server.listen(Number(process.env.PORT ?? 8000), () => console.log('listening'))

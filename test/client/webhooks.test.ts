/**
 * Receivers of webhooks, built with the packages `standardwebhooks` and `svix`, from an order to its
 * delivery on a real chain.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createClient, type WebhookEvent } from '../../client/src/index.ts'
import { instance } from '../support/instance/instance.ts'
import { PATIENCE } from '../support/patience.ts'

type Headers = Record<string, string>
/** Throws if the message was not sent by the owner of the secret. */
type Verify = (secret: string, body: string, headers: Headers) => void
type OrderEvent = Extract<WebhookEvent, { type: `order.${string}` }>
type Request = { headers: Headers; body: string }

const packages: Record<'standardwebhooks' | 'svix', Verify> = {
  standardwebhooks: (secret, body, headers) =>
    void new StandardWebhook(secret).verify(body, headers),
  svix: (secret, body, headers) => new SvixWebhook(secret).verify(body, headers),
}

/** Number of an order whose first message is rejected. */
const rejectedNumber = crypto.randomUUID()

/**
 * A receiver that handles each event of an order once, by its id, and answers challenges. It answers
 * 500 to the first attempt of an `order.created`, although it has handled it, so that the message
 * comes again: only of one order, because other tests place orders at the same time.
 */
function aReceiver(name: keyof typeof packages) {
  const port = instance.receivers[name]
  const verify = packages[name]
  const requests: Request[] = []
  const rejected: unknown[] = []
  const handled = new Map<string, OrderEvent>()
  /** The first test comes when the secret is not known yet. */
  const { promise: isReady, resolve: start } = Promise.withResolvers<void>()
  const url = `http://127.0.0.1:${port}/hooks`
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const headers = request.headers as Headers
    await isReady
    requests.push({ headers, body })
    const id = headers['webhook-id'] ?? ''
    try {
      verify(receiver.secret, body, headers)
    } catch (error) {
      rejected.push(error)
      return void response.writeHead(401).end()
    }
    const event: WebhookEvent = JSON.parse(body)
    if (event.type === 'webhook.test') return void response.end(event.data.challenge)
    const { type, data } = event as OrderEvent
    const isRejected = type === 'order.created' && data.providerId === rejectedNumber
    response.writeHead(isRejected && !handled.has(id) ? 500 : 204).end()
    handled.set(id, event as OrderEvent)
  })
  const identity = { secret: '', webhookId: '' }
  const receiver = { name, port, url, start, requests, rejected, handled, server, ...identity }
  return receiver
}

const receivers = [aReceiver('standardwebhooks'), aReceiver('svix')]
const client = createClient(instance)

/** Placed when both receivers are verified. */
let orderId: number

beforeAll(async () => {
  for (const receiver of receivers) {
    await once(receiver.server.listen(receiver.port, '127.0.0.1'), 'listening')
    const events = ['order.created' as const, 'order.delivered' as const]
    const { webhook, secret } = await client.createWebhook({ body: { url: receiver.url, events } })
    Object.assign(receiver, { webhookId: webhook.id, secret })
    receiver.start()
    await vi.waitUntil(async () => {
      const parameter = { webhook_id: webhook.id }
      return (await client.getWebhook(parameter)).webhook.verifiedAt
    }, PATIENCE)
  }
  const order = { nftId: 2, listingId: 2, quantity: 1, buyerUserId: 3, providerId: rejectedNumber }
  const [placed] = (await client.placeOrders({ body: [order] })).orders
  orderId = placed?.id ?? 0
})

afterAll(async () => {
  for (const { server, webhookId } of receivers) {
    await client.deleteWebhook({ webhook_id: webhookId })
    server.close()
  }
})

it.each(receivers)(
  'a receiver built with $name verifies the events of an order, and handles each once, though one comes twice',
  async ({ requests, handled, rejected }) => {
    const eventsOfOrder = () => [...handled.values()].filter(({ data }) => data.orderId === orderId)
    const created = () =>
      requests.filter(({ body }) => {
        const event: OrderEvent = JSON.parse(body)
        return event.type === 'order.created' && event.data.orderId === orderId
      })
    await vi.waitUntil(() => created().length === 2, PATIENCE)
    await vi.waitUntil(() => eventsOfOrder().length === 2, PATIENCE)
    expect(rejected).toEqual([])
    const events = eventsOfOrder().sort((a, b) => a.data.sequence - b.data.sequence)
    expect(events).toMatchObject([
      { type: 'order.created', data: { sequence: 0, txId: null } },
      { type: 'order.delivered', data: { txId: expect.stringMatching(/^0x[0-9a-f]{64}$/) } },
    ])
    const [first, second] = created()
    expect(second?.body).toBe(first?.body)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(Number(second?.headers['webhook-timestamp'])).toBeGreaterThanOrEqual(
      Number(first?.headers['webhook-timestamp']) + 4,
    )
  },
)

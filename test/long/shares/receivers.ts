/** The receivers of webhooks, instead of the Internet, and the consumer that sends to them. */
import { env } from 'cloudflare:workers'
import { onTestFinished, vi } from 'vitest'
import { sendWebhooks } from '../../../src/events/sending/consumer.ts'
import type { WebhookWakeUp } from '../../../src/events/wake.ts'

/** Milliseconds after which the Worker gives up, as in `src/events/sending/send.ts`. */
const TIMEOUT = 15_000

/** As in wrangler.toml. */
const BATCH = 6

/** Batches on which consumers work at the same time. Cloudflare starts up to 250 of them. */
const CONSUMERS = 50

/** What receivers of attackers do. They all answer a challenge but the silent ones. */
export const misbehaviours = [
  'hangs',
  'fails',
  'wavers',
  'is-gone',
  'is-silent',
  'accepts',
] as const

const isOneOf = (host: string): host is (typeof misbehaviours)[number] =>
  misbehaviours.some((name) => name === host)

type Received = { url: string; orderId: number | undefined; type: string }

type Waiting = { endpointId: string; at: number }

export type Receivers = ReturnType<typeof aReceiver>

/**
 * A queue of endpoints to wake, and receivers. Those of attackers are at
 * `https://<misbehaviour>.evil.example.com`; all others accept.
 */
export function aReceiver() {
  const received: Received[] = []
  let waiting: Waiting[] = []
  let count = 0
  const enqueue = (messages: Iterable<MessageSendRequest<WebhookWakeUp>>) => {
    for (const { body, delaySeconds = 0 } of messages)
      waiting.push({ endpointId: body.endpointId, at: Date.now() + delaySeconds * 1000 })
  }
  const sent = { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
  const spies = [
    vi.spyOn(env.WEBHOOKS, 'sendBatch').mockImplementation(async (messages) => {
      enqueue(messages as Iterable<MessageSendRequest<WebhookWakeUp>>)
      return sent
    }),
    vi.spyOn(env.MASTER_WEBHOOKS, 'sendBatch').mockResolvedValue(sent),
  ]
  // Their timers would stay until they end.
  const timeout = vi.spyOn(AbortSignal, 'timeout')
  timeout.mockImplementation(() => new AbortController().signal)
  const { fetch } = globalThis
  spies.push(
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const { hostname } = new URL(input instanceof Request ? input.url : `${input}`)
      if (!hostname.endsWith('.example.com')) return fetch(input, init)
      const { type, data } = JSON.parse(`${init?.body}`)
      received.push({ url: `${input}`, orderId: data.orderId, type })
      const [name = ''] = hostname.split('.')
      const does = isOneOf(name) ? name : 'accepts'
      if (does === 'is-silent' || (does === 'hangs' && type !== 'webhook.test')) await hang()
      if (type === 'webhook.test') return new Response(data.challenge)
      const status = { fails: 500, wavers: ++count % 2 ? 500 : 200, 'is-gone': 410 }[does as string]
      return new Response(null, { status: status ?? 200 })
    }) as never,
  )
  onTestFinished(() => {
    for (const spy of [...spies, timeout]) spy.mockRestore()
  })

  return {
    received,
    /** One batch for each consumer. They begin at the same time. */
    async round(settings: Partial<Env>): Promise<void> {
      const start = Date.now()
      const due = waiting.filter(({ at }) => at <= start).slice(0, CONSUMERS * BATCH)
      waiting = waiting.filter((one) => !due.includes(one))
      let end = start
      for (let i = 0; i < due.length; i += BATCH) {
        vi.setSystemTime(start)
        const messages = due.slice(i, i + BATCH).map(({ endpointId }) => ({ body: { endpointId } }))
        const batch = { messages, ackAll() {} } as unknown as MessageBatch<WebhookWakeUp>
        await sendWebhooks(batch, { ...env, ...settings })
        end = Math.max(end, Date.now())
      }
      vi.setSystemTime(end)
    },
  }
}

/** The clock of the test moves to the time when the Worker gives up. */
async function hang(): Promise<never> {
  await new Promise<void>((resolve) => setTimeout(resolve, TIMEOUT))
  throw new Error('aborted')
}

import { env } from 'cloudflare:workers'
import { Webhook } from 'standardwebhooks'
import { afterEach, expect, it, vi } from 'vitest'
import { readSettings } from '../../src/env.ts'
import { webhookSecret } from '../../src/events/secret.ts'
import { pass, startClock } from '../support/delivery/clock.ts'
import {
  anEndpoint,
  anEvent,
  consume,
  databaseOf,
  type Endpoint,
  endpointRow,
  nameOf,
  receive,
  recordingBindings,
} from './endpoints.ts'

/** Ends the life of a Worker at one of its awaits: the call before or after it was carried out. */
class Killer {
  #calls = 0
  readonly #cut: number
  constructor(cut: number) {
    this.#cut = cut
  }

  get wasReached(): boolean {
    return this.#calls * 2 > this.#cut
  }

  async run<T>(call: () => Promise<T>): Promise<T> {
    const at = this.#calls++
    if (at * 2 >= this.#cut) throw new Error('killed before')
    const result = await call()
    if (at * 2 + 1 >= this.#cut) throw new Error('killed after')
    return result
  }
}

/** A receiver that remembers the ids that it has processed, and rejects some at the first attempt. */
async function aReceiver(endpoint: Endpoint) {
  const webhook = new Webhook(await webhookSecret(readSettings(env), endpoint.secretId))
  const processed: string[] = []
  const rejected = new Set<string>()
  const handle = (id: string, headers: Headers, body: string): Response => {
    webhook.verify(body, Object.fromEntries(headers))
    const { data }: { data: { sequence: number } } = JSON.parse(body)
    if (data.sequence % 5 === 2 && !rejected.has(id)) {
      rejected.add(id)
      return new Response(null, { status: 503 })
    }
    if (!processed.includes(id)) processed.push(id)
    return new Response()
  }
  return { processed, rejected, handle }
}

const EVENTS = 8

afterEach(() => void vi.restoreAllMocks())

/** Sends events with a Worker that is killed at a cut, and goes on with others. */
async function campaign(cut: number) {
  startClock()
  const endpoint = await anEndpoint()
  const sent: string[] = []
  for (let sequence = 0; sequence < EVENTS; sequence++)
    sent.push(nameOf(await anEvent({ sellerId: endpoint.userId, sequence })))
  const receiver = await aReceiver(endpoint)
  const killer = new Killer(cut)
  let isKilled = true
  const through = <T>(call: () => Promise<T>) => (isKilled ? killer.run(call) : call())
  receive(({ headers, body }) =>
    through(async () => receiver.handle(headers.get('webhook-id') ?? '', headers, body)),
  )
  const { bindings } = recordingBindings()
  const DB = databaseOf(through)
  const sendBatch = (messages: Iterable<MessageSendRequest>) =>
    through(async () => void bindings.WEBHOOKS.sendBatch(messages))
  const WEBHOOKS = { sendBatch } as unknown as Queue
  await consume([endpoint], { DB, WEBHOOKS })
  isKilled = false
  // The cron run wakes what is due.
  for (let runs = 0; (await endpointRow(endpoint)).dueAt !== null; runs++) {
    if (runs > 20) throw new Error('there is no end')
    pass(61)
    await consume([endpoint])
  }
  return { sent, receiver, wasKilled: killer.wasReached }
}

it('a receiver gets each event in effect once, wherever the Worker is killed', async () => {
  for (let cut = 0; ; cut++) {
    const { sent, receiver, wasKilled } = await campaign(cut)
    expect(receiver.processed.toSorted(), `cut ${cut}`).toEqual(sent)
    if (!wasKilled) break
  }
})

/** Measures how fast events reach one receiver. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '../../../client/src/index.ts'
import { DAY } from '../../../src/time.ts'
import { serveWorker } from './worker.ts'

/** Milliseconds until the receiver answers. */
const ANSWER = 50

/** Events of others that are in the log before, the events to send, and seconds of the measurement. */
type Load = { oldEvents: number; newEvents: number; seconds: number }

/** Returns the messages of a second. */
export async function measureWebhooks(
  bindings: Record<string, string>,
  token: string,
  sql: readonly string[],
  { oldEvents, newEvents, seconds }: Load,
): Promise<number> {
  const received: number[] = []
  await using receiver = createServer(async (request, response) => {
    const { data } = (await json(request)) as { data: { challenge?: string } }
    if (!data.challenge) received.push(performance.now())
    setTimeout(() => response.end(data.challenge), ANSWER)
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`
  await using worker = await serveWorker({
    main: 'src/worker.ts',
    bindings: { ...bindings, LOOPBACK_HOSTS: host },
    sql: [...sql, ...eventsOfOthers(oldEvents)],
    isConsumer: true,
  })
  const client = createClient({ url: worker.url, token })
  const { webhook } = await client.createWebhook({
    body: { url: `http://${host}/`, events: ['order.created', 'order.delivered'] },
  })
  const hook = { webhook_id: webhook.id }
  while (!(await client.getWebhook(hook)).webhook.verifiedAt) await pause(50)
  for (let i = 0; i < newEvents; i += 1000) await worker.database.prepare(eventsToSend(1000)).run()
  await client.testWebhook(hook)
  await pause(seconds * 1000 + 1000)
  const [first = 0] = received
  return received.filter((at) => at - first < seconds * 1000).length / seconds
}

const numbers = (count: number) =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`

/** What an event says of an order that was placed. */
const data = `json_object('buyerId', 3, 'claimUrl', NULL, 'status', NULL, 'txId', NULL,
  'failReason', NULL, 'reasonCode', NULL)`

/** The events of 29 days. */
function eventsOfOthers(count: number): string[] {
  const first = (Date.now() - 29 * DAY) * 1000
  const step = Math.floor((29 * DAY * 1000) / count)
  const chunk = Math.min(count, 50_000)
  return Array.from(
    { length: Math.ceil(count / chunk) },
    (_, k) => `${numbers(chunk)}
      INSERT INTO events (id, type, at, itemId, orderId, sellerId, buyerId, source, sequence, data)
      SELECT ${first} + (${k * chunk} + i) * ${step}, 'order.created', '2026-01-01T00:00:00.000Z',
        i, i, 2 + i % 900, 3, 'master:shop', 0, ${data} FROM n`,
  )
}

const eventsToSend = (count: number, at = new Date().toISOString()) => `${numbers(count)}
  INSERT INTO events (id, type, at, itemId, orderId, sellerId, buyerId, source, sequence, data)
  SELECT ${Date.parse(at) * 1000} + i, 'order.created', '${at}', i, i, 2, 3, 'master:shop', 0, ${data}
  FROM n`

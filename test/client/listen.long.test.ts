/** `marketplace listen` forwards what the instance sends itself. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, expect, it } from 'vitest'
import { createClient, verifyWebhook } from '../../client/src/index.ts'
import { environment } from '../support/environment.ts'
import { instance } from '../support/instance/instance.ts'
import { anOrder } from '../support/instance/orders.ts'
import { serve } from '../support/server.ts'

const client = createClient(instance)

type Received = { headers: IncomingHttpHeaders; body: string }

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean()
})

/** Starts a receiver that answers challenges. `statusOf` may refuse a message. */
async function aReceiver(statusOf: (message: Received) => number = () => 200) {
  const received: Received[] = []
  const url = await serve(async (request, response) => {
    const message = { headers: request.headers, body: await text(request) }
    received.push(message)
    const { data } = JSON.parse(message.body)
    response.writeHead(statusOf(message)).end(data.challenge)
  })
  const about = (orderId: number) =>
    received.filter(({ body }) => JSON.parse(body).data.orderId === orderId)
  return { host: new URL(url).host, about }
}

/** Starts the command, and waits until it has begun. */
async function listen(...args: string[]) {
  const env = environment({ TOKEN: instance.token })
  const program = spawn(
    process.execPath,
    ['client/src/cli.ts', 'listen', '--url', instance.url, ...args],
    { env },
  )
  const exit = once(program, 'exit')
  const printed = { out: '', errors: '' }
  program.stdout.on('data', (chunk) => {
    printed.out += chunk
  })
  program.stderr.on('data', (chunk) => {
    printed.errors += chunk
  })
  cleanups.push(() => program.kill('SIGKILL'))
  const stop = async (signal: NodeJS.Signals = 'SIGINT') => {
    program.kill(signal)
    return (await exit)[0]
  }
  const close = () => program.stdout.destroy()
  return { printed, exit, stop, close }
}

it('forwards new events with the bytes of webhooks, signed with a new secret', async () => {
  const [direct, forwarded] = [await aReceiver(), await aReceiver()]
  const { webhook } = await client.createWebhook({
    body: { url: `http://${direct.host}/`, events: ['order.created', 'order.awaiting_wallet'] },
  })
  cleanups.push(() => client.deleteWebhook({ webhook_id: webhook.id }))
  const isVerified = async () =>
    (await client.getWebhook({ webhook_id: webhook.id })).webhook.verifiedAt !== null
  await expect.poll(isVerified).toBe(true)
  const { printed, stop } = await listen('--forward-to', forwarded.host)
  await expect.poll(() => printed.out).toContain('Forwarding new events')
  const { id } = await anOrder()
  await expect.poll(() => direct.about(id).length).toBe(2)
  await expect.poll(() => forwarded.about(id).length).toBe(2)

  const byId = (messages: Received[]) =>
    Object.fromEntries(messages.map(({ headers, body }) => [headers['webhook-id'], body]))
  expect(byId(forwarded.about(id))).toEqual(byId(direct.about(id)))
  const [sent] = direct.about(id)
  const [message] = forwarded.about(id)
  for (const name of ['content-type', 'user-agent'])
    expect(message?.headers[name]).toBe(sent?.headers[name])
  const [, secret = ''] = /^WEBHOOK_SECRET=(whsec_.*)$/m.exec(printed.out) ?? []
  const event = await verifyWebhook(message?.body ?? '', message?.headers ?? {}, secret)
  expect(event).toMatchObject({ type: 'order.created', data: { orderId: id } })
  expect(printed.out).toMatch(new RegExp(`order\\.created  order ${id}  evt_\\d+  200$`, 'm'))
  expect(await stop()).toBe(0)
})

it('repeats what is not accepted under the same id, and goes on after four attempts', async () => {
  let refused = ''
  const receiver = await aReceiver(({ headers, body }) => {
    const isRefused = JSON.parse(body).data.orderId === refusedOrder
    if (isRefused) refused ||= String(headers['webhook-id'])
    return headers['webhook-id'] === refused ? 500 : 200
  })
  const { id: refusedOrder } = await anOrder()
  const since = new Date(Date.now() - 5_000).toISOString()
  const { printed, stop } = await listen('--forward-to', receiver.host, '--since', since)
  await expect.poll(() => receiver.about(refusedOrder).length).toBe(5)
  const attempts = receiver
    .about(refusedOrder)
    .map(({ headers }) => headers['webhook-id'] === refused)
  expect(attempts).toEqual([true, true, true, true, false])
  await expect.poll(() => printed.out).toMatch(/awaiting_wallet .* 200$/m)
  expect(printed.out.match(/500, again in \d s$|500$/gm)).toEqual([
    ...['500, again in 1 s', '500, again in 2 s', '500, again in 4 s', '500'],
  ])
  expect(await stop()).toBe(0)
})

it('goes on from the end of a log that was set back', async () => {
  const receiver = await aReceiver()
  const event = (id: string, orderId: number) => ({
    ...{ id, type: 'order.created', timestamp: '2026-03-02T09:00:00.000Z', data: { orderId } },
  })
  const page = (nextAfter: string, events: object[] = []) => ({ events, nextAfter, hasMore: false })
  const answers: Record<string, object[]> = {
    since: [page('evt_9'), page('evt_4')],
    evt_9: [{ error: 'set back', code: 'events_removed', issues: [{ code: 'events_removed' }] }],
    evt_4: [page('evt_5', [event('evt_5', 7)])],
  }
  const url = await serve((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost')
    const after = searchParams.get('after') ?? 'since'
    const answer = answers[after]?.shift() ?? page(after)
    response.writeHead('code' in answer ? 410 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  })
  const { printed, stop } = await listen('--forward-to', receiver.host, '--url', url)
  await expect.poll(() => receiver.about(7).length).toBe(1)
  expect(printed.errors).toBe('The log was set back, or has lost events. Going on from its end.\n')
  expect(await stop()).toBe(0)
})

it.each(['SIGTERM', 'SIGHUP'] as const)('ends on %s', async (signal) => {
  const { host } = await aReceiver()
  const { printed, exit, stop } = await listen('--forward-to', host)
  await expect.poll(() => printed.out).toContain('Forwarding')
  expect(await stop(signal)).toBe(0)
  expect(await exit).toEqual([0, null])
})

it('ends when nobody reads its output any more', async () => {
  const { host } = await aReceiver()
  const { printed, exit, close } = await listen('--forward-to', host)
  await expect.poll(() => printed.out).toContain('Forwarding')
  close()
  await anOrder()
  expect(await exit).toEqual([0, null])
  expect(printed.errors).toBe('')
})

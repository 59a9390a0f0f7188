import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { users } from '../../src/db/schema/users.ts'
import { webhookEndpoints, webhookMessages } from '../../src/db/schema/webhooks.ts'
import { readSettings } from '../../src/env.ts'
import { webhookSecret } from '../../src/webhooks/signature.ts'
import { pass, startClock } from '../support/delivery/clock.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aUser, db } from '../support/makers.ts'
import {
  aMessage,
  anEndpoint,
  attemptRows,
  consume,
  type Endpoint,
  endpointRow,
  messageRow,
  receive,
} from './endpoints.ts'

const logged = recordLogs()

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

beforeEach(() => {
  startClock()
  vi.spyOn(Math, 'random').mockReturnValue(0)
})

const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString()
const fromNow = (milliseconds: number) => ago(-milliseconds)

const change = ({ id }: Endpoint, values: Partial<typeof webhookEndpoints.$inferInsert>) =>
  db.update(webhookEndpoints).set(values).where(eq(webhookEndpoints.id, id))

/** An endpoint with a message that is due. */
async function aDueMessage(values: Parameters<typeof anEndpoint>[0] = {}) {
  const endpoint = await anEndpoint(values)
  return { endpoint, message: await aMessage(endpoint) }
}

const answering = (status: number, headers: Record<string, string> = {}) =>
  receive(() => new Response(null, { status, headers }))

describe('a message', () => {
  it('is sent once, signed with the time of the attempt', async () => {
    const { endpoint, message } = await aDueMessage()
    pass(30)
    const received = receive()
    expect(await consume([endpoint])).toEqual({ mails: [], wakeUps: [] })
    expect(await consume([endpoint])).toEqual({ mails: [], wakeUps: [] })
    expect(received).toHaveLength(1)
    const [{ url, headers, body } = { headers: new Headers(), body: '', url: '' }] = received
    expect({ url, body }).toEqual({ url: endpoint.url, body: message.payload })
    expect(Object.fromEntries(headers)).toEqual({
      'content-type': 'application/json',
      'user-agent': 'marketplace-api (webhooks)',
      'webhook-id': message.id,
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    })
    const secret = await webhookSecret(readSettings(env), endpoint.secretId)
    const verified = new Webhook(secret).verify(body, Object.fromEntries(headers))
    expect(verified).toEqual(JSON.parse(message.payload))
    expect(await messageRow(message)).toMatchObject({
      state: 'delivered',
      dueAt: null,
      attempts: 1,
    })
    expect(await attemptRows(message)).toEqual([{ status: 200, error: null }])
    expect(await endpointRow(endpoint)).toMatchObject({ sendingUntil: null, failingSince: null })
  })

  it('is signed with both secrets for 24 hours after a rotation, then with the new one', async () => {
    const previousSecretId = 'ab'.repeat(16)
    const rotated = { previousSecretId, previousSecretUntil: fromNow(DAY) }
    const { endpoint } = await aDueMessage(rotated)
    const received = receive()
    await consume([endpoint])
    pass(DAY / SECOND)
    await aMessage(endpoint)
    await consume([endpoint])
    const isVerified = async (index: number, secretId: string) => {
      const { body = '', headers } = received[index] ?? {}
      const webhook = new Webhook(await webhookSecret(readSettings(env), secretId))
      try {
        // The library compares the time with its own clock, which the test has moved.
        const age = index === 0 ? DAY : 0
        vi.setSystemTime(Date.now() - age)
        webhook.verify(body, Object.fromEntries(headers ?? []))
        vi.setSystemTime(Date.now() + age)
        return true
      } catch {
        return false
      }
    }
    expect(await isVerified(0, endpoint.secretId)).toBe(true)
    expect(await isVerified(0, previousSecretId)).toBe(true)
    expect(await isVerified(1, endpoint.secretId)).toBe(true)
    expect(await isVerified(1, previousSecretId)).toBe(false)
  })

  it('is sent again 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h after a failure, then fails', async () => {
    const { endpoint, message } = await aDueMessage()
    const received = answering(500)
    const delays: number[] = []
    for (;;) {
      await consume([endpoint])
      const row = await messageRow(message)
      if (!row?.dueAt) break
      delays.push((Date.parse(row.dueAt) - Date.now()) / MINUTE)
      pass((Date.parse(row.dueAt) - Date.now()) / SECOND - 1)
      await consume([endpoint])
      pass(1)
    }
    expect(delays).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440])
    expect(received).toHaveLength(10)
    expect(new Set(received.map(({ headers }) => headers.get('webhook-id')))).toEqual(
      new Set([message.id]),
    )
    expect(new Set(received.map(({ headers }) => headers.get('webhook-timestamp'))).size).toBe(10)
    expect(await messageRow(message)).toMatchObject({ state: 'failed', attempts: 10 })
    expect(await attemptRows(message)).toEqual(
      Array(10).fill({ status: 500, error: 'it answered 500' }),
    )
    expect(logged('webhook_failed').at(-1)).toEqual({
      endpointId: endpoint.id,
      messageId: message.id,
      attempt: 10,
      status: 500,
      reason: 'it answered 500',
    })
  })

  it('waits up to 10 % longer at random', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const { endpoint, message } = await aDueMessage()
    answering(500)
    await consume([endpoint])
    expect((await messageRow(message))?.dueAt).toBe(fromNow(5250))
  })

  it('plans the retry after 5 s with a message of the queue, and leaves later ones to cron', async () => {
    const { endpoint } = await aDueMessage()
    answering(500)
    const endpointId = endpoint.id
    expect((await consume([endpoint])).wakeUps).toEqual([{ endpointId, delaySeconds: 5 }])
    pass(5)
    expect((await consume([endpoint])).wakeUps).toEqual([])
  })

  it.each([
    ['60', MINUTE],
    ['1', 5 * SECOND],
    ['0', 5 * SECOND],
    ['999999999', DAY],
    ['soon', 5 * SECOND],
    ['-100', 5 * SECOND],
  ])('waits for Retry-After: %s', async (header, delay) => {
    const { endpoint, message } = await aDueMessage()
    answering(503, { 'retry-after': header })
    await consume([endpoint])
    expect((await messageRow(message))?.dueAt).toBe(fromNow(delay))
  })

  it('waits for the date of Retry-After, also with 429', async () => {
    vi.setSystemTime(Math.ceil(Date.now() / 1000) * 1000)
    const { endpoint, message } = await aDueMessage()
    answering(429, { 'retry-after': new Date(Date.now() + HOUR).toUTCString() })
    await consume([endpoint])
    expect(await messageRow(message)).toMatchObject({ dueAt: fromNow(HOUR), attempts: 1 })
  })
})

describe('an attempt fails if the receiver', () => {
  const failureOf = async (url?: string) => {
    const { endpoint, message } = await aDueMessage(url ? { url } : {})
    await consume([endpoint])
    expect(await messageRow(message)).toMatchObject({ state: 'pending', attempts: 1 })
    return (await attemptRows(message))[0]
  }

  it('redirects', async () => {
    const url = `http://${inject('remoteHost')}/redirect?code=307&to=/empty`
    const error = 'it answered 307; redirects are not followed'
    expect(await failureOf(url)).toEqual({ status: 307, error })
  })

  it('does not answer within 15 s', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort())
    receive(() => Promise.reject(new Error('aborted')))
    expect(await failureOf()).toEqual({ status: null, error: 'it did not answer within 15 s' })
    expect(timeout).toHaveBeenCalledWith(15_000)
    timeout.mockRestore()
  })

  it('breaks the connection', async () => {
    receive(() => Promise.reject(new TypeError('https://secret.example.com refused')))
    expect(await failureOf()).toEqual({ status: null, error: 'the connection failed' })
  })

  it.each([
    ['https://10.0.0.1/', 'url: must point to a public host'],
    ['https://localhost/', 'url: must point to a public host'],
    ['http://receiver.example.com/', 'url: must be an https URL'],
  ])('is at %s', async (url, error) => {
    const received = receive()
    expect(await failureOf(url)).toEqual({ status: null, error })
    expect(received).toEqual([])
  })
})

describe('an endpoint', () => {
  it('is failing since the first failure, until a success', async () => {
    const { endpoint } = await aDueMessage()
    let status = 500
    receive(() => new Response(null, { status }))
    const firstFailure = ago(0)
    await consume([endpoint])
    pass(5)
    await consume([endpoint])
    expect(await endpointRow(endpoint)).toMatchObject({ failingSince: firstFailure })
    await change(endpoint, { warnedAt: ago(0) })
    status = 204
    pass(300)
    await consume([endpoint])
    expect(await endpointRow(endpoint)).toMatchObject({ failingSince: null, warnedAt: null })
  })

  it('that answers 410 is disabled at once, with all that waits for it, and its owner is told', async () => {
    const { endpoint, message } = await aDueMessage()
    const later = await aMessage(endpoint, { dueAt: fromNow(HOUR) })
    answering(410)
    const { mails } = await consume([endpoint])
    expect(await endpointRow(endpoint)).toMatchObject({
      disabledReason: 'gone',
      disabledAt: ago(0),
    })
    for (const failed of [message, later])
      expect(await messageRow(failed)).toMatchObject({ state: 'failed', dueAt: null })
    const host = new URL(endpoint.url).host
    expect(mails).toMatchObject([
      {
        subject: 'A webhook was disabled for marketplace.test',
        text: expect.stringContaining(`${host} has answered 410 Gone`),
      },
    ])
    expect(logged('webhook_disabled')).toEqual([{ endpointId: endpoint.id, reason: 'gone' }])
  })

  it('that is enabled and answers 410 again is disabled without another mail on this day', async () => {
    const { endpoint } = await aDueMessage()
    answering(410)
    expect((await consume([endpoint])).mails).toHaveLength(1)
    await change(endpoint, { disabledAt: null, disabledReason: null })
    await aMessage(endpoint, { dueAt: ago(0) })
    expect((await consume([endpoint])).mails).toEqual([])
    expect(await endpointRow(endpoint)).toMatchObject({ disabledReason: 'gone' })
    const reason = 'the owner was told of this today'
    expect(logged('mail_skipped')).toEqual([{ mail: 'webhook-gone', reason }])
    pass(24 * 3600)
    await change(endpoint, { disabledAt: null, disabledReason: null })
    await aMessage(endpoint, { dueAt: ago(0) })
    expect((await consume([endpoint])).mails).toHaveLength(1)
  })

  it('whose owner has many of them gets ten mails a day', async () => {
    const owner = await aUser({ email: 'many@example.com' })
    const endpoints: Endpoint[] = []
    for (let i = 0; i < 12; i++) {
      const { endpoint } = await aDueMessage({ userId: owner.id })
      endpoints.push(endpoint)
    }
    answering(410)
    expect((await consume(endpoints)).mails).toHaveLength(10)
  })

  it('gets 20 messages a run, five at a time, oldest first, and is woken again for the rest', async () => {
    const endpoint = await anEndpoint()
    const messages = []
    for (let i = 0; i < 23; i++) messages.push(await aMessage(endpoint, { dueAt: ago(MINUTE - i) }))
    let open = 0
    let most = 0
    const received = receive(async () => {
      most = Math.max(most, ++open)
      await scheduler.wait(1)
      open--
      return new Response()
    })
    expect((await consume([endpoint])).wakeUps).toEqual([
      { endpointId: endpoint.id, delaySeconds: 0 },
    ])
    expect(most).toBe(5)
    const ids = (list: typeof received) =>
      list.map(({ headers }) => headers.get('webhook-id')).sort()
    expect(ids(received)).toEqual(messages.slice(0, 20).map(({ id }) => id))
    expect((await consume([endpoint])).wakeUps).toEqual([])
    expect(ids(received)).toEqual(messages.map(({ id }) => id))
  })

  it('that does not answer does not delay another one', async () => {
    const slow = await aDueMessage()
    const fast = await aDueMessage()
    let answer = (_: Response) => {}
    receive(({ url }) =>
      url === slow.endpoint.url
        ? new Promise((resolve) => {
            answer = resolve
          })
        : new Response(),
    )
    const run = consume([slow.endpoint])
    await consume([fast.endpoint])
    expect(await messageRow(fast.message)).toMatchObject({ state: 'delivered' })
    await vi.waitFor(() => answer(new Response()))
    await run
  })
})

/** Runs the consumer, and lets something happen while the receiver has the message. */
async function during(endpoint: Endpoint, status: number, happens: () => Promise<unknown>) {
  receive(async () => {
    await happens()
    return new Response(null, { status })
  })
  return consume([endpoint])
}

describe('while a message is on its way', () => {
  it('another run sends nothing to its endpoint', async () => {
    const { endpoint, message } = await aDueMessage()
    await during(endpoint, 200, () => consume([endpoint]))
    expect(await attemptRows(message)).toHaveLength(1)
  })

  it('and it is sent again by its owner, it is sent once more', async () => {
    const { endpoint, message } = await aDueMessage()
    pass(1)
    const resend = { state: 'pending', attempts: 0, dueAt: ago(0), updatedAt: ago(0) } as const
    const { wakeUps } = await during(endpoint, 200, () =>
      db.update(webhookMessages).set(resend).where(eq(webhookMessages.id, message.id)),
    )
    expect(await messageRow(message)).toMatchObject({ state: 'pending', attempts: 0 })
    expect(wakeUps).toEqual([{ endpointId: endpoint.id, delaySeconds: 0 }])
    expect(await attemptRows(message)).toEqual([{ status: 200, error: null }])
  })

  it('and its endpoint is deleted, nothing is left', async () => {
    const { endpoint, message } = await aDueMessage()
    const { wakeUps } = await during(endpoint, 500, () =>
      db.delete(webhookEndpoints).where(eq(webhookEndpoints.id, endpoint.id)),
    )
    expect(wakeUps).toEqual([])
    expect(await messageRow(message)).toBeUndefined()
    expect(await attemptRows(message)).toEqual([])
  })

  it('and its endpoint is disabled, it fails', async () => {
    const { endpoint, message } = await aDueMessage()
    await during(endpoint, 500, () =>
      change(endpoint, { disabledAt: ago(0), disabledReason: 'owner' }),
    )
    expect(await messageRow(message)).toMatchObject({ state: 'failed', dueAt: null })
    expect(await endpointRow(endpoint)).toMatchObject({ disabledReason: 'owner' })
  })

  it('and its endpoint gets another URL, a 410 of the old one does not disable it', async () => {
    const { endpoint, message } = await aDueMessage()
    await during(endpoint, 410, () => change(endpoint, { url: 'https://new.example.com/' }))
    expect(await endpointRow(endpoint)).toMatchObject({ disabledAt: null })
    expect(await messageRow(message)).toMatchObject({ state: 'pending' })
  })

  it('and the Worker stops before it stores that, it is sent again after 90 s', async () => {
    const { endpoint, message } = await aDueMessage()
    const received = receive()
    const batch = () => Promise.reject(new Error('the Worker was stopped'))
    let trips = 0
    const DB = Object.assign(Object.create(env.DB), {
      prepare: (query: string) => env.DB.prepare(query),
      batch: (statements: D1PreparedStatement[]) =>
        ++trips === 1 ? env.DB.batch(statements) : batch(),
    })
    expect((await consume([endpoint], { DB })).wakeUps).toEqual([])
    expect(logged('webhook_run_failed')).toMatchObject([{ endpointId: endpoint.id }])
    pass(89)
    await consume([endpoint])
    expect(received).toHaveLength(1)
    pass(1)
    await consume([endpoint])
    expect(received.map(({ headers }) => headers.get('webhook-id'))).toEqual([
      message.id,
      message.id,
    ])
    expect(await messageRow(message)).toMatchObject({ state: 'delivered' })
    await consume([endpoint])
    expect(received).toHaveLength(2)
  })

  it('and another run takes over after 90 s, both results are stored, and the first counts', async () => {
    const { endpoint, message } = await aDueMessage()
    let isFirst = true
    receive(async () => {
      if (!isFirst) return new Response()
      isFirst = false
      pass(90)
      await consume([endpoint])
      return new Response(null, { status: 500 })
    })
    await consume([endpoint])
    expect(await messageRow(message)).toMatchObject({ state: 'delivered', attempts: 1 })
    expect((await attemptRows(message)).map(({ status }) => status)).toEqual([200, 500])
    expect(await endpointRow(endpoint)).toMatchObject({ failingSince: null, sendingUntil: null })
  })
})

describe('a message that waits', () => {
  it('goes to the URL that its endpoint has then, signed with the secret of then', async () => {
    const { endpoint } = await aDueMessage()
    await change(endpoint, { url: 'https://moved.example.com/', secretId: 'cd'.repeat(16) })
    const received = receive()
    await consume([endpoint])
    const [{ url, headers, body } = { url: '', headers: new Headers(), body: '' }] = received
    expect(url).toBe('https://moved.example.com/')
    const secret = await webhookSecret(readSettings(env), 'cd'.repeat(16))
    new Webhook(secret).verify(body, Object.fromEntries(headers))
  })

  it.each<[string, (endpoint: Endpoint) => PromiseLike<unknown>]>([
    [
      'was disabled',
      (endpoint) => change(endpoint, { disabledAt: ago(0), disabledReason: 'owner' }),
    ],
    [
      'belongs to a user who was removed',
      ({ userId }) =>
        db
          .update(users)
          .set({ removedAt: ago(0) })
          .where(eq(users.id, userId)),
    ],
    [
      'belongs to a user who is no administrator any more',
      ({ userId }) => db.update(users).set({ roleId: null }).where(eq(users.id, userId)),
    ],
  ])('fails if its endpoint %s', async (_, happens) => {
    const { id: userId } = await aUser({ roleId: 1 })
    const { endpoint, message } = await aDueMessage({ userId, role: 'master' })
    const received = receive()
    await happens(endpoint)
    await consume([endpoint])
    expect(received).toEqual([])
    expect(await messageRow(message)).toMatchObject({ state: 'failed', dueAt: null, attempts: 0 })
  })
})

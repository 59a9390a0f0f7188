import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { users } from '../../src/db/schema/users.ts'
import { webhookEndpoints, webhookMessages } from '../../src/db/schema/webhooks.ts'
import { readSettings } from '../../src/env.ts'
import { webhookSecret } from '../../src/events/secret.ts'
import { call } from '../support/api.ts'
import { pass, startClock } from '../support/delivery/clock.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aToken, aUser, db } from '../support/makers.ts'
import { PATIENCE } from '../support/patience.ts'
import {
  aDueEvent,
  ago,
  anEndpoint,
  anEvent,
  aTest,
  change,
  consume,
  type Endpoint,
  endpointRow,
  fromNow,
  hasEvents,
  idsIn,
  messageRow,
  nameOf,
  receive,
  receiveSlowly,
  resendPath,
  someEvents,
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

/** Changes an endpoint as its owner does. */
const changeAsOwner = (endpoint: Endpoint, values: Parameters<typeof change>[1]) =>
  change(endpoint, { updatedAt: ago(1), ...values })

const answering = (status: number, headers: Record<string, string> = {}) =>
  receive(() => new Response(null, { status, headers }))

const NOTHING = { mails: [], wakeUps: [], masterWakeUps: [] }

describe('an event', () => {
  it('is sent once, signed with the time of the attempt, and leaves no row', async () => {
    const { endpoint, event } = await aDueEvent()
    pass(30)
    const received = receive()
    expect(await consume([endpoint])).toEqual(NOTHING)
    expect(await consume([endpoint])).toEqual(NOTHING)
    expect(received).toHaveLength(1)
    const [{ url, headers, body } = { headers: new Headers(), body: '', url: '' }] = received
    expect({ url, body }).toEqual({ url: endpoint.url, body: event.body })
    expect(Object.fromEntries(headers)).toEqual({
      'content-type': 'application/json',
      'user-agent': 'marketplace-api (webhooks)',
      'webhook-id': nameOf(event),
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    })
    const secret = await webhookSecret(readSettings(env), endpoint.secretId)
    const verified = new Webhook(secret).verify(body, Object.fromEntries(headers))
    expect(verified).toEqual(JSON.parse(event.body))
    expect(await messageRow(event)).toBeUndefined()
    expect(await endpointRow(endpoint)).toMatchObject({
      position: event.id,
      dueAt: null,
      leaseUntil: null,
      failingSince: null,
    })
  })

  it('is signed with both secrets for 24 hours after a rotation, then with the new one', async () => {
    const previousSecretId = 'ab'.repeat(16)
    const rotated = { previousSecretId, previousSecretUntil: fromNow(DAY) }
    const { endpoint } = await aDueEvent(rotated)
    const received = receive()
    await consume([endpoint])
    pass(DAY / SECOND)
    await anEvent({ sellerId: endpoint.userId })
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

  it('is signed with the time of the machine if only `Date` was moved', async () => {
    const { endpoint } = await aDueEvent()
    const received = receive()
    const machineTime = Date.now() - DAY
    vi.stubGlobal('performance', { timeOrigin: 0, now: () => machineTime })
    await consume([endpoint])
    expect(received[0]?.headers.get('webhook-timestamp')).toBe(
      String(Math.floor(machineTime / 1000)),
    )
  })

  it('is sent again 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h after a failure, then fails', async () => {
    const { endpoint, event } = await aDueEvent()
    const received = answering(500)
    const delays: number[] = []
    for (;;) {
      await consume([endpoint])
      const row = await messageRow(event)
      if (!row?.dueAt) break
      expect((await endpointRow(endpoint)).dueAt).toBe(row.dueAt)
      delays.push((Date.parse(row.dueAt) - Date.now()) / MINUTE)
      pass((Date.parse(row.dueAt) - Date.now()) / SECOND - 1)
      await consume([endpoint])
      pass(1)
    }
    expect(delays).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440])
    expect(received).toHaveLength(10)
    expect(new Set(idsIn(received))).toEqual(new Set([nameOf(event)]))
    expect(new Set(received.map(({ headers }) => headers.get('webhook-timestamp'))).size).toBe(10)
    const row = await messageRow(event)
    expect(row).toMatchObject({ state: 'failed', tries: 10 })
    expect(row?.attempts.map(({ status, error }) => [status, error])).toEqual(
      Array(10).fill([500, 'it answered 500']),
    )
    expect(logged('webhook_failed').at(-1)).toEqual({
      endpointId: endpoint.id,
      messageId: nameOf(event),
      attempt: 10,
      status: 500,
      reason: 'it answered 500',
    })
  })

  it('waits up to 10 % longer at random', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const { endpoint, event } = await aDueEvent()
    answering(500)
    await consume([endpoint])
    expect((await messageRow(event))?.dueAt).toBe(fromNow(5250))
  })

  it('plans the retry after 5 s with a message of the queue, and leaves later ones to cron', async () => {
    const { endpoint } = await aDueEvent()
    answering(500)
    const endpointId = endpoint.id
    expect((await consume([endpoint])).wakeUps).toEqual([{ endpointId, delaySeconds: 5 }])
    pass(5)
    expect((await consume([endpoint])).wakeUps).toEqual([])
  })

  it('that is due in less than a minute is planned, also if its endpoint was woken before', async () => {
    const { endpoint } = await aDueEvent()
    answering(500)
    await consume([endpoint])
    pass(5)
    await consume([endpoint])
    pass(270)
    await anEvent({ sellerId: endpoint.userId })
    receive()
    const planned = [{ endpointId: endpoint.id, delaySeconds: 30 }]
    expect((await consume([endpoint])).wakeUps).toEqual(planned)
  })

  it.each([
    ['60', MINUTE],
    ['999999999', DAY],
    ['soon', 5 * SECOND],
  ])('waits for Retry-After: %s', async (header, delay) => {
    const { endpoint, event } = await aDueEvent()
    answering(503, { 'retry-after': header })
    await consume([endpoint])
    expect((await messageRow(event))?.dueAt).toBe(fromNow(delay))
  })

  it('waits for the date of Retry-After, also with 429', async () => {
    vi.setSystemTime(Math.ceil(Date.now() / 1000) * 1000)
    const { endpoint, event } = await aDueEvent()
    answering(429, { 'retry-after': new Date(Date.now() + HOUR).toUTCString() })
    await consume([endpoint])
    expect(await messageRow(event)).toMatchObject({ dueAt: fromNow(HOUR), tries: 1 })
  })
})

describe('an attempt fails if the receiver', () => {
  const failureOf = async (url?: string) => {
    const { endpoint, event } = await aDueEvent(url ? { url } : {})
    await consume([endpoint])
    const row = await messageRow(event)
    expect(row).toMatchObject({ state: 'pending', tries: 1 })
    const [{ status, error } = {}] = row?.attempts ?? []
    return { status, error }
  }

  it('redirects', async () => {
    const url = `http://${inject('remoteHost')}/redirect?code=307&to=/empty`
    const error = 'it answered 307; redirects are not followed'
    expect(await failureOf(url)).toEqual({ status: 307, error })
  })

  it('has no TLS that Cloudflare takes, which answers instead', async () => {
    answering(526)
    const error = 'its certificate is not trusted, so Cloudflare answered 526'
    expect(await failureOf()).toEqual({ status: 526, error })
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
    ['http://receiver.example.com/', 'url: must be an https URL'],
  ])('is at %s', async (url, error) => {
    const received = receive()
    expect(await failureOf(url)).toEqual({ status: null, error })
    expect(received).toEqual([])
  })
})

describe('an endpoint', () => {
  it('is failing since the first failure, until a success', async () => {
    const { endpoint } = await aDueEvent()
    let status = 500
    receive(() => new Response(null, { status }))
    const firstFailure = ago(0)
    await consume([endpoint])
    pass(5)
    await consume([endpoint])
    expect(await endpointRow(endpoint)).toMatchObject({ failingSince: firstFailure, penalty: 2 })
    await changeAsOwner(endpoint, { warnedAt: ago(0) })
    status = 204
    pass(300)
    await consume([endpoint])
    const healthy = { failingSince: null, warnedAt: null, penalty: 0, pausedUntil: null }
    expect(await endpointRow(endpoint)).toMatchObject(healthy)
  })

  it('that answers 410 is disabled at once, and keeps what waits', async () => {
    const { endpoint, event } = await aDueEvent()
    const later = await anEvent({ sellerId: endpoint.userId })
    const received = answering(410)
    await consume([endpoint])
    expect(received).toHaveLength(1)
    expect(await endpointRow(endpoint)).toMatchObject({
      disabledReason: 'gone',
      disabledAt: ago(0),
      position: event.id,
    })
    expect(await hasEvents(endpoint)).toBe(true)
    pass(DAY / SECOND)
    expect(await consume([endpoint])).toEqual(NOTHING)
    expect(received).toHaveLength(1)
    const again = receive()
    await changeAsOwner(endpoint, { disabledAt: null, disabledReason: null, penalty: 0 })
    await consume([endpoint])
    expect(idsIn(again).sort()).toEqual([nameOf(event), nameOf(later)])
  })

  it('gets events in their order, the first alone, then six at a time', async () => {
    const endpoint = await anEndpoint()
    const sent = await someEvents({ sellerId: endpoint.userId }, 130)
    const open: number[] = []
    let count = 0
    const received = receive(async () => {
      open.push(++count)
      await scheduler.wait(1)
      count--
      return new Response()
    })
    expect(await consume([endpoint])).toEqual(NOTHING)
    expect(idsIn(received)).toEqual(sent.map(nameOf))
    expect(open[1]).toBe(1)
    expect(Math.max(...open)).toBe(6)
    expect(await endpointRow(endpoint)).toMatchObject({ position: sent.at(-1)?.id, dueAt: null })
  })

  it('gets nothing twice and misses nothing that comes during a run', async () => {
    const endpoint = await anEndpoint()
    const sent = [await anEvent({ sellerId: endpoint.userId })]
    const received = receive(async () => {
      if (sent.length < 20) sent.push(await anEvent({ sellerId: endpoint.userId }))
      return new Response()
    })
    await consume([endpoint])
    expect(idsIn(received)).toEqual(sent.map(nameOf))
    expect(await endpointRow(endpoint)).toMatchObject({ dueAt: null })
  })

  it('that begins to reject gets ten events at most, then one a run', async () => {
    const endpoint = await anEndpoint()
    await anEvent({ sellerId: endpoint.userId }, 50)
    const received = answering(500)
    await consume([endpoint])
    expect(received.length).toBeLessThanOrEqual(10)
    const before = received.length
    const pauses: number[] = []
    for (let run = 0; run < 9; run++) {
      const { dueAt } = await endpointRow(endpoint)
      pauses.push((Date.parse(dueAt ?? '') - Date.now()) / SECOND)
      pass(pauses.at(-1) ?? 0)
      await consume([endpoint])
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
    expect(received).toHaveLength(before + 9)
  })

  it('with 1,000 messages that wait for another attempt gets no event of the log', async () => {
    const { endpoint, event } = await aDueEvent()
    const numbers = `WITH RECURSIVE n(value) AS
      (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 1000)`
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO events (id, type, at, data) ${numbers} SELECT ? - value, 'order.created', '', '{}' FROM n`,
      ).bind(event.id),
      env.DB.prepare(
        `INSERT INTO webhookMessages (eventId, endpointId, state, tries, dueAt)
         ${numbers} SELECT ? - value, ?, 'pending', 1, ? FROM n`,
      ).bind(event.id, endpoint.id, fromNow(HOUR)),
    ])
    const received = receive()
    await consume([endpoint])
    expect(received).toEqual([])
    expect(await endpointRow(endpoint)).toMatchObject({ dueAt: fromNow(HOUR) })
    expect(await hasEvents(endpoint)).toBe(true)
    await db.delete(webhookMessages)
    pass(HOUR / SECOND)
    await consume([endpoint])
    expect(idsIn(received)).toEqual([nameOf(event)])
  })

  it.each<[string, number, (number | null)[], number, number | null]>([
    ['accepts one, then rejects five', 0, [200, 500, 500, 500, 500, 500], 5, 5],
    ['rejects four, then accepts one', 0, [500, 500, 500, 500, 200], 0, null],
    ['accepts one after four rejections', 4, [200], 0, null],
    ['accepts one after the first pause', 5, [200], 4, null],
    ['rejects one after the first pause', 5, [500], 7, 10],
    ['does not answer', 0, [null], 7, 10],
    ['does not answer after many pauses', 16, [null], 17, 300],
  ])('that %s: its penalty and pause', async (_, before, answers, penalty, seconds) => {
    const endpoint = await anEndpoint({ penalty: before })
    const left = [...answers]
    await anEvent({ sellerId: endpoint.userId }, answers.length)
    receive(() => {
      const status = left.shift()
      if (!status) throw new TypeError('the connection was refused')
      return new Response(null, { status })
    })
    await consume([endpoint])
    const pausedUntil = seconds && fromNow(seconds * SECOND)
    expect(await endpointRow(endpoint)).toMatchObject({ penalty, pausedUntil })
  })

  it('that does not answer does not delay another one', async () => {
    const slow = await aDueEvent()
    const fast = await aDueEvent()
    let answer = (_: Response) => {}
    const received = receive(({ url }) =>
      url === slow.endpoint.url
        ? new Promise((resolve) => {
            answer = resolve
          })
        : new Response(),
    )
    const run = consume([slow.endpoint, fast.endpoint])
    await vi.waitFor(() => expect(received).toHaveLength(2), PATIENCE)
    await vi.waitFor(async () => {
      expect(await endpointRow(fast.endpoint)).toMatchObject({ position: fast.event.id })
    }, PATIENCE)
    answer(new Response())
    await run
  })

  it('shares the six connections of a call with the others', async () => {
    const endpoints = [await anEndpoint(), await anEndpoint(), await anEndpoint()]
    for (const { userId } of endpoints) await anEvent({ sellerId: userId }, 20)
    let open = 0
    let most = 0
    const received = receive(async () => {
      most = Math.max(most, ++open)
      await scheduler.wait(1)
      open--
      return new Response()
    })
    await consume(endpoints)
    expect(received).toHaveLength(60)
    expect(most).toBe(6)
  })

  it('shares the 90 batches of a call with the others, and goes on in the next one', async () => {
    const { id: first } = await anEvent()
    await env.DB.prepare(
      `WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 17000)
       INSERT INTO events (id, type, at, data) SELECT ? + value, 'order.created', '', '{}' FROM n`,
    )
      .bind(first)
      .run()
    const values = { position: first, dueAt: ago(0) }
    const endpoint = await anEndpoint(values)
    const others: Endpoint[] = []
    for (let i = 0; i < 5; i++) others.push(await anEndpoint())
    const { wakeUps } = await consume([endpoint, ...others])
    expect(await endpointRow(endpoint)).toMatchObject({ position: first + 15_000 })
    expect(wakeUps).toEqual([{ endpointId: endpoint.id, delaySeconds: 0 }])
    await consume([endpoint])
    expect(await endpointRow(endpoint)).toMatchObject({ dueAt: null })
  })

  it('of a user of whom runs send to two waits, and is woken by them', async () => {
    const { id: userId } = await aUser()
    const endpoints = [
      await anEndpoint({ userId }),
      await anEndpoint({ userId }),
      await anEndpoint({ userId }),
    ]
    await anEvent({ sellerId: userId })
    const answers: (() => void)[] = []
    const received = receive(
      () => new Promise((resolve) => answers.push(() => resolve(new Response()))),
    )
    const run = consume(endpoints)
    await vi.waitFor(() => expect(received).toHaveLength(2), PATIENCE)
    for (const answer of answers) answer()
    const { wakeUps } = await run
    expect(wakeUps.length).toBeGreaterThan(0)
    const [{ endpointId } = { endpointId: '' }] = wakeUps
    expect(endpoints.map(({ id }) => id)).toContain(endpointId)
    const again = receive()
    await consume([{ id: endpointId }])
    expect(again).toHaveLength(1)
  })

  it('leaves its turn to another after 5 s, and goes on for a minute if there is none', async () => {
    const runs = async (endpoint: Endpoint) => {
      await anEvent({ sellerId: endpoint.userId }, 420)
      const received = receiveSlowly()
      const { wakeUps } = await consume([endpoint])
      return { sent: received.length, wakeUps }
    }
    await db.delete(webhookEndpoints)
    const alone = await anEndpoint()
    expect(await runs(alone)).toEqual({ sent: 420, wakeUps: [] })
    const { endpoint: other } = await aDueEvent()
    const endpoint = await anEndpoint()
    expect(await runs(endpoint)).toEqual({
      sent: 100,
      wakeUps: [{ endpointId: endpoint.id, delaySeconds: 0 }],
    })
    expect(await endpointRow(other)).toMatchObject({ leaseUntil: null })
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

describe('while an event is on its way', () => {
  it('another run sends nothing to its endpoint', async () => {
    const { endpoint } = await aDueEvent()
    let runs = 0
    await during(endpoint, 200, () => {
      runs++
      return consume([endpoint])
    })
    expect(runs).toBe(1)
  })

  it('and it is sent again by its owner, it is sent once more', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const { endpoint, event } = await aDueEvent({ userId: user.id })
    answering(500)
    await consume([endpoint])
    pass(5)
    const path = resendPath(endpoint, event)
    let isFirst = true
    const received = receive(async () => {
      if (isFirst) expect((await call('POST', path, { token })).status).toBe(200)
      isFirst = false
      return new Response()
    })
    pass(1)
    await consume([endpoint])
    expect(idsIn(received)).toEqual([nameOf(event), nameOf(event)])
    const row = await messageRow(event)
    expect(row).toMatchObject({ state: 'delivered', tries: 1 })
    expect(row?.attempts).toHaveLength(3)
  })

  it('and its endpoint is deleted, nothing is left', async () => {
    const { endpoint, event } = await aDueEvent()
    const { wakeUps } = await during(endpoint, 500, () =>
      changeAsOwner(endpoint, { deletedAt: ago(0), disabledAt: ago(0), disabledReason: 'owner' }),
    )
    expect(wakeUps).toEqual([])
    expect(await messageRow(event)).toBeUndefined()
  })

  it('and its endpoint gets another URL, a 410 of the old one does not disable it', async () => {
    const { endpoint, event } = await aDueEvent()
    const url = 'https://new.example.com/'
    receive(async (request) => {
      if (request.url === url) return new Response()
      await changeAsOwner(endpoint, { url })
      return new Response(null, { status: 410 })
    })
    await consume([endpoint])
    expect(await endpointRow(endpoint)).toMatchObject({ disabledAt: null })
    expect(await messageRow(event)).toMatchObject({ state: 'pending' })
  })

  it('and its endpoint is deleted or disabled amid a batch, what begins within two seconds is sent', async () => {
    const { endpoint } = await aDueEvent()
    await anEvent({ sellerId: endpoint.userId }, 50)
    let isFirst = true
    const received = receive(async () => {
      if (isFirst) await changeAsOwner(endpoint, { disabledAt: ago(0), disabledReason: 'owner' })
      isFirst = false
      pass(0.5)
      return new Response()
    })
    await consume([endpoint])
    expect(received.length).toBeLessThan(12)
  })

  it('and its endpoint is replayed, the new position counts', async () => {
    const { endpoint, event } = await aDueEvent()
    const later = await anEvent({ sellerId: endpoint.userId })
    let isFirst = true
    const received = receive(async ({ headers }) => {
      if (isFirst && headers.get('webhook-id') === nameOf(later)) {
        isFirst = false
        await changeAsOwner(endpoint, { position: event.id - 1, dueAt: ago(0) })
      }
      return new Response()
    })
    await changeAsOwner(endpoint, { position: event.id })
    await consume([endpoint])
    expect(idsIn(received)).toEqual([nameOf(later), nameOf(event), nameOf(later)])
    expect(await endpointRow(endpoint)).toMatchObject({ position: later.id, dueAt: null })
  })

  it('and another run takes over after 60 s, the first one changes nothing', async () => {
    const { endpoint, event } = await aDueEvent()
    let isFirst = true
    receive(async () => {
      if (!isFirst) return new Response()
      isFirst = false
      pass(60)
      await consume([endpoint])
      return new Response(null, { status: 500 })
    })
    expect(await consume([endpoint])).toEqual(NOTHING)
    expect(await messageRow(event)).toBeUndefined()
    expect(await endpointRow(endpoint)).toMatchObject({ failingSince: null, leaseUntil: null })
  })
})

it.each<[string, (endpoint: Endpoint) => PromiseLike<unknown>]>([
  [
    'was disabled',
    (endpoint) => changeAsOwner(endpoint, { disabledAt: ago(0), disabledReason: 'owner' }),
  ],
  [
    'belongs to a user who is no administrator any more',
    ({ userId }) => db.update(users).set({ roleId: null }).where(eq(users.id, userId)),
  ],
])('an event that waits is not sent if its endpoint %s', async (_, happens) => {
  const { id: userId } = await aUser({ roleId: 1 })
  const { endpoint } = await aDueEvent({ userId, role: 'master' })
  const received = receive()
  await happens(endpoint)
  await consume([endpoint])
  expect(received).toEqual([])
  expect(await hasEvents(endpoint)).toBe(true)
})

describe('an endpoint that is not verified', () => {
  const challenge = 'c0ffee'
  const unverified = async () => {
    const { endpoint, event } = await aDueEvent({ verifiedAt: null })
    return { endpoint, event, test: await aTest(endpoint, challenge) }
  }

  it('gets tests and no event', async () => {
    const { endpoint, test } = await unverified()
    const received = receive()
    await consume([endpoint])
    expect(idsIn(received)).toEqual([nameOf(test)])
    expect(await endpointRow(endpoint)).toMatchObject({ verifiedAt: null })
    const row = await messageRow(test)
    expect(row).toMatchObject({ state: 'pending', dueAt: fromNow(5 * SECOND) })
    expect(row?.attempts[0]?.error).toBe('it did not answer the challenge')
  })

  it('is verified by a test that it answers with the challenge, and gets what it has missed', async () => {
    const { endpoint, event, test } = await unverified()
    const received = receive(
      ({ body }) => new Response(`${JSON.parse(body).data.challenge ?? ''}\n`),
    )
    await consume([endpoint])
    expect(idsIn(received)).toEqual([nameOf(test), nameOf(event)])
    expect(await endpointRow(endpoint)).toMatchObject({ verifiedAt: ago(0), dueAt: null })
    expect(await messageRow(test)).toMatchObject({ state: 'delivered' })
  })

  it('is verified by the challenge as JSON', async () => {
    const { endpoint } = await unverified()
    receive(() => new Response('{ "challenge": "c0ffee" }'))
    await consume([endpoint])
    expect(await endpointRow(endpoint)).toMatchObject({ verifiedAt: ago(0) })
  })

  it.each([
    ['another text', () => new Response('c0ffe')],
    ['a longer text', () => new Response(`${challenge}${'0'.repeat(1_000_000)}`)],
    ['what it got', (body: string) => new Response(body)],
    ['the challenge with an error', () => new Response(challenge, { status: 500 })],
  ])('is not verified by %s', async (_, answer) => {
    const { endpoint } = await unverified()
    receive(({ body }) => answer(body))
    await consume([endpoint])
    expect(await endpointRow(endpoint)).toMatchObject({ verifiedAt: null })
  })

  it('is not verified by an answer of another URL', async () => {
    const { endpoint } = await unverified()
    receive(async () => {
      await changeAsOwner(endpoint, { url: 'https://victim.example.com/' })
      return new Response(challenge)
    })
    await consume([endpoint])
    expect(await endpointRow(endpoint)).toMatchObject({ verifiedAt: null })
  })
})

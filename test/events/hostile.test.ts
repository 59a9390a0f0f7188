/** What hostile owners and receivers, and Workers that meet at a bad moment, must not achieve. */
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { events, webhookEndpoints, webhookMessages } from '../../src/db/schema/webhooks.ts'
import { pruneEvents } from '../../src/events/log.ts'
import { call, callWith } from '../support/api.ts'
import { pass, startClock } from '../support/delivery/clock.ts'
import { aToken, aUser, db } from '../support/makers.ts'
import { measured } from '../support/measured.ts'
import {
  aDueEvent,
  ago,
  anEndpoint,
  anEvent,
  aTest,
  change,
  consume,
  databaseOf,
  type Endpoint,
  endpointRow,
  fromNow,
  idsIn,
  messageRow,
  nameOf,
  receive,
  receiveSlowly,
  recordingBindings,
  resendPath,
  someEvents,
} from './endpoints.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND
const DAY = 24 * HOUR

beforeEach(async () => {
  startClock()
  vi.spyOn(Math, 'random').mockReturnValue(0)
  await db.delete(webhookMessages)
  await db.delete(webhookEndpoints)
  await db.delete(events)
})

/** Changes an endpoint as its owner does. */
async function changeByApi({ id, userId }: Endpoint, json: Record<string, unknown>) {
  const { bindings } = recordingBindings()
  const token = await aToken({ id: userId })
  const response = await callWith(bindings, 'PUT', `/api/webhooks/${id}`, { token, json })
  expect(response.status).toBe(200)
}

/** A database that counts its trips, and fails after `max` of them, so that a test ends. */
function limited(max: number) {
  const count = { trips: 0 }
  const DB = databaseOf((send) =>
    ++count.trips > max ? Promise.reject(new Error('too many trips')) : send(),
  )
  return { DB, count }
}

/** Many messages of an endpoint about as many events. */
async function manyMessages(endpoint: Endpoint, count: number, state: 'pending' | 'failed') {
  const numbers = `WITH RECURSIVE n(value) AS
    (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ${count})`
  const first = (Date.now() - DAY) * 1000
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO events (id, type, sellerId, at, data) ${numbers}
        SELECT ? + value, 'order.created', ?, ?, '{}' FROM n`,
    ).bind(first, endpoint.userId, ago(DAY)),
    env.DB.prepare(
      `INSERT INTO webhookMessages (eventId, endpointId, state, tries, dueAt)
        ${numbers} SELECT ? + value, ?, ?, 0, ? FROM n`,
    ).bind(first, endpoint.id, state, state === 'pending' ? ago(1) : null),
  ])
  const end = { position: first + count, logFrom: first }
  await change(endpoint, {
    ...end,
    ...(state === 'pending' && { dueAt: ago(1) }),
  })
}

describe('a message', () => {
  it('whose event is removed during its attempt leaves no row that wakes its endpoint for ever', async () => {
    const endpoint = await anEndpoint()
    const event = await anEvent({ sellerId: endpoint.userId, at: ago(30 * DAY + HOUR) })
    await anEvent({ sellerId: endpoint.userId + 1, at: ago(30 * DAY + HOUR / 2) })
    receive(async () => {
      // The cron run, while the receiver takes its time.
      await db.batch(pruneEvents(db, new Date()) as never)
      return new Response(null, { status: 500 })
    })
    await consume([endpoint])
    pass(5)
    const { DB, count } = limited(50)
    await consume([endpoint], { DB })
    expect.soft(await messageRow(event)).toBeUndefined()
    // Without the limit, this run goes on for a minute, and then wakes itself at once.
    expect(count.trips).toBeLessThan(5)
  })

  it('that waits for another attempt is sent once after a replay, not from the log as well', async () => {
    const { endpoint, event } = await aDueEvent()
    let status = 500
    const received = receive(() => new Response(null, { status }))
    await consume([endpoint])
    expect(await messageRow(event)).toMatchObject({ state: 'pending', tries: 1 })
    pass(5)
    status = 200
    // What replayEvents does.
    await change(endpoint, { position: event.id - 1, dueAt: ago(0) })
    received.length = 0
    await consume([endpoint])
    expect.soft(idsIn(received)).toEqual([nameOf(event)])
    expect((await messageRow(event))?.attempts.map(({ status }) => status)).toEqual([500, 200])
  })

  it('that waits in the log behind others and is sent again by its owner is sent once, in its turn', async () => {
    const user = await aUser()
    const endpoint = await anEndpoint({ userId: user.id, penalty: 7 })
    const sent = [await anEvent({ sellerId: user.id }), await anEvent({ sellerId: user.id })]
    const path = resendPath(endpoint, sent[1] ?? { id: 0 })
    const response = await call('POST', path, { token: await aToken(user) })
    expect(await response.json()).toMatchObject({ message: { state: 'waiting', dueAt: null } })
    const received = receive()
    await consume([endpoint])
    expect(idsIn(received)).toEqual(sent.map(nameOf))
  })

  it('that waits for another attempt and is sent again by its owner is sent now, and once', async () => {
    const user = await aUser()
    const { endpoint, event } = await aDueEvent({ userId: user.id })
    receive(() => new Response(null, { status: 500 }))
    await consume([endpoint])
    pass(5)
    await consume([endpoint])
    const path = resendPath(endpoint, event)
    const response = await call('POST', path, { token: await aToken(user) })
    expect(await response.json()).toMatchObject({ message: { state: 'pending', dueAt: ago(0) } })
    const received = receive()
    await consume([endpoint])
    await consume([endpoint])
    expect(idsIn(received)).toEqual([nameOf(event)])
  })

  it('a test that verified its URL is not `failed`, because another one was sent meanwhile', async () => {
    const endpoint = await anEndpoint({ verifiedAt: null })
    const test = await aTest(endpoint, 'c0ffee')
    let isFirst = true
    receive(async ({ body }) => {
      if (isFirst) {
        isFirst = false
        pass(1)
        await aTest(endpoint, 'decaf')
      }
      return new Response(JSON.parse(body).data.challenge)
    })
    await consume([endpoint])
    expect(await endpointRow(endpoint)).toMatchObject({ verifiedAt: expect.any(String) })
    expect(await messageRow(test)).toMatchObject({ state: 'delivered' })
  })
})

describe('an endpoint', () => {
  it('whose URL is changed while messages wait gets them at the new one, once that is verified', async () => {
    const user = await aUser()
    const { endpoint, event } = await aDueEvent({ userId: user.id })
    receive(() => new Response(null, { status: 500 }))
    await consume([endpoint])
    pass(1)
    const waiting = await anEvent({ sellerId: user.id })
    const url = 'https://new.example.com/'
    await changeByApi(endpoint, { url })
    const received = receive(({ body }) => new Response(JSON.parse(body).data.challenge))
    await consume([endpoint])
    pass(4)
    await consume([endpoint])
    expect(new Set(received.map((request) => request.url))).toEqual(new Set([url]))
    expect(idsIn(received).slice(1)).toEqual([nameOf(waiting), nameOf(event)])
    expect(await endpointRow(endpoint)).toMatchObject({ dueAt: null, penalty: 0 })
  })

  it('that is disabled and enabled while a message is on its way gets nothing twice', async () => {
    const { endpoint, event } = await aDueEvent()
    const waiting = await anEvent({ sellerId: endpoint.userId })
    let isFirst = true
    const received = receive(async () => {
      if (isFirst) await changeByApi(endpoint, { enabled: false })
      if (isFirst) await changeByApi(endpoint, { enabled: true })
      isFirst = false
      return new Response()
    })
    await consume([endpoint])
    expect(idsIn(received)).toEqual([nameOf(event), nameOf(waiting)])
  })

  it('for which other events are chosen while a message is on its way gets these', async () => {
    const { endpoint, event } = await aDueEvent({ events: ['order.created'] })
    const failed = await anEvent({ sellerId: endpoint.userId, type: 'order.failed' })
    let isFirst = true
    const received = receive(async () => {
      if (isFirst) await changeByApi(endpoint, { events: ['order.failed'] })
      isFirst = false
      return new Response()
    })
    await consume([endpoint])
    expect(idsIn(received)).toEqual([nameOf(event), nameOf(failed)])
  })

  it('that needs 14 s for each answer gets its messages one after the other, in its turn', async () => {
    const endpoint = await anEndpoint()
    const sent = await someEvents({ sellerId: endpoint.userId }, 6)
    const received = receive(() => {
      pass(14)
      return new Response()
    })
    expect((await consume([endpoint])).wakeUps).toEqual([
      { endpointId: endpoint.id, delaySeconds: 0 },
    ])
    expect(idsIn(received)).toEqual(sent.slice(0, 5).map(nameOf))
    await consume([endpoint])
    expect(idsIn(received)).toEqual(sent.map(nameOf))
  })
})

describe('a statement reads about a page', () => {
  const MANY = 1000
  const mostRead = async (endpoint: Endpoint) => {
    const { database, trips } = measured(env.DB)
    receive(() => Promise.reject(new Error('aborted')))
    await consume([endpoint], { DB: database })
    expect(trips.length).toBeGreaterThan(0)
    return Math.max(...trips.flatMap(({ reads }) => reads))
  }

  it('of the due messages, however many their owner has sent again', async () => {
    const endpoint = await anEndpoint()
    await manyMessages(endpoint, MANY, 'pending')
    expect(await mostRead(endpoint)).toBeLessThan(4000)
  })

  it('of the messages of an endpoint with a new URL', async () => {
    const endpoint = await anEndpoint()
    await manyMessages(endpoint, MANY, 'pending')
    await change(endpoint, { verifiedAt: null })
    await aTest(endpoint)
    expect(await mostRead(endpoint)).toBeLessThan(8000)
  })

  it('of the failed messages that a page shows', async () => {
    const user = await aUser()
    const endpoint = await anEndpoint({ userId: user.id })
    await manyMessages(endpoint, MANY, 'failed')
    const { database, trips } = measured(env.DB)
    const path = `/api/webhooks/${endpoint.id}/messages?state=failed&limit=10`
    const token = await aToken(user)
    expect((await callWith({ DB: database }, 'GET', path, { token })).status).toBe(200)
    expect(Math.max(...trips.flatMap(({ reads }) => reads))).toBeLessThan(1000)
  })

  it('because an owner cannot send again more than 1,000 messages that wait', async () => {
    const user = await aUser()
    const endpoint = await anEndpoint({ userId: user.id })
    await manyMessages(endpoint, 1000, 'pending')
    const event = await anEvent({ sellerId: user.id })
    const path = resendPath(endpoint, event)
    const { status } = await call('POST', path, { token: await aToken(user) })
    expect([409, 429]).toContain(status)
  })
})

describe('a hostile receiver', () => {
  it('is not tried during its pause, however often its owner sends a message again', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const { endpoint, event } = await aDueEvent({ userId: user.id, penalty: 11 })
    const received = receive(() => Promise.reject(new Error('aborted')))
    for (let i = 0; i < 5; i++) {
      pass(1)
      const path = resendPath(endpoint, event)
      expect((await call('POST', path, { token })).status).toBe(200)
      await consume([endpoint])
    }
    expect(received.length).toBeLessThanOrEqual(2)
  })

  it('that fails for a URL does not let the next URL pause and fail', async () => {
    const { endpoint } = await aDueEvent({ penalty: 11, failingSince: ago(4 * DAY) })
    const url = 'https://repaired.example.com/'
    receive(async (request) => {
      if (request.url === url) return new Response(JSON.parse(request.body).data.challenge)
      await changeByApi(endpoint, { url })
      throw new Error('aborted')
    })
    await consume([endpoint])
    const { penalty, pausedUntil, failingSince, verifiedAt } = await endpointRow(endpoint)
    expect.soft({ penalty, pausedUntil, failingSince }).toEqual({
      penalty: 0,
      pausedUntil: null,
      failingSince: null,
    })
    expect(verifiedAt).toBe(ago(0))
  })

  it('whose owner has a third endpoint that may not be claimed does not shorten the runs of others', async () => {
    const { id: userId } = await aUser()
    for (let i = 0; i < 2; i++) await anEndpoint({ userId, leaseUntil: fromNow(DAY) })
    await anEndpoint({ userId, dueAt: ago(DAY) })
    const endpoint = await anEndpoint()
    await anEvent({ sellerId: endpoint.userId }, 320)
    const received = receiveSlowly()
    await consume([endpoint])
    expect(received).toHaveLength(320)
  })

  it('does not let an endpoint of the same owner starve: the other has the next turn', async () => {
    const { id: userId } = await aUser()
    await anEndpoint({ userId, events: ['alarm.raised'], leaseUntil: fromNow(DAY) })
    const busy = await anEndpoint({ userId, events: ['order.created'] })
    const other = await anEndpoint({ userId, events: ['order.failed'] })
    await anEvent({ sellerId: userId }, 320)
    await anEvent({ sellerId: userId, type: 'order.failed' })
    const received = receiveSlowly()
    const { wakeUps } = await consume([busy])
    await consume(wakeUps.map(({ endpointId }) => ({ id: endpointId })))
    expect(received.map(({ url }) => url)).toContain(other.url)
  })
})

it('an event plans one wake-up for its endpoint, however often it is woken before', async () => {
  const { endpoint } = await aDueEvent()
  let status = 500
  receive(() => new Response(null, { status }))
  const wakeUps = [...(await consume([endpoint])).wakeUps]
  for (let i = 0; i < 3; i++) {
    pass(1)
    status = 200
    // Events that come meanwhile, with their own wake-ups.
    await anEvent({ sellerId: endpoint.userId })
    wakeUps.push(...(await consume([endpoint])).wakeUps)
  }
  expect(wakeUps).toHaveLength(1)
})

import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { runCron } from '../../src/cron.ts'
import { quotas } from '../../src/db/schema/operations.ts'
import { events, webhookEndpoints, webhookMessages } from '../../src/db/schema/webhooks.ts'
import { pass, startClock } from '../support/delivery/clock.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aUser, db } from '../support/makers.ts'
import {
  aDueEvent,
  anEndpoint,
  anEvent,
  aTest,
  change,
  consume,
  type Endpoint,
  endpointRow,
  receive,
  recordingBindings,
} from './endpoints.ts'

const DAY = 24 * 60 * 60
const logged = recordLogs()

beforeEach(async () => {
  startClock()
  await db.delete(webhookEndpoints)
  await db.delete(events)
  await db.delete(quotas)
})

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()

/** Runs cron. Returns what was woken, and the mails. */
async function cron(overrides: Partial<Env> = {}) {
  const { bindings, ...recorded } = recordingBindings()
  await runCron({ ...env, ...bindings, ...overrides }, new Date())
  return recorded
}

it('wakes endpoints that are due on the queue of their role, unless a run sends to them', async () => {
  const endpoint = await anEndpoint({ dueAt: ago(0) })
  const master = await anEndpoint({ dueAt: ago(60), role: 'master' })
  await anEndpoint({ dueAt: ago(-1) })
  await anEndpoint({ dueAt: ago(0), leaseUntil: ago(-1) })
  await anEndpoint({ dueAt: ago(0), disabledAt: ago(0), disabledReason: 'owner' })
  await anEndpoint()
  expect(await cron()).toMatchObject({
    wakeUps: [{ endpointId: endpoint.id, delaySeconds: 0 }],
    masterWakeUps: [{ endpointId: master.id, delaySeconds: 0 }],
  })
  pass(1)
  expect((await cron()).wakeUps).toHaveLength(3)
})

it('wakes more endpoints than a call of the queue takes', async () => {
  const { id: userId } = await aUser()
  for (let i = 0; i < 101; i++) await anEndpoint({ userId, dueAt: ago(0) })
  const sizes: number[] = []
  const WEBHOOKS = {
    async sendBatch(messages: unknown[]) {
      sizes.push(messages.length)
    },
  } as unknown as Queue
  await cron({ WEBHOOKS })
  expect(sizes).toEqual([100, 1])
})

it('warns after four days of failure and disables after five, with one mail each', async () => {
  const { id: userId } = await aUser({ email: 'shop@example.com' })
  const url = 'https://hooks.example.com/secret?key=1'
  const endpoint = await anEndpoint({ userId, url, failingSince: ago(4 * DAY - 1) })
  expect((await cron()).mails).toEqual([])
  pass(1)
  const runs = await Promise.all([cron(), cron()])
  const warnings = runs.flatMap(({ mails }) => mails)
  expect(warnings).toMatchObject([
    { to: 'shop@example.com', subject: 'A webhook fails (marketplace.test)' },
  ])
  expect(warnings[0]?.text).toBe(
    [
      'Nothing that we have sent to hooks.example.com in the last four days has arrived. Unless something arrives within a day, this webhook will be disabled.',
      `https://marketplace.test/settings/webhooks/${endpoint.id}`,
      'Events are kept for 30 days. Once it works and is enabled, the webhook goes on where it stopped.\n',
    ].join('\n\n'),
  )
  pass(DAY - 1)
  expect((await cron()).mails).toEqual([])
  pass(1)
  const lastRuns = await Promise.all([cron(), cron()])
  expect(lastRuns.flatMap(({ mails }) => mails)).toMatchObject([
    { to: 'shop@example.com', subject: 'A webhook was disabled (marketplace.test)' },
  ])
  expect(await endpointRow(endpoint)).toMatchObject({
    disabledReason: 'failing',
    disabledAt: ago(0),
  })
  expect(logged('webhook_disabled')).toEqual([{ endpointId: endpoint.id, reason: 'failing' }])
  pass(DAY)
  expect((await cron()).mails).toEqual([])
})

it('disables no endpoint whose owner was not warned a day before', async () => {
  const endpoint = await anEndpoint({ failingSince: ago(6 * DAY) })
  await cron()
  await cron()
  expect(await endpointRow(endpoint)).toMatchObject({ disabledAt: null, warnedAt: ago(0) })
  pass(DAY)
  await cron()
  expect(await endpointRow(endpoint)).toMatchObject({ disabledAt: ago(0) })
})

describe('an endpoint that answers 410', () => {
  /** Sends an event, or a test, that the receiver answers with 410. Returns the mails of cron. */
  async function mailsAfter410(endpoint: Endpoint) {
    receive(() => new Response(null, { status: 410 }))
    await consume([endpoint])
    expect(await endpointRow(endpoint)).toMatchObject({ disabledReason: 'gone' })
    return (await cron()).mails
  }

  const enable = (endpoint: Endpoint) =>
    change(endpoint, { disabledAt: null, disabledReason: null, warnedAt: null }).then(() =>
      aTest(endpoint),
    )

  it('is told to its owner, once, also if a mail had warned of it', async () => {
    const url = 'https://hooks.example.com/'
    const { endpoint } = await aDueEvent({ url, warnedAt: ago(DAY), failingSince: ago(5 * DAY) })
    expect(await mailsAfter410(endpoint)).toMatchObject([
      {
        subject: 'A webhook was disabled (marketplace.test)',
        text: expect.stringContaining('hooks.example.com has answered 410 Gone'),
      },
    ])
    expect(logged('webhook_disabled')).toEqual([{ endpointId: endpoint.id, reason: 'gone' }])
    pass(DAY)
    expect((await cron()).mails).toEqual([])
  })

  it('again is told to its owner once a day', async () => {
    const { endpoint } = await aDueEvent()
    expect(await mailsAfter410(endpoint)).toHaveLength(1)
    await enable(endpoint)
    expect(await mailsAfter410(endpoint)).toEqual([])
    const reason = 'the owner was told of this today'
    expect(logged('mail_skipped')).toEqual([{ mail: 'webhook-gone', reason }])
    pass(DAY)
    await enable(endpoint)
    expect(await mailsAfter410(endpoint)).toHaveLength(1)
  })

  it('is not told to an owner who has deleted it', async () => {
    const { endpoint } = await aDueEvent()
    receive(() => new Response(null, { status: 410 }))
    await consume([endpoint])
    await change(endpoint, { deletedAt: ago(0), url: '' })
    expect((await cron()).mails).toEqual([])
    expect(logged('cron_job_failed')).toEqual([])
  })

  it('is told to an owner of many in ten mails a day', async () => {
    const owner = await aUser({ email: 'many@example.com' })
    const endpoints: Endpoint[] = []
    for (let i = 0; i < 12; i++) endpoints.push(await anEndpoint({ userId: owner.id }))
    await anEvent({ sellerId: owner.id })
    receive(() => new Response(null, { status: 410 }))
    for (const endpoint of endpoints) await consume([endpoint])
    expect((await cron()).mails).toHaveLength(10)
  })
})

it('sends no mail to an owner without an address, and logs one that was not accepted', async () => {
  const { id: userId } = await aUser()
  await anEndpoint({ userId, failingSince: ago(4 * DAY) })
  expect((await cron()).mails).toEqual([])
  await anEndpoint({ failingSince: ago(4 * DAY) })
  const send = () => Promise.reject(new Error('no'))
  await cron({ EMAIL: { send } as unknown as SendEmail })
  expect(logged('mail_failed')).toEqual([{ mail: 'webhook-failing', error: 'Error: no' }])
})

describe('the log', () => {
  const idsLeft = async () => (await db.select({ id: events.id }).from(events)).map(({ id }) => id)

  it('keeps events for 30 days and their messages with them, and the newest older one', async () => {
    const endpoint = await anEndpoint()
    const [oldest, older, recent] = [
      await anEvent({ at: ago(32 * DAY) }),
      await anEvent({ at: ago(31 * DAY) }),
      await anEvent({ at: ago(30 * DAY) }),
    ]
    for (const { id: eventId } of [oldest, recent])
      await db
        .insert(webhookMessages)
        .values({ eventId, endpointId: endpoint.id, state: 'failed', tries: 10 })
    await cron()
    expect(await idsLeft()).toEqual([older.id, recent.id])
    const messages = await db.select({ id: webhookMessages.eventId }).from(webhookMessages)
    expect(messages.map(({ id }) => id)).toEqual([recent.id])
    pass(1)
    await cron()
    expect(await idsLeft()).toEqual([recent.id])
  })

  it('gives a new event a higher id, also in a database that was set back', async () => {
    const before = await anEvent()
    const same = await anEvent()
    expect(same.id).toBe(before.id + 1)
    await db.delete(events)
    pass(1)
    const after = await anEvent()
    expect(after.id).toBe(Date.now() * 1000)
    expect(after.id).toBeGreaterThan(same.id)
  })
})

it('removes a deleted endpoint once its messages are removed, in pages', async () => {
  const kept = await anEndpoint()
  const deleted = await anEndpoint({ deletedAt: ago(0) })
  const { id } = await anEvent()
  await env.DB.batch([
    env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
       INSERT INTO webhookMessages (eventId, endpointId, state, tries) SELECT i, ?, 'failed', 10 FROM n`,
    ).bind(deleted.id),
    env.DB.prepare(
      "INSERT INTO webhookMessages (eventId, endpointId, state, tries) VALUES (?, ?, 'failed', 10)",
    ).bind(id, kept.id),
  ])
  await cron()
  expect(await db.$count(webhookMessages, eq(webhookMessages.endpointId, deleted.id))).toBe(1)
  await cron()
  expect((await db.select().from(webhookEndpoints)).map(({ id }) => id)).toEqual([kept.id])
  expect(await db.$count(webhookMessages)).toBe(1)
})

describe('once a day, the owner is told of an endpoint whose events are removed in three days', () => {
  const owner = () => aUser({ email: `late-${crypto.randomUUID()}@example.com` })
  const subjectsAt = async (hour: string) => {
    const { bindings, mails } = recordingBindings()
    const day = new Date(Date.now() + DAY * 1000).toISOString().slice(0, 10)
    await runCron({ ...env, ...bindings }, new Date(`${day}T${hour}:00.000Z`))
    return mails.map(({ subject }) => subject)
  }

  it.each([
    ['that is disabled', { disabledAt: '2026-01-01', disabledReason: 'owner' }, true],
    ['that was never verified', { verifiedAt: null }, true],
    ['that cannot keep up', { penalty: 7 }, true],
    ['that was deleted', { deletedAt: '2026-01-01' }, false],
  ] as const)('%s', async (_, values, isTold) => {
    const { id: userId } = await owner()
    const endpoint = await anEndpoint({ userId })
    await anEvent({ sellerId: userId, at: ago(27 * DAY) })
    await db.update(webhookEndpoints).set(values).where(eq(webhookEndpoints.id, endpoint.id))
    expect(await subjectsAt('02:59')).toEqual([])
    const subject = 'A webhook will lose events (marketplace.test)'
    expect(await subjectsAt('03:00')).toEqual(isTold ? [subject] : [])
    expect(await subjectsAt('03:00')).toEqual([])
  })

  it('but not if it lacks none, or only events of others or of later days', async () => {
    const { id: userId } = await owner()
    await anEndpoint({ userId, verifiedAt: null })
    await anEvent({ sellerId: userId + 1, at: ago(27 * DAY) })
    await anEvent({ sellerId: userId, at: ago(25 * DAY) })
    expect(await subjectsAt('03:00')).toEqual([])
  })

  it('also if that follows 1,000 events of others', async () => {
    const { id: userId } = await aUser({ email: 'behind@example.com' })
    const endpoint = await anEndpoint({ userId, disabledAt: ago(0), disabledReason: 'failing' })
    const at = ago(27.5 * DAY)
    await anEvent({ sellerId: userId + 1, at }, 1000)
    await anEvent({ sellerId: endpoint.userId, at })
    expect(await subjectsAt('03:00')).toEqual(['A webhook will lose events (marketplace.test)'])
  })

  it('after what comes first in a run, in the next one', async () => {
    const owners = []
    for (let i = 0; i < 51; i++) {
      const { id: userId } = await owner()
      owners.push(await anEndpoint({ userId, verifiedAt: null }))
      await anEvent({ sellerId: userId, at: ago(27 * DAY) })
    }
    expect(await subjectsAt('03:00')).toHaveLength(50)
    expect(await subjectsAt('03:01')).toHaveLength(1)
    expect(await subjectsAt('03:02')).toEqual([])
  })

  it('once if it is disabled on purpose, not each day for ever', async () => {
    const { id: userId } = await aUser({ email: 'on-purpose@example.com' })
    await anEndpoint({ userId, disabledAt: ago(0), disabledReason: 'owner' })
    for (let day = 27; day > 10; day--) await anEvent({ sellerId: userId, at: ago(day * DAY) })
    const told: number[] = []
    for (let day = 0; day < 10; day++) {
      told.push((await subjectsAt('03:00')).length)
      pass(DAY)
    }
    expect(told.filter((count) => count > 0).length, String(told)).toBeLessThan(4)
  })
})

import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeEach, expect, it } from 'vitest'
import { webhookAttempts, webhookEndpoints } from '../../src/db/schema/webhooks.ts'
import { runCron } from '../../src/operations/cron.ts'
import { pass, startClock } from '../support/delivery/clock.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aUser, db } from '../support/makers.ts'
import {
  aMessage,
  anEndpoint,
  consume,
  endpointRow,
  messageRow,
  receive,
  recordingBindings,
} from './endpoints.ts'

const DAY = 24 * 60 * 60
const logged = recordLogs()

beforeEach(async () => {
  startClock()
  await db.delete(webhookEndpoints)
})

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()

/** Runs cron. Returns what was woken, and the mails. */
async function cron(overrides: Partial<Env> = {}) {
  const { bindings, mails, wakeUps } = recordingBindings()
  await runCron({ ...env, ...bindings, ...overrides }, new Date())
  return { mails, wakeUps }
}

it('wakes endpoints that have due messages, once each, unless a run sends them', async () => {
  const endpoint = await anEndpoint()
  for (const dueAt of [ago(60), ago(0), ago(-1)]) await aMessage(endpoint, { dueAt })
  await aMessage(await anEndpoint(), { dueAt: ago(-1) })
  await aMessage(await anEndpoint({ sendingUntil: ago(-1) }))
  expect((await cron()).wakeUps).toEqual([{ endpointId: endpoint.id, delaySeconds: 0 }])
  pass(1)
  expect((await cron()).wakeUps).toHaveLength(3)
})

it('wakes more endpoints than a call of the queue takes', async () => {
  const { id: userId } = await aUser()
  for (let i = 0; i < 101; i++) await aMessage(await anEndpoint({ userId }))
  const sizes: number[] = []
  const WEBHOOKS = {
    async sendBatch(messages: unknown[]) {
      sizes.push(messages.length)
    },
  } as unknown as Queue
  await cron({ WEBHOOKS })
  expect(sizes).toEqual([100, 1])
})

it('logs that the queue did not take a wake-up', async () => {
  await aMessage(await anEndpoint())
  const sendBatch = () => Promise.reject(new Error('the queue is unavailable'))
  await cron({ WEBHOOKS: { sendBatch } as unknown as Queue })
  expect(logged('webhook_wake_up_failed')).toEqual([{ error: 'Error: the queue is unavailable' }])
})

it('warns after four days of failure and disables after five, with one mail each', async () => {
  const { id: userId } = await aUser({ email: 'shop@example.com' })
  const url = 'https://hooks.example.com/secret?key=1'
  const endpoint = await anEndpoint({ userId, url, failingSince: ago(4 * DAY - 1) })
  const message = await aMessage(endpoint, { dueAt: ago(-5 * DAY) })
  expect((await cron()).mails).toEqual([])
  pass(1)
  const runs = await Promise.all([cron(), cron()])
  const warnings = runs.flatMap(({ mails }) => mails)
  expect(warnings).toMatchObject([
    { to: 'shop@example.com', subject: 'A webhook fails for marketplace.test' },
  ])
  expect(warnings[0]?.text).toBe(
    [
      'Nothing that we have sent to hooks.example.com in the last four days has arrived. Unless something arrives within a day, this webhook will be disabled.',
      `https://marketplace.test/settings/webhooks/${endpoint.id}`,
      'What is missed is kept for 30 days: replay it once the receiver works.\n',
    ].join('\n\n'),
  )
  pass(DAY - 1)
  expect((await cron()).mails).toEqual([])
  pass(1)
  const lastRuns = await Promise.all([cron(), cron()])
  expect(lastRuns.flatMap(({ mails }) => mails)).toMatchObject([
    { to: 'shop@example.com', subject: 'A webhook was disabled for marketplace.test' },
  ])
  expect(await endpointRow(endpoint)).toMatchObject({
    disabledReason: 'failing',
    disabledAt: ago(0),
  })
  expect(await messageRow(message)).toMatchObject({ state: 'failed', dueAt: null })
  expect(logged('webhook_disabled')).toEqual([{ endpointId: endpoint.id, reason: 'failed' }])
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

it('warns again after a success', async () => {
  const endpoint = await anEndpoint({ failingSince: ago(4 * DAY) })
  expect((await cron()).mails).toHaveLength(1)
  receive()
  await aMessage(endpoint)
  await consume([endpoint])
  pass(DAY)
  await cron()
  expect(await endpointRow(endpoint)).toMatchObject({ disabledAt: null })
  await db
    .update(webhookEndpoints)
    .set({ failingSince: ago(4 * DAY) })
    .where(eq(webhookEndpoints.id, endpoint.id))
  expect((await cron()).mails).toHaveLength(1)
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

it('deletes messages and their attempts after 30 days, unless they are to be sent', async () => {
  const endpoint = await anEndpoint()
  const done = { state: 'delivered', dueAt: null } as const
  const old = await aMessage(endpoint, { ...done, createdAt: ago(30 * DAY + 1) })
  const recent = await aMessage(endpoint, { ...done, createdAt: ago(30 * DAY) })
  const pending = await aMessage(endpoint, { createdAt: ago(31 * DAY) })
  for (const { id: messageId } of [old, recent, pending])
    await db.insert(webhookAttempts).values({ messageId, at: ago(0), duration: 1, status: 200 })
  await cron()
  expect(await messageRow(old)).toBeUndefined()
  expect(await messageRow(recent)).toBeDefined()
  expect(await messageRow(pending)).toBeDefined()
  const attempts = await db.select({ id: webhookAttempts.messageId }).from(webhookAttempts)
  expect(attempts.map(({ id }) => id).sort()).toEqual([recent.id, pending.id])
})

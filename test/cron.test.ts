import { env } from 'cloudflare:workers'
import { eq, gte } from 'drizzle-orm'
import { beforeEach, expect, it, vi } from 'vitest'
import { runCron } from '../src/cron.ts'
import { deliveries } from '../src/db/schema/delivery.ts'
import { quotas } from '../src/db/schema/operations.ts'
import { idempotencyKeys } from '../src/db/schema/orders.ts'
import { addresses, emailLinks, phoneLinks, tokens, walletNonces } from '../src/db/schema/users.ts'
import { explain } from '../src/delivery/reasons.ts'
import { readSettings } from '../src/env.ts'
import { aShop, placed } from './orders/shop.ts'
import { rowOf } from './support/delivery/engine.ts'
import { aMarket, aPaidItem } from './support/delivery/items.ts'
import { aRecordingQueue } from './support/delivery/queue.ts'
import { aMasterToken, anAddress, aUser, db } from './support/makers.ts'

const networkSettings = readSettings(env).NETWORKS.localhost

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const now = new Date()
const before = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString()

beforeEach(async () => {
  await db.delete(deliveries)
})

/** An order item whose delivery is due. */
async function aDueItem() {
  const item = await aPaidItem(aMarket('localhost', 31337), { standard: 'erc721' })
  await db.update(deliveries).set({ dueAt: now.toISOString() }).where(eq(deliveries.id, item.id))
  return item
}

/**
 * Runs the cron jobs and returns the log lines without version, without those of each run and without
 * alarms, which test/monitoring is about, and the ids of the chains that were woken.
 */
async function run(bindings: Partial<Env> = {}, at = now) {
  const recording = aRecordingQueue()
  const lines: unknown[] = []
  const runs: unknown[] = []
  const spies = (['log', 'error'] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation((line) => {
      const { version, ...fields } = JSON.parse(line)
      if (fields.event === 'cron_run') runs.push(fields)
      else if (!fields.event.startsWith('alarm_')) lines.push(fields)
    }),
  )
  await runCron({ ...env, DELIVERIES: recording.queue, ...bindings }, at)
  for (const spy of spies) spy.mockRestore()
  return { lines, runs, woken: recording.pending().map(({ chainId }) => chainId) }
}

/** The line of each run, without failed jobs. */
const runs = [{ event: 'cron_run', failedJobs: [], duration: expect.any(Number) }]

it('wakes a chain that has something to do, once', async () => {
  expect(await run()).toEqual({ woken: [], lines: [], runs })
  const first = await aDueItem()
  await aDueItem()
  expect(await run({}, new Date(now.getTime() - 1))).toEqual({ woken: [], lines: [], runs })
  expect(await run()).toEqual({ woken: [31337], lines: [], runs })
  const networks = { ...env.NETWORKS, other: { ...networkSettings, chainId: 5 } }
  expect(await run({ NETWORKS: networks })).toEqual({ woken: [31337], lines: [], runs })
  await db.update(deliveries).set({ chainId: 5 }).where(eq(deliveries.id, first.id))
  expect(await run({ NETWORKS: networks })).toEqual({ woken: [31337, 5], lines: [], runs })
})

it('puts off due items of a chain that is not configured', async () => {
  const item = await aDueItem()
  const { id } = await aDueItem()
  await db.update(deliveries).set({ chainId: 5 }).where(eq(deliveries.id, id))
  const NETWORKS = { other: { ...networkSettings, chainId: 5 } }
  const reason = explain('network_not_configured')
  expect(await run({ NETWORKS })).toEqual({ woken: [5], lines: [], runs })
  expect(await rowOf(item)).toMatchObject({ state: 'queued', ...reason, version: 1 })
  expect(await rowOf({ id })).toMatchObject({ state: 'queued', version: 0 })
  expect(await run({ NETWORKS })).toEqual({ woken: [5], lines: [], runs })
})

it('deletes idempotency keys once all of their day are older than 24 hours', async () => {
  const call = { namespace: 'master:shop', requestHash: '', result: '[]' }
  const at = (age: number) => ({ createdAt: before(age), day: before(age).slice(0, 10) })
  await db.insert(idempotencyKeys).values([
    { ...call, key: 'old', ...at(2 * DAY) },
    { ...call, key: 'new', ...at(DAY) },
  ])
  await run()
  const rows = await db.select({ key: idempotencyKeys.key }).from(idempotencyKeys)
  expect(rows).toEqual([{ key: 'new' }])
})

it('deletes more in a run than twice what a day of a million orders leaves for a minute', async () => {
  const perMinute = 1_000_000 / (24 * 60)
  const count = Math.ceil(2 * perMinute * 7)
  const [old, recent] = [before(31 * DAY), before(DAY - MINUTE)]
  const insert = (sql: string, at: string, rows: number) =>
    env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2) ${sql}`,
    )
      .bind(at, rows)
      .run()
  const tables = {
    // The newest old event stays, so that readers see that none after it is missing.
    events: `INSERT INTO events (id, type, at, data)
      SELECT unixepoch(?1) * 1000000 + i, 'order.created', ?1, '{}' FROM n`,
    idempotencyKeys: `INSERT INTO idempotencyKeys (day, namespace, "key", requestHash, result, createdAt)
      SELECT date(?1), 'master:shop', ?1 || i, '', '[]', ?1 FROM n`,
    walletNonces: 'INSERT INTO walletNonces (nonce, expiresAt) SELECT ?1 || i, ?1 FROM n',
    sentMails: 'INSERT INTO sentMails (subject, createdAt) SELECT ?1 || i, ?1 FROM n',
  }
  await db.delete(idempotencyKeys)
  await env.DB.prepare('DELETE FROM events').run()
  for (const sql of Object.values(tables)) {
    await insert(sql, old, count + 1000)
    await insert(sql, recent, 5)
  }
  const left = async () => {
    const counts = Object.keys(tables).map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`)
    return env.DB.prepare(`SELECT ${counts}`).first<Record<string, number>>()
  }
  await run()
  for (const rows of Object.values((await left()) ?? {})) expect(rows).toBeLessThan(1007)
  await run()
  const kept = { idempotencyKeys: 5, walletNonces: 0, sentMails: 5 }
  expect(await left()).toEqual({ events: 6, ...kept })
})

it('deletes expired nonces, and codes for phones', async () => {
  const links = ['expired', 'valid'].map(async (secretHash) => ({
    ...{ userId: (await aUser()).id, secretHash },
    expiresAt: before(secretHash === 'valid' ? -MINUTE : MINUTE),
  }))
  await db.insert(phoneLinks).values(await Promise.all(links))
  await db.insert(walletNonces).values([
    { nonce: 'expired', expiresAt: before(MINUTE) },
    { nonce: 'valid', expiresAt: before(-MINUTE) },
  ])
  await run()
  const rows = await db.select({ nonce: walletNonces.nonce }).from(walletNonces)
  expect(rows).toEqual([{ nonce: 'valid' }])
  expect(await db.select().from(phoneLinks)).toMatchObject([{ secretHash: 'valid' }])
})

it('deletes mailed links after 15 minutes, also those that were replaced', async () => {
  const link = {
    email: 'ada@example.com',
    mailbox: 'ada@example.com',
    client: '192.0.2.1',
    identityHash: 'ada',
  }
  await db.insert(emailLinks).values([
    { secretHash: 'expired', ...link, createdAt: before(16 * MINUTE), expiresAt: before(MINUTE) },
    { secretHash: 'valid', ...link, createdAt: before(14 * MINUTE), expiresAt: before(-MINUTE) },
    // It still counts towards the limit of its mailbox.
    { secretHash: 'replaced', ...link, createdAt: before(14 * MINUTE), expiresAt: before(MINUTE) },
  ])
  await run()
  const rows = await db.select({ secretHash: emailLinks.secretHash }).from(emailLinks)
  expect(rows.map(({ secretHash }) => secretHash).sort()).toEqual(['replaced', 'valid'])
})

/** The columns of an API token of a new user, without its id. */
const aTokenRow = async <Times extends object>(times: Times) => ({
  userId: (await aUser()).id,
  kind: 'api' as const,
  role: 'user' as const,
  name: 'test',
  namespace: 'test',
  keyId: 'test',
  ...times,
})

it('deletes tokens and sessions 30 days after they were revoked or have expired', async () => {
  const token = await aTokenRow({ createdAt: before(400 * DAY) })
  const { userId } = token
  await db.insert(tokens).values([
    { ...token, id: 'expired 31 days ago', expiresAt: before(31 * DAY) },
    { ...token, id: 'expired 29 days ago', expiresAt: before(29 * DAY) },
    { ...token, id: 'revoked 31 days ago', expiresAt: before(-DAY), revokedAt: before(31 * DAY) },
    { ...token, id: 'revoked 29 days ago', expiresAt: before(-DAY), revokedAt: before(29 * DAY) },
    { ...token, id: 'live', expiresAt: before(-DAY) },
  ])
  await run()
  const rows = await db.select({ id: tokens.id }).from(tokens).where(eq(tokens.userId, userId))
  expect(rows.map(({ id }) => id).sort()).toEqual([
    'expired 29 days ago',
    'live',
    'revoked 29 days ago',
  ])
})

it('logs a job that fails and runs the others', async () => {
  await db.insert(walletNonces).values({ nonce: 'stale', expiresAt: before(MINUTE) })
  const get = () => Promise.reject(new Error('the bucket is unavailable'))
  const { lines, runs } = await run({ AVATARS: Object.assign(Object.create(env.AVATARS), { get }) })
  expect(lines).toContainEqual({
    event: 'cron_job_failed',
    job: 'removeOrphans',
    error: 'Error: the bucket is unavailable',
  })
  expect(runs).toMatchObject([
    { event: 'cron_run', failedJobs: expect.arrayContaining(['removeOrphans']) },
  ])
  const rows = await db.select({ nonce: walletNonces.nonce }).from(walletNonces)
  expect(rows).not.toContainEqual({ nonce: 'stale' })
})

it('deletes addresses that were deleted 30 days ago and that no order uses, at three', async () => {
  const { input } = await aShop()
  const [order] = await placed(await aMasterToken(), [input])
  const used = { id: order?.billingAddressId ?? 0 }
  const buyer = { id: input.buyerUserId }
  const old = { deletedAt: before(31 * DAY) }
  await db.update(addresses).set(old).where(eq(addresses.id, used.id))
  const unused = await anAddress(buyer, old)
  const recent = await anAddress(buyer, { deletedAt: before(29 * DAY) })
  const live = await anAddress(buyer)
  // The id of the newest row would be given again.
  const newest = await anAddress(buyer, old)
  const ids = async () => {
    const rows = await db
      .select({ id: addresses.id })
      .from(addresses)
      .where(gte(addresses.id, used.id))
      .orderBy(addresses.id)
    return rows.map(({ id }) => id)
  }
  const at = (time: string) => new Date(`${now.toISOString().slice(0, 10)}T${time}:00.000Z`)
  await run({}, at('04:00'))
  expect(await ids()).toEqual([used.id, unused.id, recent.id, live.id, newest.id])
  await run({}, at('03:00'))
  expect(await ids()).toEqual([used.id, recent.id, live.id, newest.id])
})

it('empties the newest address, which it cannot delete, 30 days after its deletion', async () => {
  const { input } = await aShop()
  const texts = { name: 'Bo', street: 'Road 1', city: 'Oslo', country: 'NO' }
  const newest = await anAddress({ id: input.buyerUserId }, texts)
  const deletedSince = async (age: number) => {
    await db
      .update(addresses)
      .set({ deletedAt: before(age) })
      .where(eq(addresses.id, newest.id))
    await run({}, new Date(`${now.toISOString().slice(0, 10)}T03:00:00.000Z`))
    const { name, street, city, country } = addresses
    return db
      .select({ name, street, city, country })
      .from(addresses)
      .where(eq(addresses.id, newest.id))
  }
  expect(await deletedSince(29 * DAY)).toEqual([texts])
  const empty = { name: null, street: null, city: null, country: null }
  expect(await deletedSince(61 * DAY)).toEqual([empty])
})

it('deletes what quotas have counted before yesterday', async () => {
  const day = (days: number) => before(days * DAY).slice(0, 10)
  await db.delete(quotas)
  await db.insert(quotas).values(
    [day(2), `${day(2)}T23`, day(1), `${day(1)}T00`, day(0)].map((period) => ({
      name: 'mails',
      period,
      used: 1,
    })),
  )
  await run()
  const rows = await db.select({ period: quotas.period }).from(quotas).orderBy(quotas.period)
  expect(rows.map(({ period }) => period)).toEqual([day(1), `${day(1)}T00`, day(0)])
})

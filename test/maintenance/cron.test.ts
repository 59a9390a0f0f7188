import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { expect, it, vi } from 'vitest'
import { pictureKey } from '../../src/avatars/url.ts'
import { emailLinks, idempotencyKeys, transfers, users, walletNonces } from '../../src/db/schema.ts'
import { runCron } from '../../src/maintenance/cron.ts'
import { aUser, db } from '../support/makers.ts'
import { aPaidItem } from '../support/transfers/items.ts'
import { SIGNER } from '../support/transfers/made-up.ts'
import { aRecordingQueue } from '../support/transfers/queue.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const now = new Date()
const before = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString()

/** An order item whose transfer is due. */
async function aDueItem() {
  const market = {
    name: 'localhost',
    chainId: 1,
    contracts: { erc721: SIGNER, erc1155: SIGNER },
    seller: SIGNER,
  } as const
  const item = await aPaidItem(market, { standard: 'erc721' })
  await db.update(transfers).set({ dueAt: now.toISOString() }).where(eq(transfers.id, item.id))
  return item
}

/** Runs the cron jobs and returns the log lines and the ids of the announced transfers. */
async function run(bindings: Partial<Env> = {}, at = now) {
  const recording = aRecordingQueue()
  const lines: unknown[] = []
  const spies = (['log', 'error'] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation((line) => void lines.push(JSON.parse(line))),
  )
  await runCron({ ...env, TRANSFERS: recording.queue, ...bindings }, at)
  for (const spy of spies) spy.mockRestore()
  return { lines, announced: recording.pending().map(({ transferId }) => transferId) }
}

it('announces due transfers and logs their number', async () => {
  const { id } = await aDueItem()
  expect(await run()).toEqual({
    announced: [id],
    lines: [{ event: 'due_transfers_announced', transfers: 1 }],
  })
  expect(await run()).toEqual({ announced: [], lines: [] })
})

it('deletes stored responses after 24 hours', async () => {
  const response = { namespace: 'master:shop', requestHash: '', plan: '{}', result: '{}' }
  await db.insert(idempotencyKeys).values([
    { ...response, key: 'old', createdAt: before(DAY + MINUTE) },
    { ...response, key: 'new', createdAt: before(DAY - MINUTE) },
  ])
  await run()
  const rows = await db.select({ key: idempotencyKeys.key }).from(idempotencyKeys)
  expect(rows).toEqual([{ key: 'new' }])
})

it('deletes expired nonces', async () => {
  await db.insert(walletNonces).values([
    { nonce: 'expired', expiresAt: before(MINUTE) },
    { nonce: 'valid', expiresAt: before(-MINUTE) },
  ])
  await run()
  const rows = await db.select({ nonce: walletNonces.nonce }).from(walletNonces)
  expect(rows).toEqual([{ nonce: 'valid' }])
})

it('deletes expired sign-in links', async () => {
  const identity = { email: 'ada@example.com', identityHash: 'ada' }
  await db.insert(emailLinks).values([
    { secretHash: 'expired', ...identity, expiresAt: before(MINUTE) },
    { secretHash: 'valid', ...identity, expiresAt: before(-MINUTE) },
  ])
  await run()
  const rows = await db.select({ secretHash: emailLinks.secretHash }).from(emailLinks)
  expect(rows).toEqual([{ secretHash: 'valid' }])
})

it('removes pictures that no user points to', async () => {
  const user = await aUser()
  const [used, unused] = ['a', 'b'].map((digit) => pictureKey(user.id, digit.repeat(48)))
  for (const key of [used, unused]) await env.AVATARS.put(key ?? '', 'a picture')
  await db.update(users).set({ avatarKey: used }).where(eq(users.id, user.id))
  await run({}, new Date(now.getTime() + DAY))
  const { objects } = await env.AVATARS.list({ prefix: `${user.id}/` })
  expect(objects.map(({ key }) => key)).toEqual([used])
})

it('logs a job that fails and runs the others', async () => {
  await db.insert(walletNonces).values({ nonce: 'stale', expiresAt: before(MINUTE) })
  const get = () => Promise.reject(new Error('the bucket is unavailable'))
  const { lines } = await run({ AVATARS: Object.assign(Object.create(env.AVATARS), { get }) })
  expect(lines).toContainEqual({
    event: 'cron_job_failed',
    job: 'removeOrphans',
    error: 'Error: the bucket is unavailable',
  })
  const rows = await db.select({ nonce: walletNonces.nonce }).from(walletNonces)
  expect(rows).not.toContainEqual({ nonce: 'stale' })
})

it('logs the transfers that the queue did not accept', async () => {
  const item = await aDueItem()
  const { queue } = aRecordingQueue()
  const sendBatch = () => Promise.reject(new Error('the queue is unavailable'))
  const { lines } = await run({ TRANSFERS: { ...queue, sendBatch } })
  expect(lines).toContainEqual({
    event: 'announce_failed',
    transferIds: expect.arrayContaining([item.id]),
    error: 'Error: the queue is unavailable',
  })
})

/** Messages, the cron run and the dead letters around the engine. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import worker from '../../src/worker.ts'
import { aChain } from '../support/chain/chain.ts'
import { aPaidItem, paidItems } from '../support/transfers/items.ts'
import { networksOf, rowOf } from '../support/transfers/looks.ts'
import { SIGNER } from '../support/transfers/made-up.ts'
import { aRecordingQueue } from '../support/transfers/queue.ts'

/** For what no node is asked about. */
const nowhere = {
  name: 'nowhere',
  chainId: 1,
  contracts: { erc721: SIGNER, erc1155: SIGNER },
} as const
const someMarket = { ...nowhere, seller: SIGNER } as const

type Given = Partial<Record<keyof Env, unknown>>

/** Delivers one message for each id; says what became of each, and what was sent. */
async function deliver(ids: readonly number[], given: Given = {}, name = 'marketplace-transfers') {
  const fates: string[] = []
  const messages = ids.map((transferId, i) => ({
    id: `${i}`,
    timestamp: new Date(),
    body: { transferIds: [transferId] },
    attempts: 3,
    ack: () => {
      fates[i] = 'acknowledged'
    },
    retry: (options?: QueueRetryOptions) => {
      fates[i] = `again in ${options?.delaySeconds} s`
    },
  }))
  const batch = {
    queue: name,
    messages,
    metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } },
    ackAll: () => {
      for (const message of messages) message.ack()
    },
    retryAll: (options?: QueueRetryOptions) => {
      for (const message of messages) message.retry(options)
    },
  }
  const recording = aRecordingQueue()
  const ctx = createExecutionContext()
  await worker.queue?.(batch, { ...env, TRANSFERS: recording.queue, ...given } as Env, ctx)
  await waitOnExecutionContext(ctx)
  return { fates, sent: recording.pending() }
}

const bury = (ids: readonly number[], given: Given = {}) =>
  deliver(ids, given, 'marketplace-transfers-dead')

/** The ids that the cron run announces, which other tests of this file may add to. */
async function runCron(given: Given = {}) {
  const recording = aRecordingQueue()
  const ctx = createExecutionContext()
  const tick = { scheduledTime: Date.now(), cron: '* * * * *', noRetry: () => {} }
  await worker.scheduled?.(tick, { ...env, TRANSFERS: recording.queue, ...given } as Env, ctx)
  await waitOnExecutionContext(ctx)
  return recording.pending().map(({ transferId }) => transferId)
}

/** A database that cannot be reached. */
const downD1 = {
  prepare: (query: string) => env.DB.prepare(query),
  batch: () => Promise.reject(new Error('D1_ERROR: Network connection lost.')),
}

const setRow = (id: number, values: string) =>
  env.DB.prepare(`UPDATE transfers SET ${values} WHERE id = ?`).bind(id).run()
const minutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString()

describe('a message', () => {
  it('is acknowledged, and one that comes later is sent, until the transfer is through', async () => {
    const chain = await aChain({ erc721: 1 })
    const NETWORKS = networksOf([chain])
    const { id } = await aPaidItem(chain, { standard: 'erc721' })
    const first = await deliver([id, id], { NETWORKS })
    expect(first.fates).toEqual(['acknowledged', 'acknowledged'])
    expect(first.sent).toMatchObject([{ transferId: id }])
    await chain.mine()
    const second = await deliver([id], { NETWORKS })
    expect(second).toEqual({ fates: ['acknowledged'], sent: [] })
    expect(await rowOf({ id })).toMatchObject({ status: 'transferred' })
  })

  it('for a transfer that does not exist is acknowledged', async () => {
    expect(await deliver([999_999])).toEqual({ fates: ['acknowledged'], sent: [] })
  })

  it('comes again, ever later, when the database cannot be reached', async () => {
    const { fates, sent } = await deliver([1, 2], { DB: downD1 })
    expect(fates).toEqual(['again in 20 s', 'again in 20 s'])
    expect(sent).toEqual([])
  })

  it('comes again when the configuration is not valid', async () => {
    const { fates } = await deliver([1], { TRANSFER_SIGNER_KEY: 'nonsense' })
    expect(fates).toEqual(['again in 20 s'])
  })

  it('is acknowledged when the queue takes no other, because the cron run finds the row', async () => {
    const item = await aPaidItem({ ...someMarket, name: 'localhost' }, { standard: 'erc721' })
    const TRANSFERS = { sendBatch: () => Promise.reject(new Error('queue is down')) }
    const NETWORKS = { localhost: { chainId: 1, rpcUrl: 'http://127.0.0.1:1', confirmations: 1 } }
    const { fates } = await deliver([item.id], { TRANSFERS, NETWORKS })
    expect(fates).toEqual(['acknowledged'])
    expect(await rowOf(item)).toMatchObject({ status: 'queued' })
    expect((await rowOf(item)).dueAt).not.toBeNull()
  })

  it('without a node leaves a reason and one line for the operator', async () => {
    const lines = vi.spyOn(console, 'error')
    const items = await paidItems({ ...someMarket, name: 'localhost' }, [
      { standard: 'erc721' },
      { standard: 'erc1155' },
    ])
    const NETWORKS = { localhost: { chainId: 1, rpcUrl: 'http://127.0.0.1:1', confirmations: 1 } }
    const { fates, sent } = await deliver(
      items.map(({ id }) => id),
      { NETWORKS },
    )
    expect(fates).toEqual(['acknowledged', 'acknowledged'])
    expect(sent).toHaveLength(2)
    for (const item of items)
      expect(await rowOf(item)).toMatchObject({
        status: 'queued',
        item: null,
        reason: 'the node cannot be reached',
      })
    const told = lines.mock.calls.map(([line]) => JSON.parse(line))
    lines.mockRestore()
    expect(told).toEqual([
      {
        event: 'network_trouble',
        network: 'localhost',
        chainId: 1,
        transfers: 2,
        reason: 'the node cannot be reached',
      },
    ])
  })
})

describe('a dead letter', () => {
  it('is put on the operator’s list, left alone by the cron run, and begun by a replay', async () => {
    const chain = await aChain({ erc721: 1 })
    const item = await aPaidItem(chain, { standard: 'erc721' })
    expect(await bury([item.id])).toEqual({ fates: ['acknowledged'], sent: [] })
    const row = await rowOf(item)
    expect(row).toMatchObject({ status: 'queued', dueAt: null, item: null })
    expect(row.deadLetteredAt).not.toBeNull()
    expect(row.reason).toContain('the queue gave up')
    expect(await runCron()).not.toContain(item.id)
    await deliver([item.id], { NETWORKS: networksOf([chain]) })
    expect(await rowOf(item)).toMatchObject({ status: 'sent', deadLetteredAt: null, reason: null })
  })

  it.each(['transferred', 'failed', 'review', 'awaiting_wallet'])(
    'changes nothing for a transfer that is %s',
    async (status) => {
      const item = await aPaidItem(someMarket, {
        standard: 'erc721',
        ...(status === 'awaiting_wallet' && { recipient: null }),
      })
      await setRow(item.id, `status = '${status}', dueAt = NULL`)
      const before = await rowOf(item)
      await bury([item.id])
      expect(await rowOf(item)).toEqual(before)
    },
  )

  it('comes again when the database cannot be reached', async () => {
    const DB = {
      prepare: () => {
        throw new Error('D1_ERROR: Network connection lost.')
      },
    }
    expect((await bury([1], { DB })).fates).toEqual(['again in 60 s'])
  })
})

describe('the cron run', () => {
  it('announces what is due, and not again before its message could have come', async () => {
    const items = await paidItems(someMarket, [{ standard: 'erc721' }, { standard: 'erc721' }])
    const [due, later] = items.map(({ id }) => id)
    await setRow(due ?? 0, `dueAt = '${minutes(0)}'`)
    await setRow(later ?? 0, `dueAt = '${minutes(1)}'`)
    const announced = await runCron()
    expect(announced).toContain(due)
    expect(announced).not.toContain(later)
    expect(await runCron()).not.toContain(due)
    await setRow(due ?? 0, `dueAt = '${minutes(0)}'`)
    expect(await runCron()).toContain(due)
  })
})

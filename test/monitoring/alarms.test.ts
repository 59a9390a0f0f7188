/** Each alarm: what raises it, what it says, and what clears it. */

import { env } from 'cloudflare:workers'
import { eq, sql } from 'drizzle-orm'
import { numberToHex, toFunctionSelector } from 'viem'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { batch } from '../../src/db/batch.ts'
import { listings } from '../../src/db/schema/catalogue.ts'
import { contentStorage, owedCodes } from '../../src/db/schema/content.ts'
import { proposals } from '../../src/db/schema/creators.ts'
import { deliveries, networks, transactions } from '../../src/db/schema/delivery.ts'
import {
  alarms,
  backups,
  hourlyOrders,
  networkChecks,
  quotas,
  signedItems,
} from '../../src/db/schema/operations.ts'
import { webhookEndpoints } from '../../src/db/schema/webhooks.ts'
import { actionStatements } from '../../src/delivery/actions/actions.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { storeFindings } from '../../src/delivery/store/findings.ts'
import { readSettings } from '../../src/env.ts'
import { DAY } from '../../src/time.ts'
import { call } from '../support/api.ts'
import { aChain } from '../support/chain/chain.ts'
import type { Fault } from '../support/chain/faults.ts'
import { networksOf, rowOf } from '../support/delivery/engine.ts'
import { aMarket, aPaidItem, paidItems } from '../support/delivery/items.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aRecordingQueue } from '../support/delivery/queue.ts'
import {
  aListing,
  aMasterToken,
  anAdministrator,
  anNft,
  aTransaction,
  aUser,
  aWebhook,
  db,
  setRow,
} from '../support/makers.ts'
import { lastIds, synthetic } from '../support/synthetic.ts'
import { anInstance, aSubscriber, detailOf, forgetAll, hanging } from './instance.ts'

const logged = recordLogs()

const edition = { standard: 'erc1155' } as const

beforeEach(async () => {
  await forgetAll()
  for (const table of [hourlyOrders, webhookEndpoints, signedItems]) await db.delete(table)
})

const drop = { effect: { http: 'drop', reach: 'all' } } as const

it('tells of a failing provider: raised, listed, sent, repeated after an hour, cleared once', async () => {
  const chain = await aChain()
  const instance = anInstance(chain)
  const outbox = await aSubscriber()
  expect(await instance.cron()).toEqual([])
  await chain.setFaults(drop)
  expect(await instance.cron(1)).toEqual([])
  expect(await instance.cron(4)).toEqual([])
  const key = `node_unavailable:${chain.chainId}`
  expect(await instance.cron(5)).toEqual([key])

  const since = instance.at(0).toISOString().slice(0, 16).replace('T', ' ')
  const alarm = {
    name: 'node_unavailable',
    subject: `${chain.chainId}`,
    detail: `No node of ${chain.name} can be used since ${since} UTC: the node cannot be reached.`,
    runbookUrl: 'https://marketplace.test/docs/runbook#node-unavailable',
  }
  const raisedAt = instance.at(5).toISOString()
  const raised = { type: 'alarm.raised', timestamp: raisedAt, data: { ...alarm, raisedAt } }
  expect(logged('alarm_raised')).toEqual([{ ...alarm, isRepeated: false }])
  expect((await instance.health()).alarms).toEqual([{ ...alarm, key, version: null, raisedAt }])
  expect(await outbox()).toEqual([raised])

  expect(await instance.cron(64)).toEqual([key])
  expect(logged('alarm_raised')).toHaveLength(1)
  expect(await instance.cron(65)).toEqual([key])
  expect(logged('alarm_raised')[1]).toEqual({ ...alarm, isRepeated: true })
  const repeated = { ...raised, timestamp: instance.at(65).toISOString() }
  expect(await outbox()).toEqual([raised, repeated])

  await chain.setFaults()
  expect(await instance.cron(66)).toEqual([])
  expect(await instance.cron(67)).toEqual([])
  expect(logged('alarm_cleared')).toEqual([alarm])
  const cleared = { ...raised, type: 'alarm.cleared', timestamp: instance.at(66).toISOString() }
  expect(await outbox()).toEqual([raised, repeated, cleared])
  expect((await instance.health()).alarms).toEqual([])
})

it('tells once if two cron runs are at work at the same time', async () => {
  const outbox = await aSubscriber()
  const item = await aPaidItem(market, edition)
  await setRow(deliveries, item.id, { state: 'failed', dueAt: null })
  const instance = anInstance()
  await Promise.all([instance.cron(), instance.cron(), instance.cron(0.001)])
  expect(logged('alarm_raised')).toHaveLength(1)
  expect(await outbox()).toHaveLength(1)
  await db.update(deliveries).set({ state: 'cancelled' })
  await Promise.all([instance.cron(1), instance.cron(1), instance.cron(1.001)])
  expect(logged('alarm_cleared')).toHaveLength(1)
  expect(await outbox()).toHaveLength(2)
})

/** A network that is not configured: nothing is asked, and nothing delivered. */
const market = aMarket('elsewhere', 5)

const SIGNER = `0x${'5'.repeat(40)}` as const

/** The configuration of that network. No node answers. */
const elsewhere = networksOf([market])

type Check = typeof networkChecks.$inferSelect

/** What a check has seen of that network. */
async function aCheck(seen: Partial<Check>): Promise<void> {
  await db.delete(networkChecks)
  await db
    .insert(networkChecks)
    .values({ chainId: 5, checkedAt: new Date().toISOString(), ...seen })
}

/** Of a check that has seen its signer. */
const aSigner = (values: Partial<NonNullable<Check['signers']>[number]>): Partial<Check> => ({
  signers: [
    {
      ...{ address: SIGNER, balance: '1', deliveries: 1000 },
      ...{ limit: { capacity: 1, perDay: 1, available: 1 } },
      ...values,
    },
  ],
})

/** What the last run on its chain has found. */
async function aRun(found: Partial<typeof networks.$inferInsert>): Promise<void> {
  await db.delete(networks)
  await db.insert(networks).values({ chainId: 5, leaseUntil: '', ...found })
}

/** As details show a time. */
const minute = (at: string) => `${at.slice(0, 16).replace('T', ' ')} UTC`

const checks: [key: string, quiet: Partial<Check>, seen: Partial<Check>, detail: string][] = [
  ['contract_paused:5', {}, { isPaused: true }, 'The Delivery contract of elsewhere is paused.'],
  [
    'contract_paused:5',
    {},
    { isPaused: true, isRetired: true },
    'The Delivery contract of elsewhere is retired.',
  ],
  [
    'fees_above_cap:5',
    { gasPrice: '350000000000' },
    { gasPrice: '350000000001' },
    'A unit of gas of elsewhere costs 350.000000001 gwei, more than 70 % of maxFeePerGasGwei. Nothing is sent.',
  ],
  [
    `signer_low:5:${SIGNER}`,
    aSigner({ deliveries: 100 }),
    aSigner({ deliveries: 99, balance: '20000000000000000' }),
    `The signer ${SIGNER} has 0.02 ETH on elsewhere: enough for 99 deliveries.`,
  ],
  [
    `relayer_limit_low:5:${SIGNER}`,
    aSigner({ limit: { capacity: 500, perDay: 1000, available: 101 } }),
    aSigner({ limit: { capacity: 500, perDay: 1000, available: 100 } }),
    `The signer ${SIGNER} has used 400 of 500 pieces of its limit on elsewhere. 1000 flow back in a day.`,
  ],
]

it.each(checks)('%s lasts while a check sees it', async (key, quiet, seen, detail) => {
  const instance = anInstance()
  const cron = (minutes: number) => instance.cron(minutes, { NETWORKS: elsewhere })
  await aCheck(quiet)
  expect(await cron(0)).not.toContain(key)
  await aCheck(seen)
  expect(await cron(1)).toContain(key)
  expect(await detailOf(key)).toBe(detail)
  await aCheck(quiet)
  expect(await cron(2)).not.toContain(key)
})

it('signer_low lasts while the balance is enough for fewer deliveries than three usual days have', async () => {
  const instance = anInstance()
  const cron = (minutes: number) => instance.cron(minutes, { NETWORKS: elsewhere })
  await aCheck(aSigner({ deliveries: 149 }))
  const transaction = (days: number, items: number) =>
    aTransaction({
      ...{ chainId: 5, signer: SIGNER, items: Array.from({ length: items }, (_, i) => i) },
      createdAt: instance.at(-days * 24 * 60).toISOString(),
    })
  await transaction(8, 1000)
  await transaction(6, 200)
  await transaction(0, 147)
  await cron(0)
  expect(await cron(1)).not.toContain(`signer_low:5:${SIGNER}`)
  await transaction(0, 3)
  await cron(2)
  expect(await cron(3)).toContain(`signer_low:5:${SIGNER}`)
  expect(await detailOf(`signer_low:5:${SIGNER}`)).toMatch(
    /: enough for 149 deliveries\. It needs 150 in 3 days\.$/,
  )
  // The next days see fewer of them.
  await cron(6 * 24 * 60)
  expect(await cron(6 * 24 * 60 + 1)).not.toContain(`signer_low:5:${SIGNER}`)
})

it('chain_stalled lasts while the chain makes no block that an item waits for', async () => {
  const chain = await aChain({ erc1155: 1 })
  const instance = anInstance(chain)
  expect(await instance.cron(11)).toEqual([])
  await aPaidItem(chain, edition)
  expect(await instance.cron(9)).toEqual([])
  expect(await instance.cron(11)).toEqual([`chain_stalled:${chain.chainId}`])
  expect(await detailOf(`chain_stalled:${chain.chainId}`)).toMatch(
    /^chain-\d+ has made no block since \d{4}-\d\d-\d\d \d\d:\d\d UTC, and items wait for one\.$/,
  )
  await chain.rpc('evm_setNextBlockTimestamp', Math.floor(instance.at(11).getTime() / 1000))
  await chain.mine()
  expect(await instance.cron(12)).toEqual([])
})

describe('deliveries_delayed', () => {
  it('lasts while an item waits for its turn, or for its block, for more than 30 minutes', async () => {
    const instance = anInstance()
    const cron = (minutes: number) => instance.cron(minutes, { NETWORKS: elsewhere })
    const [queued, inFlight] = await paidItems(market, [edition, edition])
    await setRow(deliveries, inFlight.id, { state: 'in_flight', dueAt: null })
    const carrying = {
      chainId: 5,
      items: [inFlight.id],
      isOpen: true,
      block: null,
      blockHash: null,
    }
    const { id } = await aTransaction(carrying)
    const key = 'deliveries_delayed:5'
    expect(await cron(29)).not.toContain(key)
    expect(await cron(31)).toContain(key)
    expect(await detailOf(key)).toMatch(
      /^2 items of chain 5 under way\. The oldest waits for its turn or its block since [-\d]+ [:\d]+ UTC\.$/,
    )
    await setRow(deliveries, queued.id, { state: 'transferred', dueAt: null })
    expect(await cron(32)).toContain(key)
    await setRow(deliveries, inFlight.id, { state: 'transferred' })
    await setRow(transactions, id, { isOpen: false })
    expect(await cron(33)).not.toContain(key)
  })

  it('says the reason for which items wait, on each chain, however often they are tried', async () => {
    const instance = anInstance()
    const [item] = await paidItems(market, [edition, edition])
    const queuedAt = instance.at(0).toISOString()
    const wait = (minutes: number) =>
      db.update(deliveries).set({
        ...{ ...explain('holder_not_approved'), queuedAt },
        ...{ waitingSince: queuedAt, dueAt: instance.at(minutes + 20).toISOString() },
      })
    // The item of a chain that is configured: the cron run leaves it.
    const NETWORKS = elsewhere
    await wait(29)
    expect(await instance.cron(29, { NETWORKS })).toEqual([])
    await wait(30)
    const key = `deliveries_delayed:${market.chainId}:holder_not_approved`
    expect(await instance.cron(30, { NETWORKS })).toContain(key)
    expect(await detailOf(key)).toBe(
      `2 items of chain 5 cannot be delivered: holder_not_approved. The oldest waits since ${minute(queuedAt)}.`,
    )
    await db.update(deliveries).set({ state: 'transferred', dueAt: null, waitingSince: null })
    expect(item && (await instance.cron(31, { NETWORKS }))).not.toContain(key)
  })

  it.each([
    ['whose network was removed', market.chainId, 'elsewhere'],
    ['whose network was never configured', null, 'nowhere'],
  ])('tells of an item %s', async (_, chainId, network) => {
    const instance = anInstance()
    await aPaidItem(market, { ...edition, network })
    expect(await instance.cron(1)).toEqual([])
    const key = `deliveries_delayed:${chainId}:network_not_configured`
    expect(await instance.cron(31)).toEqual([key])
    const where = chainId === null ? 'a network that is not configured' : 'chain 5'
    expect(await detailOf(key)).toContain(
      `1 item of ${where} cannot be delivered: network_not_configured.`,
    )
  })

  it('says why the chain could not be worked on', async () => {
    const instance = anInstance()
    const bindings = { NETWORKS: elsewhere, DELIVERY_ALARM_MINUTES: '5' }
    await aPaidItem(market, edition)
    await aRun({ problem: 'fees_above_cap' })
    const key = 'deliveries_delayed:5'
    expect(await instance.cron(4, bindings)).not.toContain(key)
    expect(await instance.cron(6, bindings)).toContain(key)
    expect(await detailOf(key)).toMatch(/UTC: fees_above_cap\.$/)
  })
})

it('backlog lasts while a message waits in a queue for 15 minutes', async () => {
  const instance = anInstance()
  const { queue } = aRecordingQueue()
  const metrics = async () => ({
    backlogCount: 7,
    backlogBytes: 700,
    oldestMessageTimestamp: instance.at(0),
  })
  const late = { ...queue, metrics }
  const bindings = { DELIVERIES: late, WEBHOOKS: late, MASTER_WEBHOOKS: late }
  expect(await instance.cron(14, bindings)).toEqual([])
  const names = ['deliveries', 'master_webhooks', 'webhooks']
  expect(await instance.cron(15, bindings)).toEqual(names.map((name) => `backlog:${name}`))
  for (const name of names)
    expect(await detailOf(`backlog:${name}`)).toMatch(
      new RegExp(`^7 messages in the queue of ${name}, the oldest since [-\\d]+ [:\\d]+ UTC\\.$`),
    )
  expect(await instance.cron(16)).toEqual([])
})

it('tells that many listings have stopped within an hour, which had been there', async () => {
  const instance = anInstance()
  const seller = await aUser()
  onTestFinished(async () => {
    await db.update(listings).set({ obstacle: null })
  })
  const stop = async (values: Partial<typeof listings.$inferInsert>) =>
    aListing(await anNft(seller), {
      ...{ foundBy: 'trial', checkAt: '9999', createdAt: instance.at(-60).toISOString() },
      ...{ obstacle: 'token_not_transferable', obstacleSince: instance.at(-1).toISOString() },
      ...values,
    })
  for (let i = 0; i < 19; i++) await stop({})
  await stop({ obstacle: 'holder_has_no_token', obstacleSince: instance.at(-61).toISOString() })
  await stop({ createdAt: instance.at(-59).toISOString() })
  expect(await instance.cron()).toEqual([])
  await stop({ obstacle: 'holder_has_no_token' })
  expect(await instance.cron()).toEqual(['sales_stopped'])
  expect(await detailOf('sales_stopped')).toBe(
    '20 listings stopped within an hour: token_not_transferable (19), holder_has_no_token (1).',
  )
  expect(await instance.cron(59)).toEqual([])
})

describe('deliveries_failed', () => {
  it('counts those that failed and were not cancelled, and tells once', async () => {
    const instance = anInstance()
    const set = (values: Partial<typeof deliveries.$inferInsert>) =>
      db.update(deliveries).set(values)
    const item = await aPaidItem(market, edition)
    await aPaidItem(market, edition)
    await set({ state: 'failed', dueAt: null })
    expect(await instance.cron()).toEqual(['deliveries_failed'])
    expect(await detailOf('deliveries_failed')).toBe('2 deliveries failed.')
    await db.delete(deliveries).where(eq(deliveries.id, item.id))
    expect(await instance.cron(1)).toEqual(['deliveries_failed'])
    expect(await detailOf('deliveries_failed')).toBe('1 delivery failed.')
    expect(logged('alarm_raised')).toHaveLength(1)
    await set({ state: 'cancelled' })
    expect(await instance.cron(2)).toEqual([])
  })

  it('lasts while what failed is tried again, until that has ended', async () => {
    const instance = anInstance()
    const bindings = { NETWORKS: elsewhere } as unknown as Env
    const item = await aPaidItem(market, edition)
    await db.update(deliveries).set({ state: 'failed', dueAt: null })
    expect(await instance.cron(0, bindings)).toEqual(['deliveries_failed'])
    const settings = readSettings({ ...env, ...bindings })
    const ctx = { db, now: instance.at(1), settings }
    await batch(db, actionStatements(ctx, { action: 'retry' }, sql`(${item.id})`))
    expect((await rowOf(item)).state).toBe('queued')
    await db.update(deliveries).set({ dueAt: instance.at(60).toISOString() })
    expect(await instance.cron(1, bindings)).toEqual(['deliveries_failed'])
    expect(await detailOf('deliveries_failed')).toBe('1 delivery that failed is tried again.')
    expect(logged('alarm_cleared')).toEqual([])
    await db.update(deliveries).set({ state: 'transferred', dueAt: null })
    expect(await instance.cron(2, bindings)).toEqual([])
  })
})

describe('an alarm with members', () => {
  const key = 'deliveries_failed'
  const instance = anInstance()
  /** An item that has failed at this minute. */
  async function aFailure(minutes: number) {
    const item = await aPaidItem(market, edition)
    const updatedAt = instance.at(minutes).toISOString()
    const { reasonCode } = explain('holder_not_approved')
    await setRow(deliveries, item.id, { state: 'failed', reasonCode, dueAt: null, updatedAt })
    return item
  }
  const acknowledge = async () => {
    const { version } = (await instance.health()).alarms[0] ?? {}
    const path = `/api/admin/alarms/${key}/acknowledge`
    const response = await call('POST', path, { token: await aMasterToken(), json: { version } })
    expect(response.status).toBe(200)
  }

  it('is told again when one joins, an hour after it was told at the earliest', async () => {
    await aFailure(-10)
    await instance.cron(-9)
    await aFailure(-5)
    await instance.cron(-4)
    expect(logged('alarm_raised')).toMatchObject([{ isRepeated: false }])
    await instance.cron(51)
    expect(logged('alarm_raised')).toMatchObject([
      { detail: '1 delivery failed.', isRepeated: false },
      { detail: '2 deliveries failed.', isRepeated: false },
    ])
    await instance.cron(111)
    expect(logged('alarm_raised')[2]).toMatchObject({ isRepeated: true })
  })

  it('ends when it is acknowledged, until another one joins', async () => {
    const outbox = await aSubscriber()
    await aFailure(-10)
    expect(await instance.cron(-9)).toEqual([key])
    await acknowledge()
    expect(await instance.cron(-8)).toEqual([])
    await outbox()
    expect(await instance.cron(24 * 60)).toEqual([])
    await aFailure(-5)
    expect(await instance.cron(-4)).toEqual([key])
    expect(logged('alarm_raised').map(({ isRepeated }) => isRepeated)).toEqual([false, false])
    expect((await outbox()).map(({ type }) => type)).toEqual([
      'alarm.raised',
      'alarm.cleared',
      'alarm.raised',
    ])
  })

  it('is raised anew by the same one once all have ended', async () => {
    const item = await aFailure(-10)
    await instance.cron(-9)
    await acknowledge()
    await setRow(deliveries, item.id, { state: 'queued' })
    expect(await instance.cron(-8)).toEqual([])
    await setRow(deliveries, item.id, { state: 'failed' })
    expect(await instance.cron(-7)).toEqual([key])
  })

  it('is each reason of a chain, whose newest late item is its version', async () => {
    const bindings = { NETWORKS: elsewhere }
    const { reasonCode } = explain('holder_not_approved')
    const wait = async (minutes: number) => {
      const item = await aPaidItem(market, edition)
      const [queuedAt, dueAt] = [instance.at(minutes), instance.at(9999)].map((at) =>
        at.toISOString(),
      )
      await setRow(deliveries, item.id, { queuedAt, waitingSince: queuedAt, dueAt, reasonCode })
      return Date.parse(queuedAt ?? '')
    }
    const [first] = [await wait(-60), await wait(-10)]
    const delayed = 'deliveries_delayed:5:holder_not_approved'
    expect(await instance.cron(0, bindings)).toContain(delayed)
    const versions = async () => (await db.select().from(alarms).where(eq(alarms.key, delayed)))[0]
    expect(await versions()).toMatchObject({ version: first })
    await instance.cron(61, bindings)
    expect((await versions())?.version).toBe(first + 50 * 60_000)
  })
})

describe('webhook_failing', () => {
  const hour = 60
  const instance = anInstance()
  const at = (minutes: number) => instance.at(minutes).toISOString()
  const set = (values: Partial<typeof webhookEndpoints.$inferInsert>) =>
    db.update(webhookEndpoints).set(values)

  it('lasts while an endpoint of an administrator has failed for an hour', async () => {
    const { id } = await aWebhook(await anAdministrator(), { role: 'master', failingSince: at(0) })
    await aWebhook(await aUser(), { failingSince: at(-hour) })
    expect(await instance.cron(hour - 1)).toEqual([])
    expect(await instance.cron(hour)).toEqual([`webhook_failing:${id}`])
    expect(await detailOf(`webhook_failing:${id}`)).toMatch(
      /^The webhook of an administrator to [\w.]+ has accepted nothing since [-\d]+ [:\d]+ UTC\.$/,
    )
    await set({ failingSince: null })
    expect(await instance.cron(hour + 1)).toEqual([])
  })

  it('lasts when the endpoint is disabled because of that, and not by its owner', async () => {
    const owner = await anAdministrator()
    const disabled = { role: 'master', failingSince: at(-10 * hour), disabledAt: at(0) } as const
    const { id } = await aWebhook(owner, { ...disabled, disabledReason: 'failing' })
    await aWebhook(owner, { ...disabled, disabledReason: 'owner' })
    expect(await instance.cron(0)).toEqual([`webhook_failing:${id}`])
    expect(await detailOf(`webhook_failing:${id}`)).toContain(' was disabled at ')
  })
})

describe('backups_stopped', () => {
  const day = 24 * 60
  const instance = anInstance()
  const backUp = (at: number, previousAt: number | null) =>
    db.insert(backups).values({
      id: 1,
      at: instance.at(at).toISOString(),
      previousAt: previousAt === null ? null : instance.at(previousAt).toISOString(),
    })
  beforeEach(async () => {
    await db.delete(backups)
  })

  it.each([
    ['a day and a half after the last one of each night', -1, 1.5],
    ['after as long as there was between the last two, and half of it', -7, 10.5],
  ])('is raised %s', async (_, previous, days) => {
    await backUp(0, previous * day)
    expect(await instance.cron(days * day - 1)).toEqual([])
    expect(await instance.cron(days * day)).toEqual(['backups_stopped'])
    expect(await detailOf('backups_stopped')).toMatch(
      /^The database was backed up at [-\d]+ [:\d]+ UTC and at [-\d]+ [:\d]+ UTC, and not since\.$/,
    )
  })

  it('is not raised after a single one', async () => {
    await backUp(0, null)
    expect(await instance.cron(100 * day)).toEqual([])
  })
})

describe('foreign_transaction', () => {
  it('tells the newest findings, and which of two nodes have said them', async () => {
    const instance = anInstance()
    await aCheck({})
    const key = `foreign_transaction:5:${SIGNER}`
    const at = instance.at(0)
    for (const [i, nodes] of [[0], [1], [0, 1], [], [0], [1]].entries())
      await db.batch([...storeFindings(db, 5, [{ key, detail: `It was ${i}.`, nodes }], at)])
    const rpcUrls = Array(2).fill('http://127.0.0.1:1')
    const NETWORKS = networksOf([market], { rpcUrls })
    expect(await instance.cron(0, { NETWORKS })).toEqual([key])
    expect(await detailOf(key)).toBe(
      'It was 0. (node 0) It was 1. (node 1) It was 2. (node 0, 1) It was 3. It was 4. (node 0) It was 5. (node 1)',
    )
  })

  it('is not raised for a chain that is not configured any more', async () => {
    const finding = { key: `foreign_transaction:6:${SIGNER}`, detail: 'It was.', nodes: [0] }
    await db.batch([...storeFindings(db, 6, [finding], new Date())])
    expect(await anInstance().cron()).toEqual([])
  })
})

describe('node_misconfigured', () => {
  const simulation = toFunctionSelector(
    'deliver((bytes32,address,address,address,uint256,uint256)[],uint256,uint256,uint256)',
  )
  const failing = { error: { code: -32601, message: 'the method is not available' } } as const

  it('lasts while a node does not do what a delivery needs, also if nothing is to be delivered', async () => {
    const chain = await aChain()
    const rpcUrls = ['a', 'b'].map((name) => `${chain.proxyUrl}/${name}`)
    const instance = anInstance(chain, { network: { rpcUrls, finality: 'finalized' } })
    const key = `node_misconfigured:${chain.chainId}:1`
    const refused = { node: 'b', effect: { ...failing, reach: 'none' } } as const
    const lacks: [Fault, reason: string][] = [
      [
        { ...refused, on: ['eth_getBlockByNumber'], containing: 'finalized' },
        'the node does not tell `finalized`',
      ],
      [
        { ...refused, on: ['eth_call'], containing: simulation },
        'the node answered: the method is not available',
      ],
      [{ ...refused, on: ['eth_maxPriorityFeePerGas'] }, 'the node does not tell a priority fee'],
      [
        { ...refused, on: ['eth_getLogs'] },
        'the node does not tell the events of the Delivery contract',
      ],
    ]
    expect(await instance.cron()).toEqual([])
    const since = minute(instance.at(1).toISOString())
    for (const [i, [fault, reason]] of lacks.entries()) {
      await chain.mine()
      await chain.setFaults(fault)
      // It may be restarted.
      if (i === 0) expect(await instance.cron(1)).toEqual([])
      expect(await instance.cron(i + 2)).toEqual([key])
      expect(await detailOf(key)).toBe(
        `The node 1 of ${chain.name} cannot do what deliveries need since ${since}: ${reason}.`,
      )
    }
    await chain.setFaults()
    expect(await instance.cron(6)).toEqual([])
  })
})

describe('node_behind', () => {
  /** Two nodes, of which `slow` stays where it is. The other one gets blocks, so many minutes later. */
  async function aSlowNode() {
    const chain = await aChain()
    const rpcUrls = ['slow', 'other'].map((name) => `${chain.proxyUrl}/${name}`)
    const instance = anInstance(chain, { network: { rpcUrls } })
    // The blocks of the chain may be older than the next one may be.
    await chain.mine()
    const old = Object(await chain.rpc('eth_getBlockByNumber', 'latest', false))
    await chain.setFaults({ node: 'slow', effect: { asOf: Number(old.number) } })
    const timeAfter = (minutes: number) => Number(old.timestamp) + minutes * 60
    const mineAfter = async (minutes: number) => {
      await chain.rpc('evm_setNextBlockTimestamp', timeAfter(minutes))
      await chain.mine()
    }
    const key = `node_behind:${chain.chainId}:0`
    return { chain, instance, old, timeAfter, mineAfter, key }
  }

  const timeOf = (seconds: number) => minute(new Date(seconds * 1000).toISOString())

  it('lasts while the newest block of a node is ten minutes older than that of another one', async () => {
    const { chain, instance, old, timeAfter, mineAfter, key } = await aSlowNode()
    await mineAfter(9)
    expect([await instance.cron(9), await instance.cron(10)]).toEqual([[], []])
    await mineAfter(10)
    // The block may be on its way.
    expect(await instance.cron(11)).toEqual([])
    expect(await instance.cron(12)).toEqual([key])
    const number = Number(old.number)
    expect(await detailOf(key)).toBe(
      `The node 0 of ${chain.name} is at ${number} of ${timeOf(timeAfter(0))}, and the node 1 at ${number + 2} of ${timeOf(timeAfter(10))}. With two nodes, nothing is settled until it goes on.`,
    )
    // What the other node tells is shown.
    expect(await db.select().from(networkChecks)).toMatchObject([
      { headNumber: number + 2, problem: null },
    ])
    await chain.setFaults()
    expect(await instance.cron(13)).toEqual([])
  })

  it('lasts while a node gets one block where another one gets four, although it fails now and then', async () => {
    const { chain, instance, old, key } = await aSlowNode()
    const raised: boolean[] = []
    for (const [blocks, minutes] of [0, 5, 10, 15, 20, 25].entries()) {
      await chain.setFaults({
        node: 'slow',
        effect:
          minutes === 10 ? { http: 'drop', reach: 'all' } : { asOf: Number(old.number) + blocks },
      })
      raised.push((await instance.cron(minutes)).includes(key))
      for (let i = 0; i < 4; i++) await chain.mine()
    }
    expect(raised).toEqual([false, false, false, false, true, true])
  })

  it('lasts while a node has told one number for ten minutes, whatever its time, and another one a higher', async () => {
    const { chain, instance, old, timeAfter, mineAfter, key } = await aSlowNode()
    await mineAfter(1)
    const standAt = (minutes: number) => {
      const effect = { result: { ...old, timestamp: numberToHex(timeAfter(minutes)) } }
      return chain.setFaults({ node: 'slow', on: ['eth_getBlockByNumber'], effect })
    }
    for (const minutes of [0, 10]) {
      await standAt(minutes)
      expect(await instance.cron(minutes)).toEqual([])
    }
    await standAt(11)
    expect(await instance.cron(11)).toEqual([key])
  })

  it('is not raised by a node whose time is ahead of the clock', async () => {
    const { instance, mineAfter } = await aSlowNode()
    await mineAfter(24 * 60)
    expect([await instance.cron(), await instance.cron(1)]).toEqual([[], []])
  })
})

it('contract_not_linked lasts while runs find that', async () => {
  const instance = anInstance()
  await aCheck({})
  await aRun({ problem: 'contract_not_linked' })
  const key = 'contract_not_linked:5'
  expect(await instance.cron(0, { NETWORKS: elsewhere })).toContain(key)
  expect(await detailOf(key)).toBe(
    'The Delivery contract of elsewhere does not know the keys of the contracts before it.',
  )
  await aRun({})
  expect(await instance.cron(1, { NETWORKS: elsewhere })).not.toContain(key)
})

it('webhooks_backlog lasts while an endpoint is due for more than 15 minutes', async () => {
  const instance = anInstance()
  const webhook = await aWebhook(await aUser(), { dueAt: instance.at(0).toISOString() })
  expect(await instance.cron(14)).toEqual([])
  expect(await instance.cron(15)).toEqual(['webhooks_backlog'])
  expect(await detailOf('webhooks_backlog')).toMatch(
    /^1 webhook with something to send, one due since [-\d]+ [:\d]+ UTC\.$/,
  )
  await db.update(webhookEndpoints).set({ dueAt: null }).where(eq(webhookEndpoints.id, webhook.id))
  expect(await instance.cron(16)).toEqual([])
})

describe('what hangs', () => {
  /** Lets all that is waited for end a hundred times as early. */
  beforeEach(() => {
    const timeout = AbortSignal.timeout.bind(AbortSignal)
    const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 100))
    onTestFinished(() => spy.mockRestore())
  })

  it('is abandoned if it is a job, and delays no other alarm', async () => {
    const instance = anInstance()
    await aPaidItem(market, edition)
    await db.update(deliveries).set({ state: 'failed', dueAt: null })
    const AVATARS = hanging(env.AVATARS, 'get')
    const key = 'cron_job_failed:removeOrphans'
    expect(await instance.cron(0, { AVATARS })).toEqual([key, 'deliveries_failed'])
    expect(logged('cron_job_failed')).toEqual([
      { job: 'removeOrphans', error: 'Error: it has taken longer than 20 s' },
    ])
    const names = logged('alarm_raised').map(({ name }) => name)
    expect(names).toEqual(['deliveries_failed', 'cron_job_failed'])
    expect(await instance.cron(1)).toEqual(['deliveries_failed'])
  })

  it('is told if it is R2 or a queue, and delays no other alarm', async () => {
    const instance = anInstance()
    await aPaidItem(market, edition)
    await db.update(deliveries).set({ state: 'failed', dueAt: null })
    const bindings = {
      AVATARS: hanging(env.AVATARS, 'head'),
      DELIVERIES: hanging(env.DELIVERIES, 'metrics'),
    }
    expect(await instance.cron(0, bindings)).toEqual(['deliveries_failed', 'storage_unavailable'])
  })
})

it('database_size is raised when the database has 70 percent of what D1 allows, and again at 90', async () => {
  const instance = anInstance()
  const withBytes = (size_after: number) => ({
    DB: new Proxy(env.DB, {
      get: (d1, name) =>
        name === 'batch'
          ? async (statements: D1PreparedStatement[]) =>
              (await d1.batch(statements)).map((result) => ({
                ...result,
                meta: { ...result.meta, size_after },
              }))
          : d1.prepare.bind(d1),
    }),
  })
  expect(await instance.cron(0, withBytes(6_999_999_999))).toEqual([])
  expect(await instance.cron(1, withBytes(7_000_000_000))).toEqual(['database_size:70'])
  expect(await detailOf('database_size:70')).toBe(
    'The database has 70 % of the 10 GB that D1 allows. When it is full, no order can be placed.',
  )
  expect(await instance.cron(2, withBytes(9_000_000_000))).toEqual([
    'database_size:70',
    'database_size:90',
  ])
  expect(logged('alarm_raised')).toHaveLength(2)
  expect(await instance.cron(3)).toEqual([])
})

it('what is counted up to 1,000 is said to be that or more', async () => {
  const before = await lastIds(env.DB)
  for (const sql of synthetic({ users: 1, nfts: 2, orders: 1001 }, before))
    await env.DB.prepare(sql).run()
  await db.update(deliveries).set({ state: 'failed', chainId: 5 })
  const instance = anInstance()
  expect(await instance.cron(0, { NETWORKS: elsewhere })).toContain('deliveries_failed')
  expect(await detailOf('deliveries_failed')).toBe('1000 or more deliveries failed.')
})

it('quota_low is raised when 80 percent of a quota are used', async () => {
  const bindings = {
    MAX_PICTURES_PER_DAY: '150',
    MAX_MAILS_PER_HOUR: '20',
    MAX_ORDER_MAILS_PER_DAY: '20',
  }
  const instance = anInstance(undefined, { bindings: bindings as unknown as Partial<Env> })
  const now = instance.at(0).toISOString()
  const use = (name: string, period: string, used: number) =>
    db
      .insert(quotas)
      .values({ name, period, used })
      .onConflictDoUpdate({
        target: [quotas.period, quotas.name],
        set: { used },
      })
  await use('pictures', now.slice(0, 10), 119)
  await use('mails', now.slice(0, 13), 7)
  await use('order-mails', now.slice(0, 10), 15)
  expect(await instance.cron()).toEqual([])
  await use('pictures', now.slice(0, 10), 120)
  await use('mails', now.slice(0, 13), 8)
  await use('order-mails', now.slice(0, 10), 16)
  expect(await instance.cron()).toEqual([
    'quota_low:mails:hour',
    'quota_low:order-mails:day',
    'quota_low:pictures:day',
  ])
  expect(await detailOf('quota_low:order-mails:day')).toBe(
    '16 order-mails of this day are used. From 20, buyers and sellers get none.',
  )
  expect(await detailOf('quota_low:mails:hour')).toBe(
    '8 mails of this hour are used. From 10, addresses that no user has get none.',
  )
  expect(await detailOf('quota_low:pictures:day')).toBe(
    '120 pictures of this day are used. From 150, users can send none.',
  )
  await db.delete(quotas)
  expect(await instance.cron()).toEqual([])
})

it('quota_low is raised when 80 percent of the bytes of files are used', async () => {
  const bindings = { MAX_CONTENT_BYTES: '1000' } as unknown as Partial<Env>
  const instance = anInstance(undefined, { bindings })
  await db.insert(contentStorage).values({ id: 1, bytes: 799 })
  expect(await instance.cron()).toEqual([])
  await db.update(contentStorage).set({ bytes: 800 })
  expect(await instance.cron()).toEqual(['quota_low:content'])
  expect(await detailOf('quota_low:content')).toBe(
    'The files of NFTs have 80 % of the 1000 bytes of MAX_CONTENT_BYTES. When they have all, no catalogue with further files can be imported.',
  )
  await db.delete(contentStorage)
  expect(await instance.cron()).toEqual([])
})

it('codes_missing is raised while delivered items lack codes', async () => {
  const instance = anInstance()
  const [item, other] = await paidItems(aMarket('localhost', 31337), [edition, edition])
  const since = '2026-01-02T03:04:05.000Z'
  for (const { id } of [item, other])
    await db.insert(owedCodes).values({ nftId: id, orderItemId: id, since })
  expect(await instance.cron()).not.toContain('codes_missing')
  await db.update(deliveries).set({ state: 'transferred' })
  expect(await instance.cron()).toContain('codes_missing')
  expect(await detailOf('codes_missing')).toBe(
    '2 delivered items of 2 NFTs lack codes, the first since 2026-01-02 03:04 UTC.',
  )
  await db.delete(owedCodes)
  expect(await instance.cron()).not.toContain('codes_missing')
})

it('review_waiting is raised while something waits for three days', async () => {
  const instance = anInstance()
  const wait = async (days: number) => {
    await db.delete(proposals)
    const submittedAt = new Date(Date.now() - days * DAY).toISOString()
    const { id: userId } = await aUser()
    await db.insert(proposals).values({
      ...{ kind: 'nft', subjectId: 1, userId, state: 'in_review', fields: '{}', version: '1' },
      submittedAt,
    })
    return submittedAt
  }
  await wait(2.9)
  expect(await instance.cron()).not.toContain('review_waiting')
  const since = await wait(3.1)
  expect(await instance.cron()).toContain('review_waiting')
  expect(await detailOf('review_waiting')).toBe(
    `1 proposal to review, the oldest since ${since.slice(0, 16).replace('T', ' ')} UTC.`,
  )
  await db.update(proposals).set({ state: 'rejected' })
  expect(await instance.cron()).not.toContain('review_waiting')
})

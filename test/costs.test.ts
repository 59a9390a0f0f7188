/**
 * What each endpoint costs in D1: trips, rows read and rows written. The limits are in
 * `scripts/costs/rows.ts`. They hold in a small database and, in `npm run test:long`, in one with a
 * million orders, 100,000 NFTs and 100,000 users, because no statement reads a whole table.
 *
 * An endpoint without limits fails this test.
 */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import * as z from 'zod'
import { lastIds, NO_IDS, type Size, synthetic } from '../scripts/catalogue/synthetic.ts'
import {
  type BatchCost,
  batchCosts,
  type Cost,
  endpointCosts,
  listCosts,
  publicCosts,
  transferListCosts,
} from '../scripts/costs/rows.ts'
import app from '../src/app.ts'
import { connect } from '../src/db/client.ts'
import { events, webhookEndpoints } from '../src/db/schema/webhooks.ts'
import type { WakeUp } from '../src/delivery/wake.ts'
import { listEndpoints } from '../src/http/endpoint.ts'
import { runCron } from '../src/operations/cron.ts'
import { pruneEvents } from '../src/webhooks/log.ts'
import worker from '../src/worker.ts'
import { BASE_URL, requestOf } from './support/api.ts'
import { aChain } from './support/chain/chain.ts'
import { startClock } from './support/delivery/clock.ts'
import { networksOf } from './support/delivery/engine.ts'
import { paidItems } from './support/delivery/items.ts'
import { aRecordingQueue } from './support/delivery/queue.ts'
import { sampleWorld } from './support/endpoints.ts'
import { anAddress, anAdministrator, aSession, aToken, aUser, db } from './support/makers.ts'
import { measured } from './support/measured.ts'
import { anEndpoint, consume, receive } from './webhooks/endpoints.ts'

const { tokenOf, sampleRequest } = await sampleWorld()

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 })

const endpoints = listEndpoints(app).map(({ method, path }) => `${method} ${path}`)

/** The SQL of every statement that ran, with the bound values of one run. */
const statements = new Map<string, unknown[]>()

/** Measures a run. Statements in `waitUntil`, after the response, are not included. */
async function costOf(run: (measuredEnv: Env) => Promise<unknown>): Promise<Cost> {
  const { database, trips } = measured(env.DB)
  await run({ ...env, DB: database })
  const sum = (of: 'rowsRead' | 'rowsWritten') => trips.reduce((all, trip) => all + trip[of], 0)
  const cost = { trips: trips.length, rowsRead: sum('rowsRead'), rowsWritten: sum('rowsWritten') }
  for (const trip of trips)
    for (const [i, sql] of trip.statements.entries()) statements.set(sql, trip.values[i] ?? [])
  return cost
}

const session = await aSession(await anAdministrator())

/** Measures a request with a master token, or with a session for pages. */
async function costOfRequest(endpoint: string): Promise<Cost> {
  const { method, path, ...content } = await sampleRequest(endpoint)
  const isPage = /^\/(sign-in|settings|orders|claim|mails|operations|docs|$)/.test(path)
  const token = isPage ? { cookie: `token=${session}` } : { authorization: tokenOf.master }
  const headers = { ...content.headers, ...token, origin: BASE_URL }
  const context = createExecutionContext()
  const cost = await costOf((measuredEnv) =>
    Promise.resolve(
      app.fetch(requestOf(method, path, { ...content, headers }), measuredEnv, context),
    ),
  )
  await waitOnExecutionContext(context)
  return cost
}

const costOfList = (path: string, token?: string): Promise<Cost> =>
  costOf(async (measuredEnv) => {
    const request = requestOf('GET', path, { ...(token && { token }) })
    const response = await app.fetch(request, measuredEnv, createExecutionContext())
    expect(response.status).toBe(200)
  })

const batchOf = (chainId: number): MessageBatch<WakeUp> => ({
  queue: 'marketplace-deliveries',
  messages: [
    { id: '1', timestamp: new Date(), body: { chainId }, attempts: 1, ack() {}, retry() {} },
  ],
  metadata: { metrics: { backlogCount: 1, backlogBytes: 1 } },
  ackAll() {},
  retryAll() {},
})

/** Measures a call that places orders of a buyer with a wallet. */
async function costOfOrders(count: number): Promise<Cost> {
  const { method, path, json } = await sampleRequest('POST /api/externalOrders')
  const buyer = await aUser()
  await anAddress(buyer)
  const [input] = z.array(z.looseObject({})).parse(json)
  const inputs = Array.from({ length: count }, () => ({ ...input, buyerUserId: buyer.id }))
  const request = requestOf(method, path, { token: tokenOf.master, json: inputs })
  const { queue } = aRecordingQueue()
  return costOf(async (measuredEnv) => {
    const bindings = { ...measuredEnv, DELIVERIES: queue }
    const response = await app.fetch(request, bindings, createExecutionContext())
    expect(response.status).toBe(200)
  })
}

const measureBatch: Record<BatchCost, () => Promise<Cost>> = {
  'place an order': () => costOfOrders(1),
  'place 100 orders': () => costOfOrders(100),
  'transfer 100 items': async () => {
    const chain = await aChain({ erc1155: 100 })
    await chain.setAutomine(false)
    await paidItems(
      chain,
      Array.from({ length: 100 }, () => ({ standard: 'erc1155' as const })),
    )
    // A block is made as soon as the run waits for one.
    startClock(() => chain.mine())
    const networks = { NETWORKS: networksOf([chain]) }
    return costOf((measuredEnv) =>
      worker.queue(batchOf(chain.chainId), { ...measuredEnv, ...networks }),
    )
  },
  'log, send and remove 100 events': async () => {
    const endpoint = await anEndpoint()
    await db.delete(events)
    const received = receive()
    const monthLater = new Date(Date.now() + 31 * 24 * 60 * 60 * 1000)
    const cost = await costOf(async ({ DB }) => {
      await DB.prepare(
        `INSERT INTO newEvents (type, at, sellerId, data)
         SELECT 'order.created', ?1, ?2, '{}' FROM json_each(?3)`,
      )
        .bind(new Date().toISOString(), endpoint.userId, JSON.stringify(Array(100).fill(0)))
        .run()
      await consume([endpoint], { DB })
      const connected = connect(DB)
      const [removeEvents, ...others] = pruneEvents(connected, monthLater)
      if (removeEvents) await connected.batch([removeEvents, ...others])
    })
    expect(received).toHaveLength(100)
    expect(await db.$count(events)).toBe(1)
    return cost
  },
  'run cron once': async () => {
    // As if the cron trigger had always run: the newest order is counted, and alarms were told.
    await env.DB.prepare(
      `INSERT OR REPLACE INTO hourlyOrders (hour, firstId, lastId, transferred, failed, awaitingWallet, underWay, updatedAt)
       SELECT substr(?1, 1, 13) || ':00:00.000Z', max(id), max(id), 0, 0, 0, 1, ?1 FROM deliveries`,
    )
      .bind(new Date().toISOString())
      .run()
    await runCron(env, new Date())
    return costOf((measuredEnv) => runCron(measuredEnv, new Date()))
  },
}

/** The last ids before the database was filled. */
let before = NO_IDS

async function fill(size: Size) {
  before = await lastIds(env.DB)
  for (const sql of synthetic(size, before)) await env.DB.prepare(sql).run()
}

// Endpoints of earlier samples would get messages of the orders.
beforeEach(async () => {
  await db.delete(webhookEndpoints)
})

/** Rows are upper limits: earlier requests of this test have added some rows. */
const expectCost = (cost: Cost, limit: Cost | undefined) => {
  const { trips = 0, rowsRead = 0, rowsWritten = 0 } = limit ?? {}
  expect(cost.trips).toBe(trips)
  expect(cost.rowsRead).toBeLessThanOrEqual(rowsRead)
  expect(cost.rowsWritten).toBeLessThanOrEqual(rowsWritten)
}

it('has limits for every endpoint, and no other limits', () => {
  expect(Object.keys(endpointCosts).sort()).toEqual([...endpoints].sort())
})

const small = ['1,000 orders', { users: 100, nfts: 100, orders: 1000 }] as const
const large = ['a million orders', { users: 100_000, nfts: 100_000, orders: 999_000 }] as const

describe.each(inject('isLong') ? [small, large] : [small])('in a database with %s', (_, size) => {
  /** A user who has sold a hundredth of the orders or more. */
  let seller = 0

  beforeAll(async () => {
    seller = (await lastIds(env.DB)).users + 1
    await fill(size)
  })

  it.each(endpoints)('%s costs no more than its limits', async (endpoint) => {
    // The first request may fill a cache or store when the token was used.
    await costOfRequest(endpoint)
    expectCost(await costOfRequest(endpoint), endpointCosts[endpoint])
  })

  describe.each(['master', 'seller'] as const)('a list of orders for a %s', (who) => {
    it.each(Object.entries(listCosts[who]))(
      '?%s costs no more than its limits',
      async (filter, limit) => {
        const token = who === 'master' ? tokenOf.master : await aToken({ id: seller })
        expectCost(await costOfList(`/api/externalOrders?${filter}`, token), limit)
      },
    )
  })

  it.each(Object.entries(transferListCosts))(
    'a list of transfers ?%s costs no more than its limits',
    async (filter, limit) => {
      const path = `/api/admin/transfers?${filter}`
      expectCost(await costOfList(path, tokenOf.master), limit)
    },
  )

  it.each(Object.entries(publicCosts))(
    'GET /api/public/%s costs no more than its limits',
    async (list, limit) => {
      const path = `/api/public/${list.replace('<seller>', String(seller))}`
      expectCost(await costOfList(path), limit)
    },
  )

  it.each(Object.keys(batchCosts) as BatchCost[])(
    '%s costs no more than its limits',
    async (batch) => {
      expectCost(await measureBatch[batch](), batchCosts[batch])
    },
  )
})

/** Scans that are allowed, and why. The key is the start of the scan. */
const allowedScans: Record<string, string> = {
  nftCounts: 'has one row per amountType',
  found: 'a subquery of what a search has found',
  newest: 'stops at its LIMIT',
  own: 'a subquery that stops at its LIMIT',
  'search in WITH bounds': 'has a row for each halving of the ids',
  'bounds in WITH bounds': 'has one row',
  'candidates in WITH bounds': 'a subquery that stops at its LIMIT',
  'page in WITH bounds': 'has the rows of a page',
  's in SELECT s.orderId': 'a subquery that stops at its LIMIT',
  'v in SELECT': 'a subquery that stops at its LIMIT',
  sold: 'a subquery over the JSON of the statement',
  returned: 'a subquery over the JSON of the statement',
  candidates: 'a subquery that stops at its LIMIT',
  instance: 'has one row',
  'deliveries USING COVERING INDEX deliveries_due': 'has only items that are to be delivered',
  'deliveries USING INDEX deliveries_due': 'has only items that are to be delivered',
  't USING INDEX transactions_open': 'has only transactions that are not final',
  'deliveries in INSERT INTO transactions': 'runs only if a foreign key is violated',
  'creators USING INDEX creators_latest': 'stops at its LIMIT',
  'tokens USING INDEX tokens_live': 'stops at its LIMIT',
  'orders in insert into "addresses"': 'runs only if a foreign key is violated',
  emailLinks: 'has only the links of 15 minutes',
  networks: 'has one row per chain',
  kept: 'has one row per chain',
  'r in INSERT INTO guard': 'a subquery over the lines of an import',
  'nfts in WITH r': 'runs only if a foreign key is violated',
  'listings in WITH r': 'runs only if a foreign key is violated',
  'deliveries in WITH r': 'runs only if a foreign key is violated',
  'auditLog in WITH r': 'runs only if a foreign key is violated',
  'addresses in WITH r': 'runs only if a foreign key is violated',
  'orderItems in WITH r': 'runs only if a foreign key is violated',
  'w in SELECT w.*': 'has a row for each chain',
  'deliveries USING COVERING INDEX deliveries_failed': 'has only items that failed',
  'transactions USING INDEX transactions_foreign': 'has only transactions that were not mined',
  'transactions USING INDEX transactions_open': 'has only transactions that are not final',
  underWay: 'a subquery of what is under way',
  'deliveries USING INDEX deliveries_delayed': 'has only items that are to be delivered',
  signers: 'has one row per signer',
  placers: 'a subquery with a row for each who has placed an order that is to be delivered',
  'waiting in WITH RECURSIVE placers': 'a subquery over the rows of `placers`',
  'room in WITH RECURSIVE placers': 'has one row',
  'chosen in WITH RECURSIVE placers': 'a subquery that stops at its LIMIT for each placer',
  configured: 'a subquery that stops at its LIMIT',
  cronRuns: 'has one row',
  alarms: 'has only alarms that last',
  'webhookEndpoints USING INDEX webhookEndpoints_disabled': 'has only those that are disabled',
  'e USING INDEX webhookEndpoints_master': 'has only those of administrators',
  'hourlyOrders USING': 'stops at its LIMIT',
  'deliveries in INSERT INTO hourlyOrders': 'stops at its LIMIT',
  'start in INSERT INTO hourlyOrders': 'has at most two rows',
  'h in INSERT INTO hourlyOrders': 'has a row for each hour that is computed',
  'hours in INSERT INTO hourlyOrders': 'has a row for each hour that is computed',
}

it('scans no table', async () => {
  const found = new Set<string>()
  for (const [sql, values] of statements) {
    const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...values)
      .all<{ detail: string }>()
    for (const { detail } of plan.results) {
      const [, scanned] = /^SCAN (.*)/.exec(detail) ?? []
      // JSON of the statement, and results of its other steps.
      if (!scanned || /VIRTUAL TABLE|CONSTANT ROW|^\(?subquery|^\(?join/.test(scanned)) continue
      found.add(`${scanned} in ${sql.replaceAll(/\s+/g, ' ').slice(0, 300)}`)
    }
  }
  const allowed = Object.keys(allowedScans)
  const forbidden = [...found].filter((scan) => !allowed.some((start) => scan.startsWith(start)))
  expect(forbidden).toEqual([])
})

/**
 * What each endpoint, list and batch costs in D1: trips, rows read and rows written. The limits of endpoints
 * are in `support/permissions.ts`. Limits hold in a small database and, in `npm run test:long`, in one with
 * a million orders, 100,000 NFTs and 100,000 users, because no statement reads a whole table.
 * docs/performance.md has the dollars of these limits.
 */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import app from '../src/app.ts'
import { deleteExpiredRows, runCron } from '../src/cron.ts'
import { connect } from '../src/db/client.ts'
import { users } from '../src/db/schema/users.ts'
import { events, webhookEndpoints } from '../src/db/schema/webhooks.ts'
import { explain } from '../src/delivery/reasons.ts'
import type { WakeUp } from '../src/delivery/wake.ts'
import { declarationBy } from '../src/http/endpoint.ts'
import worker from '../src/worker.ts'
import { anEndpoint, consume, receive } from './events/endpoints.ts'
import { billingData } from './orders/shop.ts'
import { BASE_URL, requestOf } from './support/api.ts'
import { firstCases, inLong } from './support/cases.ts'
import { aChain } from './support/chain/chain.ts'
import { startClock } from './support/delivery/clock.ts'
import { networksOf } from './support/delivery/engine.ts'
import { paidItems } from './support/delivery/items.ts'
import { aRecordingQueue } from './support/delivery/queue.ts'
import { sampleWorld } from './support/endpoints.ts'
import { insertEvents } from './support/events.ts'
import {
  aListing,
  anAddress,
  anAdministrator,
  anNft,
  aSession,
  aToken,
  aUser,
  db,
  setRow,
} from './support/makers.ts'
import { measured } from './support/measured.ts'
import { type Cost, endpointCosts } from './support/permissions.ts'
import { lastIds, NO_IDS, type Size, synthetic } from './support/synthetic.ts'
import { aWallet } from './support/visitor.ts'

const { tokenOf, sampleRequest } = await sampleWorld()

vi.setConfig({ hookTimeout: 300_000 })

/** The SQL of every statement that ran, with the bound values of one run. */
const statements = new Map<string, unknown[]>()

const cost = (trips: number, rowsRead: number, rowsWritten: number): Cost => ({
  trips,
  rowsRead,
  rowsWritten,
})

/** `rounds`: trips one after the other, to a replica (`r`) or to the primary (`p`). Trips at the same time are one. */
type Measured = Cost & { rounds: string }

/** Rounds of requests other than one read of a replica by `GET`, and trips to the primary by the others. */
const endpointRounds: Record<string, string> = {
  'POST /api/externalOrders': 'rp',
  'PUT /api/externalOrders/by-number/:providerId': 'rp',
  'POST /api/externalOrders/check': 'r',
  'POST /api/reservations': 'rp',
  'GET /operations/orders': 'rr',
  // Both at the same time.
  'POST /claim/:id/email': 'p',
  'GET /api/admin/nfts/:nft/files': 'p',
  'GET /api/admin/nfts/:nft/codes': 'p',
  'GET /api/nfts/:ref/files': 'pp',
  'GET /operations/review/nft/:number/cover': 'p',
  'GET /operations/review/nft/:number/files/:name': 'p',
  'GET /api/admin/proposals': 'p',
  'GET /api/externalOrders/:order_id/content': 'p',
  'GET /api/public/nfts/:id/content': 'p',
  'GET /files/:name': 'p',
  'GET /nfts/:id/content': 'pp',
  'GET /create/new': 'p',
  // Of an order of somebody else.
  'GET /orders/:id/files/:name': 'p',
  // Asks a node of the chain between a trip to a replica and one to the primary. Its sample request is
  // refused after the first.
  'POST /settings/account/wallet': 'r',
}

/** Endpoints of which the first request stores what the next ones find: the use of a quota, a picture, a name. */
const warmedUp = [
  'POST /api/public/deliveryAddress',
  'PUT /api/public/user/:user_id/profile/avatar',
  'POST /api/webhooks',
  'PUT /api/nfts/:ref',
  'GET /nfts/:id/content',
  'POST /docs/token',
  'POST /sign-in/email',
  'POST /settings/profile',
  'POST /settings/profile/avatar',
  'POST /settings/api-access/tokens',
]

function roundsOf(endpoint: string, { trips }: Cost): string {
  if (trips === 0) return ''
  return endpointRounds[endpoint] ?? (endpoint.startsWith('GET') ? 'r' : 'p'.repeat(trips))
}

/** Measures a run. Statements in `waitUntil`, after the response, are not included. */
async function costOf(run: (measuredEnv: Env) => Promise<unknown>): Promise<Measured> {
  const { database, trips } = measured(env.DB)
  await run({ ...env, DB: database })
  const sum = (of: 'rowsRead' | 'rowsWritten') => trips.reduce((all, trip) => all + trip[of], 0)
  const rounds = [...Map.groupBy(trips, ({ round }) => round).values()]
  for (const trip of trips)
    for (const [i, sql] of trip.statements.entries()) statements.set(sql, trip.values[i] ?? [])
  return {
    trips: trips.length,
    rowsRead: sum('rowsRead'),
    rowsWritten: sum('rowsWritten'),
    rounds: rounds
      .map((round) => (round.every(({ copy }) => copy === 'replica') ? 'r' : 'p'))
      .join(''),
  }
}

const administrator = await anAdministrator()
// Who lists for the first time is named before.
await setRow(users, administrator.id, { externalId: `user-${administrator.id}` })
const session = await aSession(administrator)

/** Whether an endpoint is a page, or requires a session. The session has to last. */
function isForBrowsers(endpoint: string): boolean {
  if (endpoint === 'POST /sign-out') return false
  const declared = app.routes.flatMap(({ method, path, handler }) =>
    `${method} ${path}` === endpoint ? (declarationBy(handler) ?? []) : [],
  )
  return declared.some(({ id, access }) => !id || access === 'session')
}

/** Measures a request with a master token, or with a session for pages. */
async function costOfRequest(endpoint: string): Promise<Measured> {
  const { method, path, ...content } = await sampleRequest(endpoint)
  const token = isForBrowsers(endpoint)
    ? { cookie: `token=${session}` }
    : { authorization: tokenOf.master }
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
async function costOfOrders(
  count: number,
  { order, key }: { order?: object; key?: string } = {},
): Promise<Cost> {
  const { method, path, json } = await sampleRequest('POST /api/externalOrders')
  const buyer = await aUser()
  await anAddress(buyer)
  const [input] = z.array(z.looseObject({})).parse(json)
  const inputs = Array.from({ length: count }, () => ({
    ...input,
    buyerUserId: buyer.id,
    ...order,
  }))
  const headers = key ? { 'idempotency-key': key } : {}
  const request = requestOf(method, path, { token: tokenOf.master, json: inputs, headers })
  const { queue } = aRecordingQueue()
  return costOf(async (measuredEnv) => {
    const bindings = { ...measuredEnv, DELIVERIES: queue }
    const response = await app.fetch(request, bindings, createExecutionContext())
    expect(response.status).toBe(200)
  })
}

/** Measures an order as a shop places it: with its number and a key, of an NFT that may sell out. */
async function costOfNumbered() {
  const nft = await anNft(await aUser(), { amount: 10 })
  const sold = { nftId: nft.id, listingId: (await aListing(nft)).id }
  const order = { ...sold, providerId: `costs-${crypto.randomUUID()}` }
  return costOfOrders(1, { order, key: crypto.randomUUID() })
}

/** Measures transfers of items in one transaction, or two. */
async function costOfTransfers(count: number, maxLogLines: number): Promise<Cost> {
  const chain = await aChain({ erc1155: count })
  await chain.setAutomine(false)
  await paidItems(
    chain,
    Array.from({ length: count }, () => ({ standard: 'erc1155' as const })),
  )
  // A block is made as soon as the run waits for one.
  startClock(() => chain.mine())
  const networks = { NETWORKS: networksOf([chain]) }
  const spies = (['log', 'error'] as const).map((method) => vi.spyOn(console, method))
  const cost = await costOf((measuredEnv) =>
    worker.queue(batchOf(chain.chainId), { ...measuredEnv, ...networks }),
  )
  const lines = spies.reduce((sum, { mock }) => sum + mock.calls.length, 0)
  for (const spy of spies) spy.mockRestore()
  expect(lines).toBeLessThanOrEqual(maxLogLines)
  return cost
}

/** Measures events for one endpoint. */
async function costOfEvents(count: number): Promise<Cost> {
  const endpoint = await anEndpoint()
  const received = receive()
  const cost = await costOf(async ({ DB }) => {
    const db = connect(DB)
    await db.batch([...insertEvents(db, { sellerId: endpoint.userId }, count)])
    await consume([endpoint], { DB })
  })
  expect(received).toHaveLength(count)
  return cost
}

/** Measures what the cron run deletes of 100 orders, once their events are old. */
async function costOfPruning(): Promise<Cost> {
  const old = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000).toISOString()
  await db.delete(events)
  const insert = (sql: string, rows: number) =>
    env.DB.prepare(sql)
      .bind(old, JSON.stringify(Array(rows).fill(0)))
      .run()
  await insert(
    `INSERT INTO events (id, type, at, data)
     SELECT unixepoch(?1) * 1000000 + key, 'order.created', ?1, '{}' FROM json_each(?2)`,
    201,
  )
  await insert(
    `INSERT INTO idempotencyKeys (day, namespace, "key", requestHash, result, createdAt)
     SELECT date(?1), 'master:shop', key, '', '[]', ?1 FROM json_each(?2)`,
    100,
  )
  return costOf(({ DB }) => deleteExpiredRows(connect(DB), new Date()))
}

/** Measures a run of cron. */
async function costOfCron(): Promise<Cost> {
  // As if the cron trigger had always run: the newest order and transaction are counted, alarms were told,
  // listings tried, and mails sent for all events but one. An order stores the instance.
  await costOfOrders(1)
  await env.DB.prepare(
    `INSERT OR REPLACE INTO hourlyOrders (hour, firstId, lastId, transferred, failed, awaitingWallet, underWay, updatedAt)
     SELECT substr(?1, 1, 13) || ':00:00.000Z', max(id), max(id), 0, 0, 0, 1, ?1 FROM deliveries`,
  )
    .bind(new Date().toISOString())
    .run()
  await env.DB.prepare(
    `INSERT OR REPLACE INTO signedItems (chainId, signer, day, items, lastId)
     SELECT chainId, signer, substr(createdAt, 1, 10), 0, id FROM transactions ORDER BY id DESC LIMIT 1`,
  ).run()
  await env.DB.exec(`UPDATE listings SET checkAt = '9999'`)
  await runCron(env, new Date())
  await env.DB.exec('UPDATE instance SET mailPosition = (SELECT max(id) FROM events)')
  await db.batch(insertEvents(db, {}))
  return costOf((measuredEnv) => runCron(measuredEnv, new Date()))
}

const batches: [name: string, limit: Cost, measure: () => Promise<Cost>][] = [
  // An order is looked up among those of the call, of which it passes 50.
  ['place 100 orders', cost(2, 20_000, 1000), () => costOfOrders(100)],
  ['place a numbered order with an Idempotency-Key', cost(2, 110, 13), costOfNumbered],
  [
    'place an order of a new buyer with an address',
    cost(2, 110, 15),
    () =>
      costOfOrders(1, {
        order: {
          buyerUserId: undefined,
          buyer: { wallet: aWallet().address },
          buyerBillingData: billingData,
        },
      }),
  ],
  // A run of two steps: one signs and broadcasts, one reads the receipts. Then webhooks are woken.
  ['transfer 100 items', cost(6, 5900, 425), () => costOfTransfers(100, 6)],
  ['transfer an item by itself', cost(6, 250, 17), () => costOfTransfers(1, 3)],
  // A row an event, and some for the endpoint: it is due, a run takes its lease and moves it.
  ['log and send 100 events', cost(6, 2000, 107), () => costOfEvents(100)],
  ['log and send an event', cost(6, 200, 8), () => costOfEvents(1)],
  ['remove 100 idempotency keys and 200 events', cost(1, 2000, 300), costOfPruning],
  // Counts up to 1,000 items that failed, by reason, and rolls up the orders of four ranges.
  ['run cron once', cost(22, 10_000, 30), costOfCron],
]

/** In both databases, the synthetic orders begin with 2025, one a minute. */
const hours = 'createdFrom=2025-01-01T02:00:00Z&createdTo=2025-01-01T08:00:00Z'

/**
 * Costs of lists of orders by their filters, for a master token and for a seller of many orders. If
 * not every candidate matches, a call looks at 1,000: once for the orders and once for their NFTs.
 */
const listCosts: Record<'master' | 'seller', Record<string, Cost>> = {
  master: {
    '': cost(1, 720, 0),
    'fields=summary': cost(1, 200, 0),
    'providerId=1': cost(1, 25, 0),
    'buyerUserId=3': cost(1, 720, 0),
    'source=synthetic': cost(1, 750, 0),
    'source=nobody': cost(1, 35, 0),
    'sellerId=1': cost(1, 30, 0),
    [`${hours}&fields=summary`]: cost(1, 450, 0),
    'updatedFrom=2025-01-01T02:00:00Z&source=nobody': cost(1, 14_000, 0),
    'deliveryStatus=failed': cost(1, 750, 0),
    'deliveryStatus=transferred': cost(1, 4200, 0),
    'deliveryStatus=pending': cost(1, 1100, 0),
  },
  seller: {
    '': cost(1, 850, 0),
    // None of the orders looked at is one to return.
    'buyerUserId=3': cost(1, 11_500, 0),
    'deliveryStatus=failed': cost(1, 16_500, 0),
    'deliveryStatus=transferred': cost(1, 16_500, 0),
    'deliveryStatus=pending': cost(1, 15_500, 0),
  },
}

/** Costs of lists of transfers by their filters. */
const transferListCosts: Record<string, Cost> = {
  'source=synthetic': cost(1, 750, 0),
  'source=synthetic&status=transferred': cost(1, 750, 0),
  'source=nobody': cost(1, 10, 0),
}

/**
 * Costs of public lists by their filter. A call looks at little more than it returns, or at 1,000
 * candidates where few of them match.
 */
const publicCosts: Record<string, Cost> = {
  'listings?': cost(1, 200, 0),
  // Each listing is a candidate by its own change and by that of its NFT.
  'listings?updatedSince=2025-01-01T00:00:00Z': cost(1, 330, 0),
  'listings?sellerId=<seller>': cost(1, 200, 0),
  'listings?creatorId=<seller>': cost(1, 240, 0),
  'listings?creatorId=1&updatedSince=2025-01-01T00:00:00Z': cost(1, 6500, 0),
  'nfts?': cost(1, 310, 0),
  'nfts?limit=100&active=true': cost(1, 1800, 0),
  'nfts?q=nft': cost(1, 310, 0),
  'nfts?sellerId=<seller>': cost(1, 420, 0),
  'nfts?creatorId=<seller>': cost(1, 310, 0),
  'nfts?creatorId=1&updatedSince=2025-01-01T00:00:00Z': cost(1, 8500, 0),
}

/** Costs of searches and sorted lists on pages, for visitors. Up to 1,000 with a word are sorted. */
const pageCosts: Record<string, Cost> = {
  'nfts?q=nft': cost(1, 6000, 0),
  'nfts?q=nft+1&sort=price': cost(1, 4000, 0),
  'nfts?sort=title': cost(1, 300, 0),
  'nfts?sort=price&creator=<seller>': cost(1, 4000, 0),
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

const small = ['1,000 orders', { users: 100, nfts: 100, orders: 1000 }] as const
const large = ['a million orders', { users: 100_000, nfts: 100_000, orders: 999_000 }] as const

describe.each(firstCases(1, [small, large]))('in a database with %s', (_, size) => {
  /** A user who has sold a hundredth of the orders or more. */
  let seller = 0

  beforeAll(async () => {
    seller = (await lastIds(env.DB)).users + 1
    await fill(size)
    // The first requests store when the tokens were used.
    await costOfRequest('GET /api/events')
    await costOfRequest('GET /orders')
  })

  it.each(Object.entries(endpointCosts))(
    '%s costs no more than its limits',
    async (endpoint, limit) => {
      if (warmedUp.includes(endpoint)) await costOfRequest(endpoint)
      const cost = await costOfRequest(endpoint)
      expectCost(cost, limit)
      expect([endpoint, cost.rounds]).toEqual([endpoint, roundsOf(endpoint, limit)])
    },
  )

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

  it.each(Object.entries(pageCosts))(
    'GET /%s costs no more than its limits',
    async (page, limit) => {
      expectCost(await costOfList(`/${page.replace('<seller>', String(seller))}`), limit)
    },
  )

  it.each(batches)('%s costs no more than its limits', async (_, limit, measure) => {
    expectCost(await measure(), limit)
  })
})

/** Brings the database into the middle of a day of a million orders: 700 a minute. */
async function aBusyHour(chainId: number) {
  const orders = 50_000
  await fill({ users: 1000, nfts: 100, orders })
  const now = Date.now()
  const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
  const { reasonCode } = explain('holder_not_approved')
  const first = before.orderItems + 1
  const of = (share: number) => `id >= ${first + share * orders}`
  const at = `strftime('%Y-%m-%dT%H:%M:%fZ', '${ago(70)}', '+' || ((id - ${first}) * 0.084) || ' seconds')`
  const due = `chainId = ${chainId}, queuedAt = createdAt, transactionId = NULL`
  const carried = `SELECT json_group_array(id) AS items, min(id) AS firstId FROM deliveries
    WHERE ${of(0.1)} AND NOT ${of(0.14)} GROUP BY id / 100`
  for (const sql of [
    `UPDATE deliveries SET createdAt = ${at}, updatedAt = ${at}, chainId = ${chainId} WHERE ${of(0)}`,
    `UPDATE deliveries SET state = 'in_flight', ${due} WHERE ${of(0.1)} AND NOT ${of(0.14)}`,
    `UPDATE deliveries SET state = 'failed', reasonCode = '${reasonCode}'
      WHERE ${of(0.2)} AND NOT ${of(0.6)}`,
    `UPDATE deliveries SET state = 'queued', dueAt = createdAt, reasonCode = NULL, ${due}
      WHERE ${of(0.6)}`,
    `UPDATE deliveries SET waitingSince = createdAt, dueAt = '${ago(-10)}', reasonCode = '${reasonCode}'
      WHERE ${of(0.8)}`,
    `INSERT INTO transactions SELECT firstId, ${chainId}, '', '', firstId, items, 'hash' || firstId, '[]',
      NULL, '1', '1', '1', 0, 0, '${ago(1)}', NULL, NULL, NULL, NULL, NULL, 1, '${ago(1)}', '${ago(1)}'
      FROM (${carried})`,
  ])
    await env.DB.prepare(sql).run()
}

/**
 * The cron run while 700 orders a minute come: 20,000 items are queued, 20,000 failed, and 2,000 are
 * in flight. It reads what came since the last run and what is in flight; of the rest, it counts 1,000.
 */
const busyCronCost = cost(20, 25_000, 40)

inLong('run cron once costs no more than its limits on the day of a million orders', async () => {
  const chain = await aChain()
  await aBusyHour(chain.chainId)
  // One time for all runs: on a slow machine, an alarm would be raised in the one that is measured.
  const now = new Date()
  const run = (measuredEnv: Env) =>
    runCron({ ...measuredEnv, NETWORKS: networksOf([chain]) } as Env, now)
  // The first runs roll up what no run has seen.
  for (let i = 0; i < 30; i++) await run(env)
  expectCost(await costOf(run), busyCronCost)
})

/** Scans that are allowed, and why. The key is the start of the scan. */
const allowedScans: Record<string, string> = {
  nftCounts: 'has one row per amountType',
  contentStorage: 'has one row',
  'f in WITH r': 'has the files of the records of the import',
  found: 'a subquery of what a search has found',
  newest: 'stops at its LIMIT',
  'addresses in INSERT INTO orders': 'ends at a row of the transaction',
  'orders in INSERT INTO orderItems': 'ends at a row of the transaction',
  'orders in INSERT INTO deliveries': 'ends at a row of the transaction',
  'orders in INSERT INTO idempotencyKeys': 'ends at a row of the transaction',
  own: 'a subquery that stops at its LIMIT',
  owedCodes: 'has only orders that lack codes',
  'p USING INDEX proposals_waiting': 'stops at its LIMIT',
  'r USING INDEX reports_newest': 'stops at its LIMIT',
  'reports USING COVERING INDEX reports_user': 'stops at its LIMIT',
  'proposals USING COVERING INDEX proposals_waiting': 'has only what waits to be approved',
  'o in WITH owed': 'has only orders that lack codes',
  'owed in WITH owed': 'has only orders that lack codes',
  'n in WITH owed': 'has only orders that lack codes',
  'spans in WITH owed': 'has only orders that lack codes',
  'o in SELECT count(*) AS orderItems': 'has only orders that lack codes',
  bounds: 'has one row',
  'page in WITH sales': 'has the rows of a page',
  'sales in WITH sales': 'has a row for each listing of the newest orders',
  'c in WITH sales': 'a subquery over the rows of both',
  'v in SELECT': 'a subquery that stops at its LIMIT',
  sold: 'a subquery over the JSON of the statement',
  'c in UPDATE nfts SET availableAmount': 'a subquery over the items of the statement',
  candidates: 'a subquery that stops at its LIMIT',
  instance: 'has one row',
  'deliveries USING COVERING INDEX deliveries_due': 'has only items that are to be delivered',
  'deliveries USING INDEX deliveries_due': 'has only items that are to be delivered',
  't USING INDEX transactions_open': 'has only transactions that are not final',
  'creators USING INDEX creators_latest': 'stops at its LIMIT',
  'tokens USING INDEX tokens_live': 'stops at its LIMIT',
  'addresses in INSERT INTO users': 'runs only if a foreign key is violated',
  'deliveries in INSERT INTO users': 'runs only if a foreign key is violated',
  emailLinks: 'has only the links of 15 minutes',
  networks: 'has one row per chain',
  kept: 'has one row per chain',
  'r in INSERT INTO guard': 'a subquery over the lines of an import',
  'deliveries in WITH r': 'runs only if a foreign key is violated',
  'addresses in WITH r': 'runs only if a foreign key is violated',
  'orderItems in WITH r': 'runs only if a foreign key is violated',
  actors: 'has one row per administrator',
  'few in select candidates': 'a subquery that stops at its LIMIT',
  'w in SELECT w.*': 'has a row for each chain',
  'd in SELECT w.*': 'a subquery that stops at its LIMIT',
  'd in SELECT d.id, iif': 'a subquery that stops at its LIMIT',
  'deliveries USING COVERING INDEX deliveries_failed': 'has only items that failed',
  'transactions USING INDEX transactions_open': 'has only transactions that are not final',
  underWay: 'a subquery of what is under way',
  'deliveries USING INDEX deliveries_delayed': 'has only items that are to be delivered',
  signers: 'has one row per signer',
  placers: 'a subquery with a row for each who has placed an order that is to be delivered',
  'tokens in WITH RECURSIVE tokens': 'a subquery with a few rows',
  'burns in DELETE FROM burns': 'has only what used up gas, and runs when a person is forgotten',
  'waiting in WITH RECURSIVE placers': 'a subquery over the rows of `placers`',
  'room in WITH RECURSIVE placers': 'has one row',
  'chosen in WITH RECURSIVE placers': 'a subquery that stops at its LIMIT for each placer',
  configured: 'a subquery that stops at its LIMIT',
  'due in SELECT d.id, d.version': 'a subquery that stops at its LIMIT',
  'deliveries in INSERT INTO events': 'has only the newest, as many as orders were placed',
  'd in INSERT INTO events': 'a subquery that stops at its LIMIT',
  cronRuns: 'has one row',
  shops: 'has a row for each name of a master token',
  'known in SELECT known': 'has a row for each name of a master token',
  'h in SELECT h.userId': 'a subquery that stops at its LIMIT',
  'endpoint in WITH endpoint': 'has one row',
  'more in WITH endpoint': 'has one row',
  'attempt in WITH endpoint': 'has one row',
  alarms: 'has only alarms that last',
  acknowledgements: 'has only alarms that are left as they are',
  failures: 'has three rows',
  backups: 'has one row',
  signedItems: 'has eight days of each signer',
  'signedItems USING INDEX sqlite_autoindex_signedItems_1': 'has eight days of each signer',
  disagreements: 'has 50 rows for each chain',
  findings: 'has five rows for each alarm',
  'f in INSERT INTO findings': 'has five rows for each alarm',
  'f in DELETE FROM findings': 'has five rows for each alarm',
  'webhookEndpoints USING INDEX webhookEndpoints_disabled': 'has only those that are disabled',
  'e USING INDEX webhookEndpoints_master': 'has only those of administrators',
  'webhookEndpoints USING COVERING INDEX webhookEndpoints_master':
    'has only those of administrators',
  nextEvents: 'a subquery that stops at its LIMIT',
  hourlyOrders: 'stops at its LIMIT',
  'h in SELECT h.hour': 'a subquery that stops at its LIMIT',
  chains: 'has a row for each chain',
  'w in WITH waiting': 'a subquery that stops at its LIMIT',
  'due in WITH waiting': 'a subquery of the listings that are to be tried',
  'c in WITH waiting': 'a subquery of the listings that are to be tried',
  'untried in WITH r': 'a subquery over the lines of an import',
  'g in WITH r': 'a subquery over the lines of an import',
  'p in SELECT w.*': 'has a row for each who has placed an order that is to be delivered',
  't in SELECT w.*': 'has only transactions that are not final',
}

/** Scans of the JSON of a statement, and of results of its other steps. */
const ofStatement = /VIRTUAL TABLE|CONSTANT ROW|VALUES CLAUSE|^\(?subquery|^\(?join/

it('scans no table', async () => {
  const explained = [...statements].map(([sql, values]) =>
    env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`).bind(...values),
  )
  const plans = await env.DB.batch<{ detail: string }>(explained)
  const scans = [...statements.keys()].flatMap((sql, i) =>
    (plans[i]?.results ?? []).flatMap(({ detail }) => {
      const [, scanned] = /^SCAN (.*)/.exec(detail) ?? []
      if (!scanned || ofStatement.test(scanned)) return []
      return [`${scanned} in ${sql.replaceAll(/\s+/g, ' ').trim().slice(0, 300)}`]
    }),
  )
  const allowed = Object.keys(allowedScans)
  const forbidden = scans.filter((scan) => !allowed.some((start) => scan.startsWith(start)))
  expect(forbidden).toEqual([])
})

/**
 * What each endpoint costs in D1: trips, rows read and rows written. The numbers stand in
 * `scripts/costs/rows.ts`, and are the same in a small store and in a large one: a million orders,
 * 100,000 NFTs and as many users. No statement reads a whole table.
 *
 * An endpoint without a row fails this test.
 */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { synthetic } from '../scripts/catalogue/synthetic.ts'
import { type Cost, rowsOf, type Work, works } from '../scripts/costs/rows.ts'
import app from '../src/app.ts'
import { doorsOf } from '../src/http/door.ts'
import { consume } from '../src/transfers/consumer.ts'
import { sweep } from '../src/transfers/sweep.ts'
import { BASE_URL, requestOf } from './support/api.ts'
import { aChain } from './support/chain/chain.ts'
import { askedAt, tokenOf } from './support/doors.ts'
import { anAdministrator, aSession } from './support/makers.ts'
import { measured } from './support/measured.ts'
import { paidItems } from './support/transfers/items.ts'
import { networksOf } from './support/transfers/looks.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 })

const doors = doorsOf(app).map(({ method, path }) => `${method} ${path}`)

/** Every statement that ran, with what was bound to it once. */
const statements = new Map<string, unknown[]>()

/** Runs something with a database that is watched; what comes after the answer is not counted. */
async function costOf(run: (watched: Env) => Promise<unknown>): Promise<Cost> {
  const { database, trips } = measured(env.DB)
  await run({ ...env, DB: database })
  const sum = (of: 'rowsRead' | 'rowsWritten') => trips.reduce((all, trip) => all + trip[of], 0)
  const cost = { trips: trips.length, rowsRead: sum('rowsRead'), rowsWritten: sum('rowsWritten') }
  for (const trip of trips)
    for (const [i, sql] of trip.statements.entries()) statements.set(sql, trip.values[i] ?? [])
  return cost
}

const session = await aSession(await anAdministrator())

/** The API is asked by a master, the pages by whoever is signed in to them. */
async function costAt(door: string): Promise<Cost> {
  const { method, path, ...content } = await askedAt(door)
  const isPage = /^\/(sign-in|settings)/.test(path)
  const token = isPage ? { cookie: `token=${session}` } : { authorization: tokenOf.master }
  const headers = { ...content.headers, ...token, origin: BASE_URL }
  const context = createExecutionContext()
  const cost = await costOf((watched) =>
    Promise.resolve(app.fetch(requestOf(method, path, { ...content, headers }), watched, context)),
  )
  await waitOnExecutionContext(context)
  return cost
}

/** What is done without a request. */
const costOfWork: Record<Work, () => Promise<Cost>> = {
  'place 100 orders': async () => {
    const { method, path, json } = await askedAt('POST /api/externalOrders')
    const elements = Array.from({ length: 100 }, () => (json as unknown[])[0])
    return costOf((watched) =>
      Promise.resolve(
        app.fetch(
          requestOf(method, path, { token: tokenOf.master, json: elements }),
          watched,
          createExecutionContext(),
        ),
      ),
    )
  },
  'transfer 100 items': async () => {
    const chain = await aChain({ erc1155: 100 })
    const items = await paidItems(
      chain,
      Array.from({ length: 100 }, () => ({ standard: 'erc1155' as const })),
    )
    // As an order leaves them.
    const dueAt = new Date(Date.now() + 60_000).toISOString()
    await env.DB.prepare(`UPDATE transfers SET dueAt = ? WHERE dueAt IS NOT NULL`).bind(dueAt).run()
    const networks = { NETWORKS: networksOf([chain]), TRANSFERS: { sendBatch: async () => {} } }
    const batch = {
      queue: 'transfers',
      messages: items.map(({ id }) => ({ body: { transferIds: [id] }, attempts: 1 })),
      ackAll: () => {},
    }
    const nonce = async () =>
      Number(await chain.rpc('eth_getTransactionCount', chain.signer, 'latest'))
    const before = await nonce()
    const look = (watched: Env) =>
      consume(batch as never, { ...watched, ...networks } as never, new Date())
    return costOf(async (watched) => {
      await look(watched)
      await vi.waitUntil(async () => (await nonce()) === before + items.length)
      await look(watched)
    })
  },
  'sweep once': () => costOf((watched) => sweep(watched, new Date())),
}

const NONE = { users: 0, addresses: 0, nfts: 0, listings: 0, orders: 0, orderItems: 0 }

async function fill(size: Parameters<typeof synthetic>[0]) {
  const ids = Object.keys(NONE).map(
    (table) => `(SELECT coalesce(max(id), 0) FROM ${table}) ${table}`,
  )
  const after = await env.DB.prepare(`SELECT ${ids.join(', ')}`).first<typeof NONE>()
  for (const sql of synthetic(size, after ?? NONE)) await env.DB.prepare(sql).run()
}

/** Some rows more than in an empty store, where requests before this one have left some. */
const expectCost = (cost: Cost, limit: Cost | undefined) => {
  const { trips = 0, rowsRead = 0, rowsWritten = 0 } = limit ?? {}
  expect(cost.trips).toBe(trips)
  expect(cost.rowsRead).toBeLessThanOrEqual(rowsRead)
  expect(cost.rowsWritten).toBeLessThanOrEqual(rowsWritten)
}

it('has a row for every endpoint, and none for what is not there', () => {
  expect(Object.keys(rowsOf).sort()).toEqual([...doors].sort())
})

describe.each([
  ['1,000 orders', { users: 100, nfts: 100, orders: 1000 }],
  ['a million orders', { users: 100_000, nfts: 100_000, orders: 999_000 }],
])('in a store of %s', (_, size) => {
  beforeAll(() => fill(size))

  it.each(doors)('%s costs no more than is written down', async (door) => {
    // The first time may fill a cache, or note when a token was used.
    await costAt(door)
    expectCost(await costAt(door), rowsOf[door])
  })

  it.each(Object.keys(works) as Work[])(
    'to %s costs no more than is written down',
    async (work) => {
      expectCost(await costOfWork[work](), works[work])
    },
  )
})

/** What a plan may scan from end to end, and why that is no harm. */
const scans: Record<string, string> = {
  nftCounts: 'has a row for each amountType',
  sold: 'is what the statement made of its JSON',
  'creators USING INDEX creators_latest': 'ends at its LIMIT',
  'tokens USING INDEX tokens_live': 'ends at its LIMIT',
  'orders in insert into "addresses"': 'happens only where a foreign key is broken',
}

it('reads no table from end to end', async () => {
  const found = new Set<string>()
  for (const [sql, values] of statements) {
    const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...values)
      .all<{ detail: string }>()
    for (const { detail } of plan.results) {
      const [, scanned] = /^SCAN (.*)/.exec(detail) ?? []
      // JSON that came with the statement, and what another step of it has made.
      if (!scanned || /VIRTUAL TABLE|CONSTANT ROW|^\(?subquery|^\(?join/.test(scanned)) continue
      found.add(`${scanned} in ${sql.replaceAll(/\s+/g, ' ').slice(0, 300)}`)
    }
  }
  const harmful = [...found].filter(
    (scan) => !Object.keys(scans).some((known) => scan.startsWith(known)),
  )
  expect(harmful).toEqual([])
})

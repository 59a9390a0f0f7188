/** What the load leaves in the database, in bytes: rows as the Worker writes them, many times. */
import { env } from 'cloudflare:workers'
import { ne } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { deliveries } from '../src/db/schema/delivery.ts'
import { readSettings } from '../src/env.ts'
import { placeOrders } from '../src/orders/placing/place.ts'
import { aShop, billingData, callerOf, placed } from './orders/shop.ts'
import { aChain } from './support/chain/chain.ts'
import { startClock } from './support/delivery/clock.ts'
import { anEngine, networksOf } from './support/delivery/engine.ts'
import { anUnlimitedOrder } from './support/delivery/items.ts'
import { aMasterToken, aSession, aUser, db } from './support/makers.ts'

vi.setConfig({ testTimeout: 200_000 })

const size = async () => (await env.DB.prepare('SELECT 1').all()).meta.size_after

// Pages that earlier files have freed would be used again, and hide what is measured.
beforeAll(async () => {
  await env.DB.prepare('CREATE TABLE filler (bytes BLOB)').run()
  const before = await size()
  while ((await size()) < before + 1e6)
    await env.DB.prepare('INSERT INTO filler VALUES (zeroblob(1000000))').run()
})

afterAll(async () => {
  await env.DB.prepare('DROP TABLE filler').run()
})

/** What grows: its tables, and the bytes of one with its indexes, an upper limit. docs/performance.md shows them. */
const growth = {
  order: { bytes: 740, tables: ['orders', 'orderItems', 'deliveries'] },
  piece: { bytes: 1530, tables: ['nfts', 'listings'] },
  transaction: { bytes: 1080, tables: ['transactions'] },
  buyer: { bytes: 700, tables: ['users', 'addresses'] },
  event: { bytes: 240, tables: ['events'] },
  message: { bytes: 350, tables: ['webhookMessages'] },
  key: { bytes: 300, tables: ['idempotencyKeys'] },
  session: { bytes: 500, tables: ['tokens'] },
  quota: { bytes: 230, tables: ['quotas'] },
  mail: { bytes: 400, tables: ['sentMails', 'heldMails', 'mailOptOuts'] },
  reservation: { bytes: 500, tables: ['reservations', 'heldPieces'] },
  link: { bytes: 900, tables: ['emailLinks', 'walletNonces'] },
  hour: { bytes: 300, tables: ['hourlyOrders'] },
  download: { bytes: 150, tables: ['downloads'] },
  action: { bytes: 150, tables: ['auditLog'] },
  line: { bytes: 1500, tables: ['catalogueImports', 'catalogueLines'] },
}

/** Tables that do not grow with orders. */
const limited = {
  'your catalogue': [
    'creators',
    'nftCounts',
    'words',
    'contentFiles',
    'contentStorage',
    'codes',
    'owedCodes',
  ],
  'a few for each user, network, signer or alarm': [
    ...['phoneLinks', 'shops', 'proposals', 'mintPermissions', 'reports'],
    ...['webhookEndpoints', 'networks', 'networkChecks', 'signers', 'burns', 'alarms'],
    ...['findings', 'disagreements', 'acknowledgements', 'failures', 'signedItems', 'backups'],
    ...['instance', 'cronRuns'],
  ],
}

it('every table of the schema has a size', async () => {
  const { results } = await env.DB.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'
       AND name NOT GLOB 'sqlite_*' AND name NOT IN ('d1_migrations', 'filler')`,
  ).all<{ name: string }>()
  const named = [
    ...Object.values(growth).flatMap(({ tables }) => tables),
    ...Object.values(limited).flat(),
  ]
  expect(named.sort()).toEqual(results.map(({ name }) => name).sort())
})

/** Returns the number of deliveries that have not ended. */
const countLeft = () => db.$count(deliveries, ne(deliveries.state, 'transferred'))

/** Places and delivers orders. Returns the bytes of one, without its events. */
async function bytesOfOrder(count: number, itemsPerTransaction: number): Promise<number> {
  const chain = await aChain({ erc1155: count })
  startClock()
  const network = { itemsPerTransaction }
  const settings = readSettings({ ...env, NETWORKS: networksOf([chain], network) })
  const caller = await callerOf(await aMasterToken())
  const order = await anUnlimitedOrder(chain)
  const before = await size()
  for (let i = 0; i < count; i += 100) {
    const orders = Array.from({ length: 100 }, (_, j) => ({
      ...order,
      providerId: `${chain.chainId}-${1_000_000 + i + j}`,
    }))
    await placeOrders({ db, caller, settings, now: new Date() }, { orders })
  }
  const engine = anEngine(chain, network)
  // If a node answers too late, items wait for minutes.
  for (let i = 0; i < 1000 && (await countLeft()) > 0; i++) await engine.step(60 * i)
  expect(await countLeft()).toBe(0)
  return ((await size()) - before) / count - 2 * growth.event.bytes
}

it('an order leaves no more bytes than its limits, with its transaction or its share of one', async () => {
  const [order, transaction] = [growth.order.bytes, growth.transaction.bytes]
  const shared = await bytesOfOrder(1000, 50)
  const alone = await bytesOfOrder(200, 1)
  expect(shared).toBeLessThanOrEqual(order + transaction / 50)
  expect(alone).toBeLessThanOrEqual(order + transaction)
  expect(shared).toBeGreaterThan(order / 2)
})

const COPIES = 2000
const random = (bytes: number) => `lower(hex(randomblob(${bytes})))`
const uuid = `'00000000-0000-4000-8000-' || ${random(6)}`

/** Copies the newest row of a table. Columns that have to differ are given as SQL; `i` counts. */
async function repeat(table: string, changes: Record<string, string>): Promise<void> {
  const { results } = await env.DB.prepare('SELECT name FROM pragma_table_info(?)')
    .bind(table)
    .all<{ name: string }>()
  const values = results.map(({ name }) => changes[name] ?? `row."${name}"`)
  await env.DB.prepare(
    `INSERT INTO ${table} (${results.map(({ name }) => `"${name}"`)})
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${COPIES})
     SELECT ${values} FROM (SELECT * FROM ${table} ORDER BY 1 DESC LIMIT 1) row, n`,
  ).run()
}

/** A row that the Worker has written, and its copies. */
const seeds: Partial<Record<keyof typeof growth, () => Promise<void>>> = {
  buyer: async () => {
    await repeat('users', {
      ...{ id: 'id + i', identityHash: random(32), externalId: 'NULL', username: 'NULL' },
      ...{ email: `'buyer-' || i || '@example.com'`, ethereumPublicAddr: `'0x' || ${random(20)}` },
    })
    await repeat('addresses', { id: 'id + i', userId: '(SELECT max(id) FROM users) - i' })
  },
  // With a description of 500 characters.
  piece: async () => {
    await repeat('nfts', {
      id: 'id + i',
      tokenId: '1000000 + i',
      externalId: `'nft-' || (1000000 + i)`,
    })
    await repeat('listings', {
      ...{ id: 'id + i', nftId: '(SELECT max(id) FROM nfts) - i' },
      externalId: `'nft-' || (1000000 + i)`,
    })
  },
  event: () => repeat('events', { id: 'id + i' }),
  key: () => repeat('idempotencyKeys', { key: `'checkout-' || ${random(8)}` }),
  session: () => repeat('tokens', { id: uuid, userId: 'userId' }),
}

it.each(Object.keys(seeds) as (keyof typeof seeds)[])(
  'a %s has no more bytes than its limit',
  async (what) => {
    const { token, input } = await aShop({
      nft: { payload: { amountType: 'limited', text: 'x'.repeat(500) } },
    })
    const order = { ...input, providerId: crypto.randomUUID(), buyerBillingData: billingData }
    await placed(token, [order], { 'idempotency-key': crypto.randomUUID() })
    await aSession(await aUser())
    const before = await size()
    await seeds[what]?.()
    const bytes = ((await size()) - before) / COPIES
    expect(bytes).toBeLessThanOrEqual(growth[what].bytes)
    expect(bytes).toBeGreaterThan(growth[what].bytes / 2)
  },
)

/** The data that fuzzed requests refer to: users, tokens of every kind, and NFTs for sale. */
import { env } from 'cloudflare:workers'
import { and, eq, getTableColumns, getTableName, is, isNull, sql } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as fc from 'fast-check'
import { DEFAULT_PICTURE } from '../../src/avatars/serve.ts'
import * as catalogue from '../../src/db/schema/catalogue.ts'
import * as delivery from '../../src/db/schema/delivery.ts'
import * as operations from '../../src/db/schema/operations.ts'
import * as orders from '../../src/db/schema/orders.ts'
import * as users from '../../src/db/schema/users.ts'
import { addressKinds } from '../../src/db/schema/users.ts'
import * as webhooks from '../../src/db/schema/webhooks.ts'
import { call } from '../support/api.ts'
import {
  aListing,
  anAddress,
  anAdministrator,
  anNft,
  aToken,
  aUser,
  aWebhook,
  aWebhookMessage,
  db,
} from '../support/makers.ts'
import type { KnownValues } from './schemas.ts'

/** Prefers the first id, so that fields that must match each other often do. */
const preferFirst = <T>(ids: readonly T[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(ids[0]) }, fc.constantFrom(...ids))

/** Writes the data. Returns values for fields by name, and headers that identify a caller. */
export async function createFixtures() {
  const [seller, buyer, stranger, admin, removed] = await Promise.all([
    aUser(),
    aUser({ email: 'buyer@example.com' }),
    aUser({ ethereumPublicAddr: '', email: 'stranger@example.com' }),
    anAdministrator(),
    aUser(),
  ])
  for (const user of [removed, seller, buyer, admin, seller, buyer, admin])
    for (const kind of addressKinds) await anAddress(user, { kind })
  const sales = await Promise.all(
    (
      [
        ['unlimited', 'localhost'],
        ['unlimited', 'localhost'],
        ['limited', 'localhost'],
        ['unlimited', 'not configured'],
      ] as const
    ).map(async ([amountType, contractNetwork]) => {
      const nft = await anNft(seller, { amountType, amount: 40, contractNetwork })
      return { nft, listing: await aListing(nft) }
    }),
  )
  const userIds = [seller, buyer, stranger, admin, removed].map(({ id }) => id)
  /** Ids start at 1. They belong to the addresses above and to rows that requests create. */
  const rowId = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 30 }))
  const master = await aToken(admin, 'master')
  // Something may be delivered to or from each of them, so that no request makes them be forgotten.
  // One buyer has no wallet, the other buys on a network without a chain: no delivery starts.
  const buyerBillingData = { street: 'Road 1', city: 'Oslo', postal: '0150', country: 'NO' }
  const orders = [
    { buyer: stranger, sale: sales[0] },
    { buyer, sale: sales[3] },
  ].map(({ buyer, sale }) => ({
    ...{ nftId: sale?.nft.id, listingId: sale?.listing.id, quantity: 1 },
    ...{ buyerUserId: buyer.id, buyerBillingData },
  }))
  await call('POST', `/api/admin/users/${removed.id}/forget`, { token: master })
  const placed = await call('POST', '/api/externalOrders', { token: master, json: orders })
  if (!placed.ok) throw new Error(await placed.text())
  /** Requests delete some of them. Made after the orders, whose events the queue would send. */
  const webhooks = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const webhook = await aWebhook(admin, { role: 'master' })
      return { id: webhook.id, messageId: (await aWebhookMessage(webhook)).id }
    }),
  )
  const [sale] = sales
  const json = Array.from({ length: 100 }, () => ({
    listingId: sale?.listing.id,
    quantity: 1,
    ttl: 1800,
  }))
  const held = await call('POST', '/api/reservations', { token: master, json })
  const { reservations } = await held.json<{ reservations: { id: string }[] }>()
  const reservationIds = reservations.map(({ id }) => id)
  const known: KnownValues = {
    reservation_id: fc.constantFrom(...reservationIds),
    // Seldom, because an order must be of the same quantity.
    reservationId: fc.oneof(
      { weight: 9, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom(...reservationIds) },
    ),
    webhook_id: fc.constantFrom(...webhooks.map(({ id }) => id)),
    message_id: fc.constantFrom(...webhooks.map(({ messageId }) => messageId)),
    url: fc.constantFrom('https://shop.example.com/hook', 'https://shop.example.com/'),
    // The schema does not show that no event may come twice.
    events: fc.constantFrom(['order.created'], ['order.failed', 'alarm.raised']),
    since: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-11-01T00:00:00Z'),
    user_id: fc.constantFrom('me', ...userIds.map(String)),
    userId: fc.constantFrom(...userIds),
    buyerUserId: fc.constantFrom(...userIds),
    nftId: preferFirst(sales.map(({ nft }) => nft.id)),
    listingId: preferFirst(sales.map(({ listing }) => listing.id)),
    nft: preferFirst(sales.map(({ nft }) => nft.externalId)),
    listing: preferFirst(sales.map(({ listing }) => listing.externalId)),
    quantity: fc.integer({ min: 1, max: 3 }),
    expectedPriceCents: fc.constant(1000),
    expectedCurrency: fc.constant('EUR'),
    id: rowId.map(String),
    ids: preferFirst(sales.map(({ nft }) => nft.id)).map(String),
    order_ids: fc.array(rowId, { minLength: 1, maxLength: 2 }).map((ids) => ids.join()),
    order_id: rowId.map(String),
    chainId: fc.constant(31337),
    before: fc.constant('2025-01-01'),
    // The schema of an address does not show that it must be an e-mail address.
    email: fc.emailAddress(),
    picture: fc.constant(`${DEFAULT_PICTURE}.jpg`),
    buyerBillingData: fc.constantFrom(buyerBillingData, null),
    buyer: fc.constantFrom(
      { userId: seller.id },
      { email: 'buyer@example.com' },
      { wallet: seller.ethereumPublicAddr },
    ),
    address: fc.constantFrom(seller.ethereumPublicAddr, stranger.ethereumPublicAddr),
    'idempotency-key': fc.constantFrom('a', 'b', 'c', 'a'.repeat(255)),
    'x-d1-bookmark': fc.constant('00000001-00000002-00000003-00000000000000000000000000000004'),
  }
  const userTokens = await Promise.all([aToken(seller), aToken(buyer), aToken(stranger)])
  const valid = fc.constantFrom<Record<string, string>>(
    ...[...userTokens, master].map((token) => ({
      authorization: `Bearer ${token}`,
      'sec-fetch-site': 'same-origin',
    })),
    { authorization: master },
    { cookie: `token=${master}`, 'sec-fetch-site': 'same-origin' },
  )
  const invalid = fc.constantFrom<Record<string, string>>(
    { cookie: `token=${master}`, 'sec-fetch-site': 'cross-site' },
    { authorization: `Bearer ${master.slice(0, -2)}` },
    { authorization: 'Basic YTpi' },
    { cookie: 'token=; token==; =token' },
    { 'sec-fetch-site': 'same-origin' },
    {},
  )
  const callers = fc.oneof({ weight: 9, arbitrary: valid }, { weight: 1, arbitrary: invalid })
  return { known, callers, ofRemoved: () => ofUser(removed) }
}

/** What belongs to a user. A user who was removed gets nothing any more; removing may be repeated. */
const ofUser = ({ id }: { id: number }) =>
  db.batch([
    db
      .select({
        name: users.users.name,
        email: users.users.email,
        ethereumPublicAddr: users.users.ethereumPublicAddr,
        avatarKey: users.users.avatarKey,
        removedAt: users.users.removedAt,
      })
      .from(users.users)
      .where(eq(users.users.id, id)),
    db
      .select()
      .from(users.addresses)
      .where(and(eq(users.addresses.userId, id), isNull(users.addresses.deletedAt))),
    db.select().from(orders.orders).where(eq(orders.orders.buyerId, id)),
    db.select().from(users.tokens).where(eq(users.tokens.userId, id)),
  ])

const tables = Object.values({
  ...users,
  ...catalogue,
  ...orders,
  ...delivery,
  ...webhooks,
  ...operations,
})
  .filter((value) => is(value, SQLiteTable))
  // A picture is counted before it turns out that it cannot be converted.
  .filter((table) => table !== operations.quotas)

/** For each table: its number of rows, latest times and totals. */
const tableSummaries = tables.map((table) => {
  const columns = Object.values(getTableColumns(table))
  // The last use of a token is stored after every response, whatever its status.
  const latest = columns
    .filter(({ name }) => /At$/.test(name) && name !== 'lastUsedAt')
    .map((column) => sql`max(${column})`)
  const totals = columns
    .filter(({ name }) => ['availableAmount', 'isDefault', 'nfts'].includes(name))
    .map((column) => sql`total(${column})`)
  const all = sql.join([sql`count(*)`, ...latest, ...totals], sql`, `)
  return sql`(SELECT concat_ws(' ', ${getTableName(table)}, ${all}) FROM ${table})`
})
const summary = sql`SELECT concat_ws(char(10), ${sql.join(tableSummaries, sql`, `)}) AS text`

/** Returns a short description of database and bucket. Almost every write changes it. */
export async function fingerprint(): Promise<string> {
  const [row] = await db.all<{ text: string }>(summary)
  const { objects } = await env.AVATARS.list()
  return [row?.text, ...objects.map(({ key }) => key)].join('\n')
}

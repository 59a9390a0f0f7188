/**
 * The same calls as one would usually write them: Fastify on Node with zod, jose and Drizzle over
 * SQLite in the process, a query for each question. Tells its parent where it listens;
 * arguments: the database file, the JWK set and the issuer.
 */
import { DatabaseSync } from 'node:sqlite'
import { and, asc, count, eq, inArray, isNull, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/sqlite-proxy'
import Fastify, { type FastifyRequest } from 'fastify'
import { importJWK, jwtVerify } from 'jose'
import * as z from 'zod'
import {
  addresses,
  listings,
  nftCounts,
  nfts,
  orderItems,
  orders,
  tokens,
  transfers,
  users,
} from '../../src/db/schema.ts'

const [file = '', jwks = '', issuer = ''] = process.argv.slice(2)
const sqlite = new DatabaseSync(file)
sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
const db = drizzle(async (text, params, method) => {
  const statement = sqlite.prepare(text)
  if (method === 'run') return { rows: [], ...statement.run(...params) }
  const rows = statement.all(...params).map((row) => Object.values(row))
  return { rows: method === 'get' ? (rows[0] ?? []) : rows }
})

const key = await importJWK(JSON.parse(jwks).keys[0], 'EdDSA')

async function authenticate(request: FastifyRequest) {
  const jwt = request.headers.authorization?.slice('Bearer '.length) ?? ''
  const { payload } = await jwtVerify(jwt, key, { issuer, audience: 'marketplace-api' })
  const [token] = await db
    .select({ userId: tokens.userId })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.userId))
    .where(and(eq(tokens.id, payload.jti ?? ''), isNull(tokens.revokedAt), isNull(users.removedAt)))
  if (!token) throw Object.assign(new Error('unauthenticated'), { statusCode: 401 })
  return token.userId
}

const id = z.int().positive()
const text = z.string().trim().max(255).nullish()
const NewAddress = z.object({
  userId: id,
  name: text,
  street: text,
  postal: text,
  city: text,
  country: text,
  companyName: text,
  taxId: text,
  email: text,
  mobilePhone: text,
})
const NewOrders = z
  .array(z.object({ nftId: id, listingId: id, quantity: id, buyerUserId: id }))
  .min(1)
  .max(100)

const app = Fastify()

app.get('/api/public/user/me/deliveryAddresses', async (request) => {
  const userId = await authenticate(request)
  const deliveryAddresses = await db
    .select()
    .from(addresses)
    .where(
      and(
        eq(addresses.userId, userId),
        eq(addresses.kind, 'delivery'),
        isNull(addresses.deletedAt),
      ),
    )
    .orderBy(asc(addresses.id))
  return { deliveryAddresses }
})

app.post('/api/public/deliveryAddress', async (request, reply) => {
  await authenticate(request)
  const { userId, ...body } = NewAddress.parse(request.body)
  const [existing] = await db
    .select({ n: count() })
    .from(addresses)
    .where(
      and(
        eq(addresses.userId, userId),
        eq(addresses.kind, 'delivery'),
        isNull(addresses.deletedAt),
      ),
    )
  if (existing && existing.n >= 100) return reply.code(409).send({ error: 'too many addresses' })
  const now = new Date().toISOString()
  const [newDeliveryAddress] = await db
    .insert(addresses)
    .values({ kind: 'delivery', userId, ...body, createdAt: now, updatedAt: now })
    .returning()
  return { newDeliveryAddress }
})

async function withItems(ids: number[]) {
  const found = await db.select().from(orders).where(inArray(orders.id, ids))
  const items = await db.select().from(orderItems).where(inArray(orderItems.orderId, ids))
  const nftsOfItems = await db
    .select()
    .from(nfts)
    .where(
      inArray(
        nfts.id,
        items.map((item) => item.nftId),
      ),
    )
  const listingsOfItems = await db
    .select()
    .from(listings)
    .where(
      inArray(
        listings.id,
        items.map((item) => item.listingId),
      ),
    )
  return found.map((order) => ({
    ...order,
    orderItems: items
      .filter((item) => item.orderId === order.id)
      .map((item) => ({
        ...item,
        nft: nftsOfItems.find((nft) => nft.id === item.nftId),
        listing: listingsOfItems.find((listing) => listing.id === item.listingId),
      })),
  }))
}

app.get<{ Params: { ids: string } }>('/api/externalOrders/:ids', async (request) => {
  await authenticate(request)
  const [order] = await withItems(request.params.ids.split(',').map(Number))
  const [buyer] = await db
    .select()
    .from(users)
    .where(eq(users.id, order?.buyerId ?? 0))
  return { orders: [{ ...order, buyer }], error: null }
})

/** There is one connection, so one transaction at a time. */
let lastTransaction: Promise<unknown> = Promise.resolve()

app.post('/api/externalOrders', async (request) => {
  const userId = await authenticate(request)
  const elements = NewOrders.parse(request.body)
  const transaction = lastTransaction.then(() => placeAll(userId, elements))
  lastTransaction = transaction.catch(() => {})
  return { orders: await withItems(await transaction), error: null }
})

async function placeAll(userId: number, elements: z.infer<typeof NewOrders>) {
  const placed: number[] = []
  sqlite.exec('BEGIN IMMEDIATE')
  try {
    for (const element of elements) placed.push(await placeOne(userId, element))
    sqlite.exec('COMMIT')
  } catch (error) {
    sqlite.exec('ROLLBACK')
    throw error
  }
  return placed
}

async function placeOne(userId: number, element: z.infer<typeof NewOrders>[number]) {
  const now = new Date().toISOString()
  const changes = { createdAt: now, updatedAt: now }
  const [listing] = await db.select().from(listings).where(eq(listings.id, element.listingId))
  const [nft] = await db.select().from(nfts).where(eq(nfts.id, element.nftId))
  const [buyer] = await db.select().from(users).where(eq(users.id, element.buyerUserId))
  const [billing] = await db
    .select({ id: addresses.id })
    .from(addresses)
    .where(
      and(
        eq(addresses.userId, element.buyerUserId),
        eq(addresses.kind, 'billing'),
        isNull(addresses.deletedAt),
      ),
    )
    .orderBy(asc(addresses.id))
    .limit(1)
  if (!listing || !nft || !buyer || !billing) throw new Error('unknown listing, NFT or buyer')
  if (nft.amountType !== 'unlimited')
    await db
      .update(nfts)
      .set({ availableAmount: sql`availableAmount - ${element.quantity}` })
      .where(eq(nfts.id, nft.id))
  const wei = BigInt(listing.priceWei) * BigInt(element.quantity)
  const price = {
    cents: listing.priceCents * element.quantity,
    eth: `${wei / 10n ** 18n}.${String(wei % 10n ** 18n).padStart(18, '0')}`,
  }
  const [order] = await db
    .insert(orders)
    .values({
      buyerId: buyer.id,
      billingAddressId: billing.id,
      paymentMethod: 'external',
      provider: 'external',
      payprovWebhookToken: crypto.randomUUID(),
      totalPriceCents: price.cents,
      totalPriceCurrency: listing.priceCurrency,
      totalPriceEth: price.eth,
      status: 'paid',
      ProductType: 'nft',
      placedBy: userId,
      ...changes,
    })
    .returning({ id: orders.id })
  const orderId = order?.id ?? 0
  const [item] = await db
    .insert(orderItems)
    .values({
      orderId,
      nftId: nft.id,
      listingId: listing.id,
      quantity: element.quantity,
      priceCents: price.cents,
      priceEths: price.eth,
      ethRecipient: buyer.ethereumPublicAddr,
      priceCurrency: listing.priceCurrency,
      paymentProvider: 'external',
      ProductType: 'nft',
      ...changes,
    })
    .returning({ id: orderItems.id })
  await db.insert(transfers).values({ id: item?.id ?? 0, status: 'queued', ...changes })
  return orderId
}

app.get('/api/public/stats', async () => {
  const rows = await db.select().from(nftCounts)
  return { stats: { nfts: Object.fromEntries(rows.map((row) => [row.amountType, row.nfts])) } }
})

process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }))

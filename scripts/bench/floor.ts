/**
 * The floor: the least a Worker can do and still give the same answers to the calls of the bench.
 * No framework, no builder, no validation beyond what the SQL needs; the same check of the token's
 * signature, though for each request anew, and its liveness asked within the statement.
 */
import { importJWK, jwtVerify } from 'jose'

type FloorEnv = { DB: D1Database; TRANSFERS: Queue; PUBLIC_URL: string; JWT_KEYS: string }

let key: ReturnType<typeof importJWK> | undefined

async function tokenIdOf(request: Request, env: FloorEnv) {
  key ??= importJWK(JSON.parse(env.JWT_KEYS).keys[0], 'EdDSA')
  const { payload } = await jwtVerify(
    request.headers.get('authorization')?.slice('Bearer '.length) ?? '',
    await key,
    { algorithms: ['EdDSA'], issuer: env.PUBLIC_URL, audience: 'marketplace-api' },
  )
  return { tokenId: payload.jti, userId: Number(payload.sub) }
}

const LIVE = `EXISTS (SELECT 1 FROM tokens t JOIN users u ON u.id = t.userId
  WHERE t.id = ? AND t.revokedAt IS NULL AND u.removedAt IS NULL AND (t.role = 'user' OR u.roleId = 1))`

const DELIVERY = `id, userId, name, street, postal, city, country, companyName, taxId, email,
  mobilePhone, isDefault AS "default", createdAt, updatedAt, deletedAt`

const NFT = `id, amount, availableAmount, approved, storageNetworkTx, chainTx, creatorPublicAddr,
  contractAddr, contractName, contractNetwork, coverKey, category, secretPhrase, fee, feeRecipient,
  price, priceEths, priceCurrency, priceType, downloadable, title, creatorId, useCaseId, upgradeable,
  tokenId, newTokenId, oldTokenId, status, releaseAt, biddingEnabled, createdAt, updatedAt,
  deletedAt, fractionalized, redeemable, qrcodePrintfileId, salesContractUrl`
const LISTING = `id, priceCents, amount, priceEths, priceWei, activeTill, active, type, txHash,
  priceCurrency, sellerId, nftId, captureCronId, createdAt, updatedAt`
const ITEM = `id, orderId, nftId, listingId, quantity, priceCents, priceEths, ethRecipient,
  priceCurrency, paymentProvider, createdAt, updatedAt, ProductType`
const ORDER = `id, buyerId, billingAddressId, paymentMethod, provider, providerId,
  payprovStxTransactionId, payprovPciTransactionId, payprovWebhookToken, totalPriceCents,
  totalPriceCurrency, totalPriceEth, status, feesCollectedAt, createdAt, updatedAt,
  ProductType`
const BUYER = `id, approved, companyUser, email, ethereumPublicAddr, name, provider, chatServiceId,
  roleId, username, viewMode, paymentConnectId, payprovExternalId, onrampId, newsletterAgreement,
  locale, approvedAt, lastAccessAt, onboardedAt, removedAt, createdAt, updatedAt, ipAddress`

/** As one array in JSON, or several: D1 has no row of more than 100 columns, nor a function of more
 * than 32 arguments. */
const pack = (columns: string, from: string) => {
  const names = columns.trim().split(/\s*,\s*/)
  const arrays: string[] = []
  for (let i = 0; i < names.length; i += 32)
    arrays.push(
      `json_array(${names
        .slice(i, i + 32)
        .map((name) => from + name)
        .join(', ')}) AS ${from[0]}${i}`,
    )
  const keys = arrays.map((_, i) => `${from[0]}${i * 32}`)
  return {
    sql: arrays.join(', '),
    of(row: Record<string, string>) {
      const values = keys.flatMap((key) => JSON.parse(row[key] ?? '[]'))
      return Object.fromEntries(names.map((name, i) => [name, values[i]]))
    },
  }
}
const [o, b, i, n, l] = [
  pack(ORDER, 'o.'),
  pack(BUYER, 'b.'),
  pack(ITEM, 'i.'),
  pack(NFT, 'n.'),
  pack(LISTING, 'l.'),
]

const READ_ORDER = `SELECT ${[o, b, i, n, l].map(({ sql }) => sql).join(', ')}, n.payload,
    t.status, t.reason, t.txId
  FROM orders o JOIN users b ON b.id = o.buyerId JOIN orderItems i ON i.orderId = o.id
  JOIN nfts n ON n.id = i.nftId JOIN listings l ON l.id = i.listingId JOIN transfers t ON t.id = i.id
  WHERE o.id = ? AND ${LIVE}`

const answer = (body: unknown, status = 200) => Response.json(body, { status })
const unauthenticated = () => answer({ error: 'a valid token is required' }, 401)

async function listAddresses(env: FloorEnv, tokenId: unknown, userId: number) {
  const { results } = await env.DB.prepare(
    `SELECT ${DELIVERY} FROM addresses
     WHERE userId = ? AND kind = 'delivery' AND deletedAt IS NULL AND ${LIVE} ORDER BY id`,
  )
    .bind(userId, tokenId)
    .all<{ default: unknown }>()
  for (const row of results) row.default = row.default === 1
  return answer({ deliveryAddresses: results })
}

async function createAddress(request: Request, env: FloorEnv, tokenId: unknown) {
  const { userId, ...body } = await request.json<Record<string, string | undefined>>()
  const now = new Date().toISOString()
  const row = await env.DB.prepare(
    `INSERT INTO addresses (kind, userId, name, street, postal, city, country, companyName, taxId,
       email, mobilePhone, createdAt, updatedAt)
     SELECT 'delivery', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
     WHERE ${LIVE} AND (SELECT count(*) FROM addresses
       WHERE userId = ? AND kind = 'delivery' AND deletedAt IS NULL) < 100
     RETURNING ${DELIVERY}`,
  )
    .bind(
      userId ?? null,
      body.name ?? null,
      body.street ?? null,
      body.postal ?? null,
      body.city ?? null,
      body.country ?? null,
      body.companyName ?? null,
      body.taxId ?? null,
      body.email ?? null,
      body.mobilePhone ?? null,
      now,
      now,
      tokenId,
      userId ?? null,
    )
    .first<{ default: unknown }>()
  return row
    ? answer({ newDeliveryAddress: { ...row, default: row.default === 1 } })
    : unauthenticated()
}

async function readOrder(env: FloorEnv, tokenId: unknown, id: number) {
  const row = await env.DB.prepare(READ_ORDER).bind(id, tokenId).first<Record<string, string>>()
  if (!row) return answer({ orders: null, error: 'no such order' }, 400)
  const { status, txId, reason: failReason, payload = '{}' } = row
  const nft = { ...n.of(row), payload: JSON.parse(payload) }
  const item = { ...i.of(row), status, txId, nft, listing: l.of(row) }
  const order = { ...o.of(row), failReason, buyer: b.of(row), orderItems: [item] }
  return answer({ orders: [order], error: null })
}

type Element = { nftId: number; listingId: number; quantity: number; buyerUserId: number }
type Listing = { id: number; priceCents: number; priceWei: string; priceCurrency: string }

async function placeOrders(
  request: Request,
  env: FloorEnv,
  context: ExecutionContext,
  tokenId: unknown,
  userId: number,
) {
  const body = await request.text()
  const elements: Element[] = JSON.parse(body)
  const [listings, nfts, buyers] = await env.DB.batch<Record<string, never>>([
    env.DB.prepare(
      `SELECT ${LISTING} FROM listings WHERE id IN (SELECT value ->> 'listingId' FROM json_each(?)) AND ${LIVE}`,
    ).bind(body, tokenId),
    env.DB.prepare(
      `SELECT ${NFT}, payload FROM nfts WHERE id IN (SELECT value ->> 'nftId' FROM json_each(?))`,
    ).bind(body),
    env.DB.prepare(
      `SELECT id, ethereumPublicAddr, (SELECT min(a.id) FROM addresses a WHERE a.userId = users.id
         AND kind = 'billing' AND deletedAt IS NULL) AS billing
       FROM users WHERE id IN (SELECT value ->> 'buyerUserId' FROM json_each(?))`,
    ).bind(body),
  ])
  const index = <T>(result: D1Result | undefined) =>
    new Map(result?.results.map((row) => [(row as { id: number }).id, row as T]))
  const listingOf = index<Listing>(listings)
  const nftOf = index<{ payload: string }>(nfts)
  const buyerOf = index<{ ethereumPublicAddr: string; billing: number }>(buyers)
  const now = new Date().toISOString()
  const rows = elements.map((element) => {
    const listing = listingOf.get(element.listingId)
    const buyer = buyerOf.get(element.buyerUserId)
    if (!listing || !buyer) throw new Error('unknown listing or buyer')
    const wei = BigInt(listing.priceWei) * BigInt(element.quantity)
    return {
      ...element,
      billing: buyer.billing,
      recipient: buyer.ethereumPublicAddr,
      webhook: crypto.randomUUID(),
      cents: listing.priceCents * element.quantity,
      eth: `${wei / 10n ** 18n}.${String(wei % 10n ** 18n).padStart(18, '0')}`,
      currency: listing.priceCurrency,
    }
  })
  const plan = JSON.stringify(rows)
  const j = (name: string) => `value ->> '${name}'`
  const many = rows.length
  const [, orders, , transfers] = await env.DB.batch<{ id: number }>([
    env.DB.prepare(
      `UPDATE nfts SET availableAmount = availableAmount - s.q FROM (SELECT ${j('nftId')} AS id,
         sum(${j('quantity')}) AS q FROM json_each(?) GROUP BY 1) s
       WHERE nfts.id = s.id AND amountType <> 'unlimited' AND ${LIVE}`,
    ).bind(plan, tokenId),
    env.DB.prepare(
      `INSERT INTO orders (buyerId, billingAddressId, paymentMethod, provider, payprovWebhookToken,
         totalPriceCents, totalPriceCurrency, totalPriceEth, status, createdAt, updatedAt,
         ProductType, placedBy)
       SELECT ${j('buyerUserId')}, ${j('billing')}, 'external', 'external', ${j('webhook')},
         ${j('cents')}, ${j('currency')}, ${j('eth')}, 'paid', ?, ?, 'nft', ?
       FROM json_each(?) ORDER BY key RETURNING id`,
    ).bind(now, now, userId, plan),
    env.DB.prepare(
      `INSERT INTO orderItems (orderId, nftId, listingId, quantity, priceCents, priceEths,
         ethRecipient, priceCurrency, paymentProvider, createdAt, updatedAt, ProductType)
       SELECT (SELECT max(id) FROM orders) - ${many - 1} + key, ${j('nftId')}, ${j('listingId')},
         ${j('quantity')}, ${j('cents')}, ${j('eth')}, ${j('recipient')}, ${j('currency')},
         'external', ?, ?, 'nft' FROM json_each(?) ORDER BY key`,
    ).bind(now, now, plan),
    env.DB.prepare(
      `INSERT INTO transfers (id, status, dueAt, createdAt, updatedAt)
       SELECT (SELECT max(id) FROM orderItems) - ${many - 1} + key, 'queued', ?, ?, ? FROM json_each(?)
       RETURNING id`,
    ).bind(now, now, now, plan),
  ])
  context.waitUntil(env.TRANSFERS.send({ transferIds: transfers?.results.map(({ id }) => id) }))
  return answer({
    orders: rows.map((row, i) => ({
      id: orders?.results[i]?.id,
      buyerId: row.buyerUserId,
      billingAddressId: row.billing,
      paymentMethod: 'external',
      provider: 'external',
      providerId: null,
      payprovStxTransactionId: null,
      payprovPciTransactionId: null,
      payprovWebhookToken: row.webhook,
      totalPriceCents: row.cents,
      totalPriceCurrency: row.currency,
      totalPriceEth: row.eth,
      status: 'paid',
      failReason: null,
      feesCollectedAt: null,
      createdAt: now,
      updatedAt: now,
      ProductType: 'nft',
      orderItems: [
        {
          nftId: row.nftId,
          listingId: row.listingId,
          quantity: row.quantity,
          priceCents: row.cents,
          priceEths: row.eth,
          ethRecipient: row.recipient,
          priceCurrency: row.currency,
          txId: null,
          paymentProvider: 'external',
          status: null,
          createdAt: now,
          updatedAt: now,
          ProductType: 'nft',
          nft: {
            ...nftOf.get(row.nftId),
            payload: JSON.parse(nftOf.get(row.nftId)?.payload ?? '{}'),
          },
          listing: listingOf.get(row.listingId),
        },
      ],
    })),
    error: null,
  })
}

async function stats(env: FloorEnv) {
  const { results } = await env.DB.prepare('SELECT amountType, nfts FROM nftCounts').all()
  const { unique, limited, unlimited } = Object.fromEntries(
    results.map(({ amountType, nfts }) => [amountType, Number(nfts)]),
  )
  return answer({
    stats: { nfts: { total: unique + limited + unlimited, unique, rare: limited, unlimited } },
  })
}

export default {
  async fetch(request: Request, env: FloorEnv, context: ExecutionContext): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/api/public/stats') return stats(env)
    const { tokenId, userId } = await tokenIdOf(request, env)
    if (pathname === '/api/public/user/me/deliveryAddresses')
      return listAddresses(env, tokenId, userId)
    if (pathname === '/api/public/deliveryAddress') return createAddress(request, env, tokenId)
    if (request.method === 'POST') return placeOrders(request, env, context, tokenId, userId)
    return readOrder(env, tokenId, Number(pathname.split('/').at(-1)))
  },
}

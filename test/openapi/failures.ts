/** A request that fails with each error code. */
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { listings, saleObstacles } from '../../src/db/schema/catalogue.ts'
import { deliveries, networks } from '../../src/db/schema/delivery.ts'
import { users } from '../../src/db/schema/users.ts'
import type { ErrorCode } from '../../src/http/errors.ts'
import { aListingRecord, anNftRecord, aUserRecord, linesOf } from '../catalogue/records.ts'
import { aCreator, anNftBody } from '../creators/creator.ts'
import { aShop, billingData, place, placed } from '../orders/shop.ts'
import { aReservation } from '../reservations/holds.ts'
import { call, callWith } from '../support/api.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import {
  aContentFile,
  aListing,
  anAddress,
  anNft,
  aReadOnlyToken,
  aSession,
  aToken,
  aTransaction,
  aUser,
  db,
  sellUntried,
  setRow,
} from '../support/makers.ts'
import {
  ageSession,
  anEmail,
  aSignedInVisitor,
  aVisitor,
  aWallet,
  CHAIN_ID,
  linkWallet,
  locationOf,
  mailedLink,
  requestMessage,
  secretOf,
  signInByEmail,
  signInByWallet,
  type Visitor,
} from '../support/visitor.ts'
import { brokenDatabase, racingDatabase } from './databases.ts'

type Creator = Awaited<ReturnType<typeof aCreator>>
type Shop = Awaited<ReturnType<typeof aShop>>
type Failures = Partial<Record<ErrorCode, (shop: Shop) => Promise<Response>>>

const PAST = '2026-03-01T12:00:00.000Z'
const UNOWNED = '0x1111111111111111111111111111111111111111'
const UNKNOWN = 999_999
const NO_ID = '00000000-0000-4000-8000-000000000000'
const number = (providerId: string) => `/api/externalOrders/by-number/${providerId}`

const importLines = ({ token }: Shop, records: readonly unknown[]) =>
  call('POST', '/api/admin/catalogue?commit=true', { token, body: linesOf(records) })

/** Lists an NFT of the chain of a creator. */
const putNft = ({ chain, bindings, token }: Creator, values: object) =>
  callWith(bindings, 'PUT', '/api/nfts/sunrise', {
    token,
    json: anNftBody(chain, { publish: true, ...values }),
  })

/** Orders one piece with other values. */
const order = ({ token, input }: Shop, values: object) => place(token, [{ ...input, ...values }])

const orderOfListing = async (shop: Shop, values: Parameters<typeof aListing>[1]) =>
  order(shop, { listingId: (await aListing(shop.nft, values)).id })

/** A price, so that the example shows both. */
const seen = { expectedPriceCents: 900, expectedCurrency: 'EUR' }

/** Requests that place or read orders. */
const ofOrders: Failures = {
  invalid_input: (shop) => order(shop, { quantity: 0 }),
  invalid_character: (shop) => order(shop, { providerId: 'A-1001\u0000' }),
  unknown_field: (shop) => order(shop, { provider_id: 'A-1001' }),
  order_not_found: ({ token }) => call('GET', `/api/externalOrders/${UNKNOWN}`, { token }),
  listing_not_found: (shop) => order(shop, { listingId: UNKNOWN }),
  listing_inactive: (shop) => orderOfListing(shop, { active: false }),
  listing_ended: (shop) => orderOfListing(shop, { activeTill: PAST }),
  listing_is_auction: (shop) => orderOfListing(shop, { type: 'auction' }),
  listing_not_checked: (shop) => orderOfListing(shop, { untriedUntil: '2999-01-01T00:00:00.000Z' }),
  ...Object.fromEntries(
    saleObstacles.map((obstacle) => [obstacle, (shop: Shop) => orderOfListing(shop, { obstacle })]),
  ),
  listing_mismatch: async (shop) => order(shop, { nftId: (await anNft(shop.seller)).id }),
  nft_not_found: (shop) => order(shop, { nftId: UNKNOWN }),
  nft_not_released: async (shop) => {
    const nft = await anNft(shop.seller, { status: 'draft' })
    return order(shop, { nftId: nft.id, listingId: (await aListing(nft)).id })
  },
  content_missing: async (shop) => {
    const nft = await anNft(shop.seller)
    await aContentFile(nft, { state: 'missing' })
    return order(shop, { nftId: nft.id, listingId: (await aListing(nft)).id })
  },
  not_delivered: async (shop) => {
    const { token, seller, input } = shop
    const { id: nftId } = await anNft(seller, { contentRelease: 'delivered' })
    const { id: listingId } = await aListing({ id: nftId, creatorId: seller.id })
    const [order] = await placed(token, [{ ...input, nftId, listingId }])
    return call('GET', `/api/externalOrders/${order?.id}/content`, { token })
  },
  buyer_not_found: (shop) => order(shop, { buyerUserId: UNKNOWN }),
  no_billing_address: async (shop) => order(shop, { buyerUserId: (await aUser()).id }),
  sold_out: (shop) => order(shop, { quantity: 11 }),
  quantity_too_large: async (shop) => {
    const { id } = await aListing(shop.nft, { amount: 2 })
    return order(shop, { listingId: id, quantity: 3 })
  },
  quantity_above_limit: async (shop) => {
    await db.insert(networks).values({ chainId: 31337, leaseUntil: PAST, maxPieces: 5 })
    const response = await order(shop, { quantity: 6 })
    await db.delete(networks)
    return response
  },
  reservation_not_found: (shop) => order(shop, { reservationId: NO_ID }),
  reservation_mismatch: async (shop) => {
    const { id } = await aReservation(shop.token, { listingId: shop.listing.id })
    return order(shop, { reservationId: id, quantity: 2 })
  },
  seller_not_approved: async ({ input, listing }) => {
    await setRow(users, listing.sellerId, { approved: false })
    return place(await aToken({ id: listing.sellerId }), [input])
  },
  not_your_listing: async ({ input }) => place(await aToken(await aUser()), [input]),
  provider_id_used: async (shop) => {
    await order(shop, { providerId: 'A-1001' })
    return order(shop, { providerId: 'A-1001' })
  },
  price_changed: (shop) => order(shop, seen),
  order_differs: async ({ token, input }) => {
    await call('PUT', number('A-1002'), { token, json: input })
    return call('PUT', number('A-1002'), { token, json: { ...input, quantity: 2 } })
  },
  request_in_progress: ({ token, listing, input }) => {
    let priceCents = 0
    const change = () =>
      db.update(listings).set({ priceCents: ++priceCents }).where(eq(listings.id, listing.id))
    const bindings = { DB: racingDatabase(change) }
    return callWith(bindings, 'POST', '/api/externalOrders', { token, json: [input] })
  },
  too_many_open_orders: async ({ seller, input }) => {
    const token = await aToken(seller)
    const json = [input, input].map((each) => ({ ...each, buyerBillingData: billingData }))
    return callWith({ MAX_OPEN_ORDERS: '1' }, 'POST', '/api/externalOrders', { token, json })
  },
  idempotency_key_reused: async ({ token, input }) => {
    const headers = { 'idempotency-key': 'checkout-1001' }
    await place(token, [input], headers)
    return place(token, [{ ...input, quantity: 2 }], headers)
  },
  conflict: async ({ token, input }) => {
    const [order] = await placed(token, [input])
    const { id: transactionId } = await aTransaction()
    await db
      .update(deliveries)
      .set({ state: 'transferred', transactionId })
      .where(eq(deliveries.id, order?.orderItems[0]?.id ?? 0))
    return call('POST', `/api/externalOrders/${order?.id}/cancel`, { token })
  },
}

/** Imports of a catalogue with one NFT, `one`. */
const ofCatalogues: Failures = {
  duplicate_id: (shop) =>
    importLines(shop, [aUserRecord('bo'), aUserRecord('bo', { email: 'ada@example.com' })]),
  user_not_found: (shop) => importLines(shop, [anNftRecord('two', 2, { creator: 'nobody' })]),
  network_not_found: (shop) => importLines(shop, [anNftRecord('two', 2, { network: 'nowhere' })]),
  identity_taken: (shop) => importLines(shop, [aUserRecord('bo', { email: 'cleo@example.com' })]),
  username_taken: (shop) => importLines(shop, [aUserRecord('bo', { username: 'cleo' })]),
  token_taken: (shop) => importLines(shop, [anNftRecord('two', 1)]),
  cannot_change: (shop) => importLines(shop, [anNftRecord('one', 2)]),
  amount_too_small: async (shop) => {
    await sellUntried()
    await aReservation(shop.token, { listing: 'sale', quantity: 3 })
    return importLines(shop, [anNftRecord('one', 1, { amount: 2 })])
  },
  confirmation_required: (shop) => importLines(shop, [anNftRecord('one', 1, { priceCents: 10 })]),
}

const storeFile = async (
  { token, seller }: Shop,
  body: BodyInit,
  headers: Record<string, string> = {},
) => {
  const nft = await anNft(seller)
  await aContentFile(nft, { state: 'missing' })
  return call('PUT', `/api/admin/nfts/${nft.id}/files/track.mp3`, { token, body, headers })
}

/** Requests that store files, and those of people who list what the seller of the chain holds. */
const ofContent = (chain: Chain): Failures => ({
  file_differs: (shop) => storeFile(shop, 'la', { 'content-length': '2' }),
  length_required: (shop) =>
    storeFile(shop, new ReadableStream({ start: (controller) => controller.close() })),
  range_not_satisfiable: async ({ token, seller, input }) => {
    const { id: nftId } = await anNft(seller, { contentRelease: 'delivered' })
    await aContentFile({ id: nftId })
    const { id: listingId } = await aListing({ id: nftId, creatorId: seller.id })
    const [order] = await placed(token, [{ ...input, nftId, listingId }])
    const itemId = order?.orderItems[0]?.id ?? 0
    await db.update(deliveries).set({ state: 'transferred' }).where(eq(deliveries.id, itemId))
    const content = await call('GET', `/api/externalOrders/${order?.id}/content`, { token })
    const { files } = await content.json<{ files: { url: string }[] }>()
    const { pathname, search } = new URL(files[0]?.url ?? '')
    return call('GET', pathname + search, { headers: { range: 'bytes=8-' } })
  },
  not_a_creator: async () => {
    const creator = await aCreator(chain, { creators: 'off' })
    return putNft(creator, { tokenId: '1' })
  },
  wallet_required: async () => {
    const creator = await aCreator(chain, { wallet: '' })
    return putNft(creator, { tokenId: '1' })
  },
  not_held: async () => putNft(await aCreator(chain), { amount: 2 }),
  mint_not_permitted: async () =>
    putNft(await aCreator(chain, { wallet: UNOWNED }), { fulfilment: 'mint' }),
  not_deliverable: async () => putNft(await aCreator(chain), { contract: UNOWNED }),
  withdrawn: async () => {
    const creator = await aCreator(chain)
    await putNft(creator, { publish: false })
    await creator.send('DELETE', '/api/nfts/sunrise')
    return putNft(creator, { publish: false })
  },
  content_full: ({ token }) => {
    const file = { name: 'a', type: 'audio/mpeg', bytes: 2, sha256: '0'.repeat(64) }
    const content = { release: 'delivered', files: [file] }
    return callWith({ MAX_CONTENT_BYTES: '1' }, 'POST', '/api/admin/catalogue', {
      token,
      body: linesOf([anNftRecord('full', 9, { content })]),
    })
  },
})

/** Requests that are refused whatever they ask for. */
const ofCallers: Failures = {
  unauthenticated: () => call('GET', '/api/externalOrders'),
  forbidden: async ({ seller, input }) => place(await aReadOnlyToken(seller), [input]),
  cross_site: async ({ seller, input }) =>
    call('POST', '/api/externalOrders', {
      json: [input],
      headers: { cookie: `token=${await aSession(seller)}`, origin: 'https://shop.example' },
    }),
  reauthentication_required: async () => {
    const { visitor } = await aSignedInVisitor()
    await ageSession(visitor, 10)
    const url = 'https://shop.example.com/webhooks'
    return visitor.postJson('/api/webhooks', { url, events: ['order.created'] })
  },
  not_found: ({ token }) => call('DELETE', `/api/webhooks/${NO_ID}`, { token }),
  method_not_allowed: ({ token }) => call('DELETE', '/api/externalOrders', { token }),
  link_expired: () =>
    aVisitor().get(`/sign-in/email?secret=${'0'.repeat(64)}`, {
      headers: { accept: 'application/json' },
    }),
  events_removed: ({ token }) => call('GET', '/api/events?after=evt_1', { token }),
  too_many_addresses: async ({ token }) => {
    const user = await aUser()
    await Promise.all(Array.from({ length: 100 }, () => anAddress(user)))
    const json = { userId: user.id, ...billingData }
    return call('POST', '/api/public/billingAddress', { token, json })
  },
  payload_too_large: (shop) => order(shop, { custom: { note: 'x'.repeat(2 ** 20) } }),
  unsupported_media_type: ({ token }) =>
    call('PUT', '/api/public/user/me/profile/updateAvatarBytes', { token, body: 'no picture' }),
  rate_limited: ({ token }) => {
    const MASTER_RATE_LIMIT = { limit: async () => ({ success: false }) }
    return callWith({ MASTER_RATE_LIMIT }, 'GET', '/api/externalOrders', { token })
  },
}

const headers = { accept: 'application/json' }
const unlink = (visitor: Visitor, method: 'wallet' | 'email') =>
  visitor.post(`/settings/account/${method}/unlink`, { headers })

/** An account with a wallet, whom one can sign in as. */
async function anOwner() {
  const wallet = aWallet()
  const lastAccessAt = PAST
  return { wallet, user: await aUser({ ethereumPublicAddr: wallet.address, lastAccessAt }) }
}

async function aVisitorWithEmail() {
  const visitor = aVisitor()
  await signInByEmail(visitor)
  return visitor
}

/** Requests about the account of somebody who signs in. */
const ofAccounts: Failures = {
  account_closed: async () => {
    const { wallet, user } = await anOwner()
    await setRow(users, user.id, { removedAt: PAST })
    return signInByWallet(aVisitor(), wallet)
  },
  wallet_taken: async () => {
    const { wallet } = await anOwner()
    return linkWallet(await aVisitorWithEmail(), wallet)
  },
  wallet_has_account: async () => {
    const { wallet } = await anOwner()
    const visitor = await aVisitorWithEmail()
    const code = await locationOf(visitor.post('/claim/7/phone'))
    const phone = aVisitor()
    await phone.post('/phone', { form: { secret: secretOf(`${code}`) } })
    const request = { address: wallet.address, chainId: CHAIN_ID }
    const asked = await phone.postJson('/phone/message', request)
    const { message } = await asked.json<{ message: string }>()
    const signature = await wallet.signMessage({ message })
    return phone.postJson('/phone/wallet', { message, signature })
  },
  email_taken: async () => {
    const { visitor } = await aSignedInVisitor()
    const email = anEmail()
    await visitor.post('/settings/account/email', { form: { email } })
    await signInByEmail(aVisitor(), email)
    const form = { secret: secretOf(mailedLink(visitor)) }
    return visitor.post('/settings/account/email/confirm', { form, headers })
  },
  already_linked: async () => linkWallet((await aSignedInVisitor()).visitor),
  not_linked: async () => unlink(await aVisitorWithEmail(), 'wallet'),
  only_sign_in: async () => unlink(await aVisitorWithEmail(), 'email'),
  transfers_under_way: async ({ token, input }) => {
    const { visitor, user } = await aSignedInVisitor({ email: anEmail() })
    const { id: listingId, nftId } = await aListing(await anNft(user))
    await placed(token, [{ ...input, listingId, nftId }])
    return unlink(visitor, 'wallet')
  },
}

const readAddresses = ({ token }: Shop, message: string) =>
  callWith({ DB: brokenDatabase(message) }, 'GET', '/api/public/user/me/billingAddresses', {
    token,
  })

/** Failures of the service. */
const ofService: Failures = {
  internal_error: (shop) => readAddresses(shop, 'unexpected'),
  not_ready: (shop) => readAddresses(shop, 'D1_ERROR: no such table: tokens: SQLITE_ERROR'),
  try_later: (shop) => readAddresses(shop, 'D1_ERROR: Network connection lost.'),
  chain_unavailable: async () => {
    const visitor = aVisitor()
    const message = await requestMessage(visitor, privateKeyToAccount(generatePrivateKey()))
    // Only the chain knows whether the address is a contract that accepts the signature.
    const signature = await privateKeyToAccount(generatePrivateKey()).signMessage({ message })
    const localhost = { ...Reflect.get(env.NETWORKS, 'localhost'), rpcUrls: ['http://127.0.0.1:9'] }
    const NETWORKS: Env['NETWORKS'] = Object({ localhost })
    return visitor.postJson('/sign-in/wallet', { message, signature }, { env: { NETWORKS } })
  },
}

/** Returns the answer of a failing request for each code. Each has a shop of its own. */
export async function failEveryWay(): Promise<[code: string, response: Response][]> {
  await importLines(await aShop(), [
    aUserRecord('cleo', { username: 'cleo' }),
    anNftRecord('one', 1),
    aListingRecord('sale', 'one'),
  ])
  const failures = {
    ...{ ...ofOrders, ...ofCatalogues, ...ofContent(await aChain({ erc1155: 1 })) },
    ...{ ...ofCallers, ...ofAccounts, ...ofService },
  }
  const answers: [string, Response][] = []
  for (const [code, fail] of Object.entries(failures))
    answers.push([code, await fail(await aShop())])
  return answers
}

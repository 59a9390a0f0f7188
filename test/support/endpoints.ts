/**
 * A sample request for each endpoint; a few are rejected, because success needs a signature or a
 * mailed link. Tests that apply to every endpoint (authorization, costs) send these requests.
 */
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { decodeJwt } from 'jose'
import { inject } from 'vitest'
import { signDownload, signOptOut } from '../../src/auth/tokens.ts'
import { DEFAULT_PICTURE, uploadedCoverKey } from '../../src/avatars/serve.ts'
import { contentFiles } from '../../src/db/schema/content.ts'
import { proposals } from '../../src/db/schema/creators.ts'
import { deliveries, type ReasonCode } from '../../src/db/schema/delivery.ts'
import { findings, quotas } from '../../src/db/schema/operations.ts'
import { orders } from '../../src/db/schema/orders.ts'
import { addresses, emailLinks } from '../../src/db/schema/users.ts'
import { webhookEndpoints } from '../../src/db/schema/webhooks.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { MINUTE } from '../../src/time.ts'
import { aPng } from '../avatars/pictures.ts'
import { aForm } from '../avatars/uploads.ts'
import { type Call, call } from './api.ts'
import {
  aContentFile,
  aListing,
  aMetricsToken,
  anAddress,
  anAdministrator,
  anNft,
  aReadOnlyToken,
  aSession,
  aShopToken,
  aToken,
  aUser,
  aWebhook,
  aWebhookMessage,
  CONTENT,
  db,
  findRow,
  issuer,
  setRow,
} from './makers.ts'
import type { CallerName } from './permissions.ts'

/** Values of path parameters. */
type Params = Record<string, number | string>

type RequestParts = Pick<Call, 'json' | 'body' | 'headers'> & {
  params?: Params
  query?: string
}

/** A request without the token of a caller. */
export type SampleRequest = Pick<Call, 'json' | 'body' | 'headers'> & {
  method: string
  path: string
}

const secret = '0'.repeat(64)

const place = { street: 'Road 1', postal: '0150', city: 'Oslo', country: 'NO' }
const addressForm = { name: 'Bo', ...place, isDefault: 'on' }

/** At a server that accepts everything. */
const hook = { url: `http://${inject('remoteHost')}/empty`, events: ['order.created'] as const }
const hookForm = { url: hook.url, events: 'order.created' }

const since = '2026-01-01T00:00'

/**
 * Stores the callers and what they own. Each test file calls it once, because it has a database of
 * its own.
 */
export async function sampleWorld() {
  // The ids are those of the demo catalogue, so that the examples of the document work there.
  const administrator = await anAdministrator()
  const seller = await aUser({ name: 'Cleo' })
  /**
   * The owner of the addresses and the buyer of the orders. Has no wallet, so that deliveries of the
   * orders do not start.
   */
  const owner = await aUser({ ethereumPublicAddr: '', name: 'Bo' })

  /** The API tokens of the callers. */
  const tokenOf = {
    owner: await aToken(owner),
    reader: await aReadOnlyToken(owner),
    other: await aToken(await aUser()),
    seller: await aToken(seller),
    shop: await aShopToken('Shop', administrator),
    metrics: await aMetricsToken(),
    master: await aToken(administrator, 'master'),
  }

  /** The token of a caller. A new session for each request, because signing out ends it. */
  async function jwtOf(caller: Exclude<CallerName, 'no token'>): Promise<string> {
    if (caller === 'session') return aSession(owner)
    return caller === 'admin' ? aSession(administrator) : tokenOf[caller]
  }

  const addressQuery = async (kind: 'delivery' | 'billing') =>
    `?id=${(await anAddress(owner, { kind, ...place })).id}`

  await anAddress(owner, place)
  const nft = await anNft(seller, {
    ...{ id: 2, externalId: 'nft-2', amountType: 'unlimited' },
    contentRelease: 'delivered',
    secretPhrase: 'open sesame',
  })
  const listing = await aListing(nft, { id: 2, externalId: 'listing-2' })

  let paintingId: number | undefined

  /** The id of an NFT whose art was converted. */
  async function aPainting() {
    if (paintingId) return paintingId
    const image = `data:image/png;base64,${Buffer.from(aPng()).toString('base64')}`
    const { id } = await anNft(await aUser(), {
      payload: { amountType: 'limited', metadata: { image } },
    })
    await call('GET', `/nfts/${id}/art/card`)
    paintingId = id
    return id
  }

  /** What an operator has to acknowledge. */
  async function aFinding() {
    const key = 'contract_changed:31337'
    const finding = { chainId: 31337, key, detail: 'The owner changed.', nodes: [0], seenAt: since }
    const [row] = await db.insert(findings).values(finding).returning()
    if (!row) throw new Error('nothing was written')
    return row
  }

  /** An order that waits for a wallet, by its link. */
  async function aClaim() {
    const { orderId: id } = await anOrder()
    const secret = (await findRow(orders, id))?.claimSecret ?? ''
    return { params: { id }, query: `?secret=${secret}`, secret }
  }

  const prices = { priceCents: 2500, priceEths: '0.01', priceCurrency: 'EUR' }
  const nftBody = {
    ...{ network: nft.contractNetwork, contract: nft.contractAddr, contractName: 'Waves' },
    ...{ tokenId: '7', amountType: 'unique', ...prices },
    metadata: { name: 'Sunrise', description: 'A morning at the sea' },
  }

  let ownNfts = 0

  /** An NFT that somebody lists. */
  async function anOwnNft(creator = administrator, ref = `dawn-${++ownNfts}`) {
    const nft = await anNft(creator, {
      externalId: `user-${creator.id}/${ref}`,
      contractAddr: '0x0116686E2291dbd5e317F47faDBFb43B599786Ef',
      heldBySeller: true,
      payload: { amountType: 'limited', metadata: { name: 'Dawn' } },
    })
    return { ref, nft }
  }

  /** A ref under which both the owner and the administrator list an NFT, with a file whose bytes are missing. */
  async function aSharedRef() {
    const { ref, nft } = await anOwnNft(owner)
    const other = await anOwnNft(administrator, ref)
    for (const { id } of [nft, other.nft]) await aContentFile({ id }, { state: 'missing' })
    return { ref, name: 'track.mp3' }
  }

  /** A new title that waits to be approved. */
  async function aProposal() {
    const { nft } = await anOwnNft()
    const values = {
      kind: 'nft' as const,
      subjectId: nft.id,
      userId: administrator.id,
      submittedAt: '2026-01-01T00:00:00.000Z',
    }
    const fields = JSON.stringify({ metadata: { name: 'Noon' } })
    const proposal = {
      ...values,
      state: 'in_review' as const,
      version: crypto.randomUUID(),
      fields,
    }
    await db.insert(proposals).values(proposal)
    return proposal
  }

  /** The path of the page of one, and what its forms send. */
  async function shownProposal() {
    const { kind, subjectId: number, version } = await aProposal()
    return { params: { kind, number }, form: { version, reason: 'Blurred.' } }
  }

  async function decidedProposal() {
    const { params, form } = await shownProposal()
    return { params, body: new URLSearchParams(form) }
  }

  const orderInputs = [{ nftId: nft.id, listingId: listing.id, quantity: 1, buyerUserId: owner.id }]

  /** A file of the content of the NFT. */
  const anNftWithCodes = async () => (await anNft(seller, { hasCodes: true, amount: 0 })).id

  async function aFile() {
    await db.delete(contentFiles)
    return aContentFile(nft, { name: 'track.mp3' })
  }

  /** An order that is delivered. */
  async function aDeliveredOrder() {
    const { orderId, itemId } = await anOrder()
    await setRow(deliveries, itemId, { state: 'transferred', awaits: null })
    return { orderId, itemId }
  }

  let orderCount = 0
  let nftCount = 0
  const reservationInputs = [{ listingId: listing.id, quantity: 1, ttl: 600 }]

  /** Places an order for `owner` and sets the state of its delivery. */
  async function anOrder(
    state: 'awaiting_wallet' | 'failed' = 'awaiting_wallet',
    reasonCode?: ReasonCode,
  ) {
    const content = { token: tokenOf.seller, json: orderInputs }
    const response = await call('POST', '/api/externalOrders', content)
    const { orders } = await response.json<{
      orders: { id: number; orderItems: { id: number }[] }[]
    }>()
    const [order] = orders
    const [item] = order?.orderItems ?? []
    if (!order || !item) throw new Error('no order was placed')
    await db
      .update(deliveries)
      .set({
        ...(reasonCode && explain(reasonCode)),
        ...{ state, awaits: state === 'failed' ? null : owner.id },
      })
      .where(eq(deliveries.id, item.id))
    return { orderId: order.id, itemId: item.id }
  }

  const pageAddress = await anAddress(owner, { kind: 'delivery', origin: 'order' })

  /** The path parameters of an address of `owner`, which is live or deleted then. */
  async function ownAddress(deletedAt: string | null = null) {
    await db.update(addresses).set({ deletedAt }).where(eq(addresses.id, pageAddress.id))
    return { kind: 'delivery', id: pageAddress.id }
  }

  /** Removes the webhooks of earlier samples, of which a user may have a few. */
  const removeWebhooks = () => db.delete(webhookEndpoints).where(eq(webhookEndpoints.url, hook.url))

  /** The parameters of a webhook of `owner`. */
  async function ownWebhook() {
    await removeWebhooks()
    const endpoint = await aWebhook(owner, { url: hook.url })
    const message = await aWebhookMessage(endpoint)
    return { webhook_id: endpoint.id, message_id: message.id }
  }

  /** What `owner` lists. */
  async function ownRecords() {
    const ref = crypto.randomUUID()
    const externalId = `user-${owner.id}/${ref}`
    const contractAddr = `0x${String(++nftCount).padStart(40, '3')}`
    const { id } = await anNft(owner, { externalId, contractAddr, heldBySeller: true })
    await aListing({ id, creatorId: owner.id }, { externalId })
    return { params: { ref } }
  }

  /** The parameters of an API token or a session of `owner`. */
  const ownToken = async (kind: 'api' | 'session' = 'api') => ({
    id: decodeJwt(await aToken(owner, 'user', kind)).jti ?? '',
  })

  /** The parameters of a reservation of the seller. */
  async function aReservation() {
    const content = { token: tokenOf.seller, json: reservationInputs }
    const response = await call('POST', '/api/reservations', content)
    const { reservations } = await response.json<{ reservations: { id: string }[] }>()
    return { reservation_id: reservations[0]?.id ?? '' }
  }

  /** The path parameters of requests that give none, by a part of the path: the first that it has. */
  const makers: Record<string, () => Params | Promise<Params>> = {
    ':order_ids': async () => ({ order_ids: (await anOrder()).orderId }),
    ':order_id': async () => ({ order_id: (await anOrder()).orderId }),
    ':webhook_id': ownWebhook,
    ':reservation_id': aReservation,
    'orders/:id': async () => ({ id: (await anOrder()).orderId }),
    'transfers/:id': async () => ({ id: (await anOrder()).itemId }),
    'users/:id': () => ({ id: owner.id }),
    'nfts/:id': () => ({ id: nft.id, ids: nft.id }),
    'listings/:id': () => ({ id: listing.id, ids: listing.id }),
    'tokens/:id': () => ownToken(),
    'addresses/:kind/:id': () => ownAddress(),
  }

  /** What else is in each request. Functions, because some requests succeed only once. */
  const aMailLink = async () => ({ query: `?token=${await signOptOut(issuer, secret)}` })
  const requests: Record<string, () => RequestParts | Promise<RequestParts>> = {
    'POST /api/public/deliveryAddress': () => ({
      json: { userId: owner.id, name: 'Bo', ...place },
    }),
    'POST /api/public/billingAddress': () => ({
      json: { userId: owner.id, ...place },
    }),
    'PUT /api/public/deliveryAddress': async () => ({
      query: await addressQuery('delivery'),
      json: { name: 'Bo' },
    }),
    'PUT /api/public/billingAddress': async () => ({
      query: await addressQuery('billing'),
      json: { city: 'Oslo' },
    }),
    'DELETE /api/public/deliveryAddress': async () => ({ query: await addressQuery('delivery') }),
    'DELETE /api/public/billingAddress': async () => ({ query: await addressQuery('billing') }),
    'PUT /api/public/user/:user_id/profile/avatar': () => ({
      json: { avatarUrl: `http://${inject('remoteHost')}/picture.jpg` },
    }),
    'PUT /api/public/user/:user_id/profile/updateAvatarFile': () => ({ body: aForm(aPng()) }),
    'PUT /api/public/user/:user_id/profile/updateAvatarBytes': () => ({ body: aPng() }),
    'GET /avatars/:user_id/:picture': () => ({ params: { picture: `${DEFAULT_PICTURE}.jpg` } }),
    'GET /api/public/listings': () => ({ query: `?sellerId=${seller.id}` }),
    'GET /api/public/nfts': () => ({ query: `?creatorId=${seller.id}` }),
    'GET /nfts': () => ({ query: `?creator=${seller.id}` }),
    'GET /nfts/:id/art/:size': async () => ({
      params: { id: await aPainting(), size: 'card' },
    }),
    'GET /creators/:creator': () => ({ params: { creator: seller.id } }),
    'GET /api/externalOrders': async () => {
      await anOrder()
      return {}
    },
    'PUT /api/externalOrders/by-number/:providerId': () => ({
      params: { providerId: `A-${1000 + ++orderCount}` },
      json: orderInputs[0],
    }),
    'POST /api/externalOrders': () => ({ json: orderInputs }),
    'POST /api/externalOrders/check': () => ({ json: orderInputs }),
    'POST /api/reservations': () => ({ json: reservationInputs }),
    'GET /api/events': async () => {
      await anOrder()
      return { query: '?limit=20' }
    },
    'GET /api/webhooks': async () => {
      await ownWebhook()
      return {}
    },
    'POST /api/webhooks': async () => {
      await removeWebhooks()
      return { json: hook }
    },
    'PUT /api/webhooks/:webhook_id': () => ({ json: hook }),
    'POST /api/webhooks/:webhook_id/replay': () => ({ json: { since: `${since}:00Z` } }),
    'POST /api/admin/transfers/retry': () => ({ query: '?status=queued&code=no_relayer' }),
    'POST /api/admin/transfers/cancel': () => ({ query: '?status=in_flight' }),
    'POST /api/admin/transfers/:id/retry': async () => ({
      params: { id: (await anOrder('failed')).itemId },
    }),
    'POST /api/admin/transfers/:id/write-off': async () => ({
      params: { id: (await anOrder('failed', 'token_moved_nothing')).itemId },
      json: { returnPieces: true },
    }),
    'POST /api/admin/alarms/:key/acknowledge': async () => {
      const { key, id: version } = await aFinding()
      return { params: { key }, json: { version } }
    },
    'POST /api/admin/catalogue': () => ({
      body: '{"type":"user","id":"mona","email":"mona@example.com"}\n',
    }),
    'POST /api/admin/catalogue/ids': () => ({
      json: {
        records: [
          { type: 'nft', id: nft.externalId },
          { type: 'listing', id: listing.externalId },
        ],
      },
    }),
    'GET /api/admin/nfts/:nft/files': async () => {
      await aFile()
      return { params: { nft: nft.id } }
    },
    'PUT /api/admin/nfts/:nft/files/:name': async () => {
      const unsold = await anNft(seller)
      const { name } = await aContentFile(unsold, { state: 'missing' })
      return {
        params: { nft: unsold.id, name },
        body: CONTENT,
        headers: { 'content-length': String(CONTENT.length) },
      }
    },
    'GET /api/admin/nfts/:nft/codes': async () => ({ params: { nft: await anNftWithCodes() } }),
    'POST /api/admin/nfts/:nft/codes': async () => ({
      params: { nft: await anNftWithCodes() },
      body: 'ROW-4-SEAT-11\nROW-4-SEAT-12\n',
    }),
    'DELETE /api/admin/nfts/:nft/codes': async () => ({ params: { nft: await anNftWithCodes() } }),
    'GET /api/nfts': () => ({ query: '?mine=true' }),
    'PUT /api/nfts/:ref': () => ({ params: { ref: 'sunrise' }, json: nftBody }),
    'DELETE /api/nfts/:ref': async () => ({ params: { ref: (await anOwnNft(owner)).ref } }),
    'PUT /api/nfts/:ref/cover': async () => ({ params: await aSharedRef(), body: aPng() }),
    'GET /api/nfts/:ref/files': async () => ({ params: await aSharedRef() }),
    'PUT /api/nfts/:ref/files/:name': async () => ({
      params: await aSharedRef(),
      body: CONTENT,
      headers: { 'content-length': String(CONTENT.length) },
    }),
    'GET /api/listings': () => ({ query: '?mine=true' }),
    'PUT /api/listings/:ref': async () => {
      const { ref } = await anOwnNft()
      return { params: { ref }, json: { nft: ref, ...prices } }
    },
    'DELETE /api/listings/:ref': async () => {
      const { nft, ref } = await anOwnNft(owner)
      await aListing(nft, { externalId: nft.externalId })
      return { params: { ref } }
    },
    'GET /api/admin/proposals': async () => {
      await aProposal()
      return {}
    },
    'POST /api/admin/proposals/:kind/:number/approve': async () => {
      const { kind, subjectId: number, version } = await aProposal()
      return { params: { kind, number }, json: { version } }
    },
    'POST /api/admin/proposals/:kind/:number/reject': async () => {
      const { kind, subjectId: number, version } = await aProposal()
      return { params: { kind, number }, json: { version, reason: 'The picture is not yours.' } }
    },
    'GET /api/externalOrders/:order_id/content': async () => {
      await aFile()
      return { params: { order_id: (await aDeliveredOrder()).orderId } }
    },
    // Asks a node that does not answer.
    'GET /api/public/nfts/:id/content': async () => ({
      params: { id: (await anNft(seller, { contentRelease: 'holder' })).id },
    }),
    'GET /orders/:id/files/:name': async () => ({
      params: { id: (await aDeliveredOrder()).orderId, name: (await aFile()).name },
    }),
    'GET /files/:name': async () => {
      const { name, key } = await aFile()
      const { itemId: item } = await aDeliveredOrder()
      const inAMinute = new Date(Date.now() + MINUTE)
      const token = await signDownload(issuer, { key, item, user: owner.id }, inAMinute)
      return { params: { name }, query: `?token=${token}` }
    },
    'POST /api/admin/users/:id/forget': async () => ({ params: { id: (await aUser()).id } }),
    'GET /claim/:id': async () => {
      const { params, query } = await aClaim()
      return { params, query }
    },
    'POST /claim/:id/email': async () => {
      const { params, secret } = await aClaim()
      return { params, body: new URLSearchParams({ secret }) }
    },
    'POST /claim/:id/phone': () => ({ params: { id: 1 } }),
    'GET /claim/:id/phone': () => ({ params: { id: 1 }, query: `?secret=${secret}` }),
    'POST /claim/:id/phone/confirm': () => ({
      params: { id: 1 },
      body: new URLSearchParams({ secret, wallet: seller.ethereumPublicAddr }),
    }),
    'GET /phone': () => ({ query: `?secret=${secret}` }),
    'POST /phone': () => ({ body: new URLSearchParams({ secret }) }),
    'POST /phone/message': () => ({
      json: { address: seller.ethereumPublicAddr, chainId: 31337 },
    }),
    'POST /phone/wallet': () => ({ json: { message: 'not a message', signature: '0x' } }),
    'POST /claim/:id/wallet': async () => ({
      params: (await aClaim()).params,
      json: { message: 'not a sign-in message', signature: '0x' },
    }),
    'GET /mails/unsubscribe': aMailLink,
    'POST /mails/unsubscribe': aMailLink,
    'POST /language': () => ({ body: new URLSearchParams({ language: 'de' }) }),
    'POST /mails/subscribe': aMailLink,
    'GET /docs/:guide': () => ({ params: { guide: 'errors' } }),
    'POST /sign-in/wallet/message': () => ({
      json: { address: seller.ethereumPublicAddr, chainId: 31337, purpose: 'sign-in' },
    }),
    'POST /sign-in/wallet': () => ({ json: { message: 'not a sign-in message', signature: '0x' } }),
    'POST /sign-in/email': () => ({ body: new URLSearchParams({ email: 'somebody@example.com' }) }),
    'GET /sign-in/email': () => ({ query: `?secret=${secret}` }),
    'POST /sign-in/email/confirm': () => ({ body: new URLSearchParams({ secret }) }),
    'POST /settings/account/wallet': () => ({
      json: { message: 'not a sign-in message', signature: '0x' },
    }),
    'POST /settings/account/email': async () => {
      // An account gets only a few links in 15 minutes.
      const email = 'me@example.com'
      await db.delete(emailLinks).where(eq(emailLinks.email, email))
      return { body: new URLSearchParams({ email }) }
    },
    'POST /settings/account/mails': () => ({ body: new URLSearchParams({ wanted: 'no' }) }),
    'GET /settings/account/email': () => ({ query: `?secret=${secret}` }),
    'POST /settings/account/email/confirm': () => ({ body: new URLSearchParams({ secret }) }),
    'POST /settings/profile': () => ({
      body: new URLSearchParams({ name: 'Bo', username: '' }),
    }),
    'POST /settings/profile/avatar': () => ({ body: aForm(aPng()) }),
    'POST /settings/profile/avatar-url': () => ({
      body: new URLSearchParams({ avatarUrl: `http://${inject('remoteHost')}/picture.jpg` }),
    }),
    'GET /settings/addresses/:kind/new': () => ({ params: { kind: 'delivery' } }),
    'POST /settings/addresses/:kind/new': () => ({
      params: { kind: 'delivery' },
      body: new URLSearchParams(addressForm),
    }),
    'POST /settings/addresses/:kind/:id': () => ({ body: new URLSearchParams(addressForm) }),
    'POST /settings/addresses/:kind/:id/restore': async () => ({
      params: await ownAddress(new Date().toISOString()),
    }),
    'POST /settings/api-access/tokens': () => ({
      body: new URLSearchParams({ name: crypto.randomUUID() }),
    }),
    'POST /settings/webhooks': async () => {
      await removeWebhooks()
      return { body: new URLSearchParams(hookForm) }
    },
    'POST /settings/webhooks/:webhook_id': () => ({
      body: new URLSearchParams({ ...hookForm, enabled: 'on' }),
    }),
    'POST /settings/webhooks/:webhook_id/replay': () => ({
      body: new URLSearchParams({ since }),
    }),
    'POST /settings/selling/retry': () => ({
      body: new URLSearchParams({
        network: nft.contractNetwork,
        contract: nft.contractAddr,
        fulfilment: 'transfer',
      }),
    }),
    'POST /settings/sessions/:id/end': async () => ({ params: await ownToken('session') }),
    'GET /operations/transfers': () => ({ query: '?state=failed' }),
    'POST /operations/transfers': () => ({
      body: new URLSearchParams({ action: 'retry-all', state: 'failed', code: 'no_relayer' }),
    }),
    'POST /operations/alarms/:key/acknowledge': async () => {
      const { key, id } = await aFinding()
      return { params: { key }, body: new URLSearchParams({ version: `${id}` }) }
    },
    'POST /operations/administrators': () => ({
      body: new URLSearchParams({ userId: '1', to: 'appointed' }),
    }),
    'POST /operations/shops': () => ({
      body: new URLSearchParams({
        namespace: 'master:no shop',
        name: 'Kite',
        email: 'help@kite.example',
      }),
    }),
    'POST /operations/users/:id/approval': async () => ({
      params: { id: (await aUser({ approved: false })).id },
      body: new URLSearchParams({ approved: 'true' }),
    }),
    'POST /nfts/:id/report': () => ({ body: new URLSearchParams({ text: 'Mine.' }) }),
    'GET /operations/review': async () => {
      await aProposal()
      return {}
    },
    'GET /operations/review/:kind/:number': shownProposal,
    'POST /operations/review/:kind/:number/approve': decidedProposal,
    'POST /operations/review/:kind/:number/reject': decidedProposal,
    'POST /operations/reports/:id/dismiss': () => ({
      params: { id: nft.id },
      body: new URLSearchParams({ until: new Date().toISOString() }),
    }),
    'POST /operations/users/:id/mint-permissions': async () => ({
      params: { id: (await aUser()).id },
      body: new URLSearchParams({
        ...{ network: nft.contractNetwork, contract: nft.contractAddr, permitted: 'true' },
      }),
    }),
    'POST /operations/users/:id/email': async () => {
      const [email, right] = [0, 1].map(() => `${crypto.randomUUID()}@example.com`)
      const { id } = await aUser({ ethereumPublicAddr: '', ...(email && { email }) })
      return { params: { id }, body: new URLSearchParams({ email: right ?? '' }) }
    },
    'GET /operations/review/nft/:number/cover': async () => {
      const { subjectId: number } = await aProposal()
      const coverKey = uploadedCoverKey(number, '0'.repeat(48))
      await env.AVATARS.put(coverKey, aPng())
      const fields = JSON.stringify({ coverKey })
      await db.update(proposals).set({ fields }).where(eq(proposals.subjectId, number))
      return { params: { number } }
    },
    'GET /operations/review/nft/:number/files/:name': async () => {
      const { subjectId: number } = await aProposal()
      const { name } = await aContentFile({ id: number })
      return { params: { number, name } }
    },
    'POST /operations/nfts/:id': async () => {
      const contractAddr = `0x${String(++nftCount).padStart(40, '1')}`
      const { id, amount, price, priceEths, status } = await anNft(seller, { contractAddr })
      const shown = JSON.stringify({ amount, priceCents: price, priceEths, status })
      const form = { priceCents: '10.01', priceEths, amount: `${amount}`, status, shown }
      return { params: { id }, body: new URLSearchParams(form) }
    },
    'POST /operations/listings/:id': async () => {
      const { id, priceCents, priceEths } = await aListing(nft)
      const others = { active: true, activeTill: null, amount: null }
      const shown = JSON.stringify({ ...others, priceCents, priceEths, shopUrl: null })
      const form = { priceCents: '10.01', priceEths, active: 'on', shown }
      return { params: { id }, body: new URLSearchParams(form) }
    },
    'GET /settings/selling/:id': async () => ({
      params: { id: (await aListing(nft, { sellerId: owner.id })).id },
    }),
    'POST /settings/selling/:id': async () => {
      const { id, priceCents, priceEths } = await aListing(nft, { sellerId: owner.id })
      const others = { active: true, activeTill: null, amount: null }
      const shown = JSON.stringify({ ...others, priceCents, priceEths })
      const form = { priceCents: '10.01', priceEths, active: 'on', shown }
      return { params: { id }, body: new URLSearchParams(form) }
    },
    'GET /create/:ref': ownRecords,
    'GET /create/:ref/preview': ownRecords,
    'POST /create/:ref/withdraw': ownRecords,
    'POST /create/:ref': () => {
      const contract = `0x${String(++nftCount).padStart(40, '2')}`
      const token = { network: 'localhost', contract, amountType: 'unique', token: '1:1' }
      const shown = {
        contractName: 'Waves',
        title: 'Sunrise',
        priceCents: '25',
        priceCurrency: 'EUR',
      }
      return {
        params: { ref: crypto.randomUUID() },
        body: new URLSearchParams({ ...token, ...shown, fulfilment: 'transfer' }),
      }
    },
    'POST /operations/catalogue': () => {
      const form = new FormData()
      form.set(
        'file',
        new File(['{"type":"user","id":"mia","email":"mia@example.com"}'], 'a.jsonl'),
      )
      return { body: form }
    },
    'POST /operations/catalogue/import': () => ({
      body: new URLSearchParams({ import: crypto.randomUUID(), last: '1' }),
    }),
    'GET /operations/search': () => ({ query: `?q=0x${secret}` }),
    'POST /operations/transfers/:id/retry': async () => ({
      params: { id: (await anOrder('failed')).itemId },
    }),
    'POST /operations/transfers/:id/write-off': async () => ({
      params: { id: (await anOrder('failed', 'token_moved_nothing')).itemId },
      body: new URLSearchParams({ returnPieces: 'on' }),
    }),
  }

  /** Returns a new sample request for an endpoint (`METHOD /path/:with/parameters`). */
  async function sampleRequest(endpoint: string): Promise<SampleRequest> {
    // Tests send more requests than a user may in a day. The rows stay, because they cost less.
    await db.update(quotas).set({ used: 0 })
    const [method = '', pattern = ''] = endpoint.split(' ')
    const { params, query = '', ...content } = (await requests[endpoint]?.()) ?? {}
    const [, make] = Object.entries(makers).find(([part]) => pattern.includes(part)) ?? []
    const values: Params = { user_id: owner.id, ...(params ?? (await make?.())) }
    const path = pattern.replace(/:(\w+)/g, (part, name) => String(values[name] ?? part))
    return { method, path: path + query, ...content }
  }

  return { tokenOf, jwtOf, sampleRequest }
}

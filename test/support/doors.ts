/**
 * A request that succeeds at each endpoint, and the people it is about. Whatever is to be asked at
 * every door (who may enter, what it costs) asks these.
 */
import { eq } from 'drizzle-orm'
import { inject } from 'vitest'
import { DRAWN } from '../../src/avatars/url.ts'
import { transfers } from '../../src/db/schema.ts'
import { aPng } from '../avatars/pictures.ts'
import { aForm } from '../avatars/uploads.ts'
import { type Call, call } from './api.ts'
import { aListing, anAddress, anAdministrator, anNft, aToken, aUser, db } from './makers.ts'

type Parts = Pick<Call, 'json' | 'body' | 'headers'> & {
  /** The path's parameters. */
  params?: Record<string, number | string>
  query?: string
}

/** Without a wallet: what they are sold waits for one, and no transfer begins. */
export const self = await aUser({ ethereumPublicAddr: '' })
const seller = await aUser()
export const tokenOf = {
  self: await aToken(self),
  other: await aToken(await aUser()),
  seller: await aToken(seller),
  master: await aToken(await anAdministrator(), 'master'),
}

const addressId = async (kind: 'delivery' | 'billing') =>
  `?id=${(await anAddress(self, { kind })).id}`

await anAddress(self)
const nft = await anNft(seller, { amountType: 'unlimited' })
const listing = await aListing(nft)

const sale = [{ nftId: nft.id, listingId: listing.id, quantity: 1, buyerUserId: self.id }]

/** An order of `self`, and its item, whose transfer is in that state. */
async function anOrder(status: 'awaiting_wallet' | 'failed' = 'awaiting_wallet') {
  const response = await call('POST', '/api/externalOrders', { token: tokenOf.seller, json: sale })
  const { orders } = await response.json<{
    orders: { id: number; orderItems: { id: number }[] }[]
  }>()
  const [order] = orders
  const [item] = order?.orderItems ?? []
  if (!order || !item) throw new Error('no order was placed')
  await db
    .update(transfers)
    .set({ status, awaits: status === 'failed' ? null : self.id })
    .where(eq(transfers.id, item.id))
  return { orderId: order.id, itemId: item.id }
}

const secret = '0'.repeat(64)
const id = crypto.randomUUID()

/** What is asked for at a door, made anew for each request that may succeed. */
const requests: Record<string, () => Parts | Promise<Parts>> = {
  'POST /api/public/deliveryAddress': () => ({ json: { userId: self.id, name: 'Ada' } }),
  'POST /api/public/billingAddress': () => ({ json: { userId: self.id, city: 'Oslo' } }),
  'PUT /api/public/deliveryAddress': async () => ({
    query: await addressId('delivery'),
    json: { name: 'Ada' },
  }),
  'PUT /api/public/billingAddress': async () => ({
    query: await addressId('billing'),
    json: { city: 'Oslo' },
  }),
  'DELETE /api/public/deliveryAddress': async () => ({ query: await addressId('delivery') }),
  'DELETE /api/public/billingAddress': async () => ({ query: await addressId('billing') }),
  'PUT /api/public/user/:user_id/profile/avatar': () => ({
    json: { avatarUrl: `http://${inject('remoteHost')}/picture.jpg` },
  }),
  'PUT /api/public/user/:user_id/profile/updateAvatarFile': () => ({ body: aForm(aPng()) }),
  'PUT /api/public/user/:user_id/profile/updateAvatarBytes': () => ({ body: aPng() }),
  'GET /avatars/:user_id/:picture': () => ({ params: { picture: `${DRAWN}.jpg` } }),
  'GET /api/externalOrders/:order_ids': async () => ({
    params: { order_ids: (await anOrder()).orderId },
  }),
  'POST /api/externalOrders': () => ({ json: sale }),
  'POST /api/admin/transfers/:id/retry': async () => ({
    params: { id: (await anOrder('failed')).itemId },
  }),
  'POST /api/admin/transfers/:id/cancel': async () => ({
    params: { id: (await anOrder()).itemId },
  }),
  'POST /sign-in/wallet/message': () => ({
    json: { address: seller.ethereumPublicAddr, chainId: 31337, purpose: 'sign-in' },
  }),
  'POST /sign-in/wallet': () => ({ json: { message: 'none of ours', signature: '0x' } }),
  'POST /sign-in/email': () => ({ body: new URLSearchParams({ email: 'somebody@example.com' }) }),
  'GET /sign-in/email': () => ({ query: `?secret=${secret}` }),
  'POST /sign-in/email/confirm': () => ({ body: new URLSearchParams({ secret }) }),
  'POST /settings/account/wallet': () => ({ json: { message: 'none of ours', signature: '0x' } }),
  'POST /settings/account/email': () => ({
    body: new URLSearchParams({ email: 'me@example.com' }),
  }),
  'GET /settings/account/email': () => ({ query: `?secret=${secret}` }),
  'POST /settings/account/email/confirm': () => ({ body: new URLSearchParams({ secret }) }),
  'POST /settings/api-access/tokens': () => ({ body: new URLSearchParams({ name: 'shop' }) }),
  'GET /settings/api-access/tokens/:id': () => ({ params: { id } }),
  'POST /settings/api-access/tokens/:id/revoke': () => ({ params: { id } }),
}

/** What is asked: a request but for who asks. */
export type Asked = Pick<Call, 'json' | 'body' | 'headers'> & { method: string; path: string }

/** A fresh request at a door (`METHOD /path/:with/parameters`), about `self`. */
export async function askedAt(door: string): Promise<Asked> {
  const [method = '', pattern = ''] = door.split(' ')
  const { params, query = '', ...sent } = (await requests[door]?.()) ?? {}
  const path = Object.entries({ user_id: self.id, ...params }).reduce(
    (path, [name, value]) => path.replace(`:${name}`, String(value)),
    pattern,
  )
  return { method, path: path + query, ...sent }
}

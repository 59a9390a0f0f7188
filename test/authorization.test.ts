/**
 * Who may do what: every endpoint against every kind of caller. Decisions: "Who may do what".
 *
 * An endpoint without a row fails this test. To add one, add a line to the table. If a request
 * needs more than the path (whose `:user_id` is the id of `self`), say what in `requests`.
 *
 * The callers are: nobody (no token, or one of `forged.ts`); self, whom the data belongs to;
 * other, a user; seller, who sells what self has bought; master. A cell is a status, or the code
 * of an error where its status alone would not tell it. Settings are for sessions alone, which
 * none of these callers has. A live caller gets the same by either
 * header and by the cookie; with the cookie from another site, `cross_site` if it changes state.
 */

import { eq } from 'drizzle-orm'
import { describe, expect, inject, it, vi } from 'vitest'
import app from '../src/app.ts'
import { DRAWN } from '../src/avatars/url.ts'
import { transfers } from '../src/db/schema.ts'
import { doorsOf } from '../src/http/door.ts'
import { type ErrorCode, statusOf } from '../src/http/errors.ts'
import { aPng } from './avatars/pictures.ts'
import { aForm } from './avatars/uploads.ts'
import { BASE_URL, call } from './support/api.ts'
import { forged } from './support/forged.ts'
import { aListing, anAddress, anAdministrator, anNft, aToken, aUser, db } from './support/makers.ts'

// A test asks about a hundred times.
vi.setConfig({ testTimeout: 60_000 })

const table = `
door                                               | nobody | self | other | seller | master
---------------------------------------------------|--------|------|-------|--------|-------
GET    /openapi.json                               | 200    | 200  | 200   | 200    | 200
GET    /.well-known/jwks.json                      | 200    | 200  | 200   | 200    | 200
GET    /api/public/user/:user_id/deliveryAddresses | 401    | 200  | 403   | 403    | 200
GET    /api/public/user/:user_id/billingAddresses  | 401    | 200  | 403   | 403    | 200
POST   /api/public/deliveryAddress                 | 401    | 200  | 403   | 403    | 200
POST   /api/public/billingAddress                  | 401    | 200  | 403   | 403    | 200
PUT    /api/public/deliveryAddress                 | 401    | 200  | 404   | 404    | 200
PUT    /api/public/billingAddress                  | 401    | 200  | 404   | 404    | 200
DELETE /api/public/deliveryAddress                 | 401    | 200  | 404   | 404    | 200
DELETE /api/public/billingAddress                  | 401    | 200  | 404   | 404    | 200
GET    /api/public/stats                           | 200    | 200  | 200   | 200    | 200
GET    /api/public/creators                        | 200    | 200  | 200   | 200    | 200
GET    /api/public/user/:user_id/profile/avatar    | 401    | 200  | 200   | 200    | 200
PUT    /api/public/user/:user_id/profile/avatar    | 401    | 200  | 403   | 403    | 200
PUT    /api/public/user/:user_id/profile/updateAvatarFile  | 401 | 200 | 403 | 403 | 200
PUT    /api/public/user/:user_id/profile/updateAvatarBytes | 401 | 200 | 403 | 403 | 200
GET    /avatars/:user_id/:picture                  | 200    | 200  | 200   | 200    | 200
GET    /api/externalOrders/:order_ids              | 401    | 200  | order_not_found | 200 | 200
POST   /api/externalOrders                         | 401    | 403  | 403   | 200    | 200
GET    /api/admin/transfers                        | 401    | 403  | 403   | 403    | 200
POST   /api/admin/transfers/:id/retry              | 401    | 403  | 403   | 403    | 200
POST   /api/admin/transfers/:id/cancel             | 401    | 403  | 403   | 403    | 200
GET    /                                           | 303    | 303  | 303   | 303    | 303
GET    /sign-in                                    | 200    | 200  | 200   | 200    | 200
POST   /sign-in/wallet/message                     | 200    | 200  | 200   | 200    | 200
POST   /sign-in/wallet                             | invalid_input | invalid_input | invalid_input | invalid_input | invalid_input
POST   /sign-in/email                              | 303    | 303  | 303   | 303    | 303
GET    /sign-in/email/sent                         | 200    | 200  | 200   | 200    | 200
GET    /sign-in/email                              | link_expired | link_expired | link_expired | link_expired | link_expired
POST   /sign-in/email/confirm                      | link_expired | link_expired | link_expired | link_expired | link_expired
POST   /sign-out                                   | 303    | 303  | 303   | 303    | 303
GET    /settings                                   | 303    | 303  | 303   | 303    | 303
GET    /settings/account                           | 401    | 403  | 403   | 403    | 403
POST   /settings/account/wallet                    | 401    | 403  | 403   | 403    | 403
POST   /settings/account/email                     | 401    | 403  | 403   | 403    | 403
GET    /settings/account/email                     | 401    | 403  | 403   | 403    | 403
POST   /settings/account/email/confirm             | 401    | 403  | 403   | 403    | 403
GET    /settings/api-access                        | 401    | 403  | 403   | 403    | 403
POST   /settings/api-access/tokens                 | 401    | 403  | 403   | 403    | 403
GET    /settings/api-access/tokens/:id             | 401    | 403  | 403   | 403    | 403
POST   /settings/api-access/tokens/:id/revoke      | 401    | 403  | 403   | 403    | 403
GET    /settings/api-access/everyone               | 401    | 403  | 403   | 403    | 403
`

type Ask = {
  /** The path's parameters. */
  params?: Record<string, number | string>
  query?: string
  json?: unknown
  body?: BodyInit
  headers?: Record<string, string>
}

/** Without a wallet: what they are sold waits for one, and no transfer begins. */
const self = await aUser({ ethereumPublicAddr: '' })
const seller = await aUser()
const tokenOf = {
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
  await db.update(transfers).set({ status }).where(eq(transfers.id, item.id))
  return { orderId: order.id, itemId: item.id }
}

const secret = '0'.repeat(64)
const id = crypto.randomUUID()

/** What is asked for at a door, made anew for each request that may succeed. */
const requests: Record<string, () => Ask | Promise<Ask>> = {
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

/** What a status means where the table names no code. */
const codeOf: Record<string, ErrorCode> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
}

const callers = ['nobody', 'self', 'other', 'seller', 'master'] as const
type Row = { door: string; method: string; path: string } & Record<(typeof callers)[number], string>

const rows = table
  .trim()
  .split('\n')
  .slice(2)
  .map((line): Row => {
    const [door = '', ...cells] = line.split('|').map((cell) => cell.trim().replace(/ +/, ' '))
    const [method = '', path = ''] = door.split(' ')
    const [nobody = '', own = '', other = '', seller = '', master = ''] = cells
    return { door, method, path, nobody, self: own, other, seller, master }
  })

const isSafe = ({ method }: Row) => method === 'GET'
const sameOrigin = { origin: BASE_URL }

const nobodys = await Promise.all(
  Object.entries(forged).map(async ([name, forge]) => [name, await forge()] as const),
)

/** The ways to send a token. */
const carriers: Record<string, (jwt: string) => Record<string, string>> = {
  'Bearer header': (jwt) => ({ authorization: `Bearer ${jwt}` }),
  'bare header': (jwt) => ({ authorization: jwt }),
  cookie: (jwt) => ({ cookie: `token=${jwt}`, ...sameOrigin }),
}

/** What another site's page can make a browser send along with the cookie. */
const crossSite: Record<string, Record<string, string>> = {
  'from another site': { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' },
  'from a sibling of ours': {
    'sec-fetch-site': 'same-site',
    origin: 'https://evil.marketplace.test',
  },
  'from another site, in an old browser': { origin: 'https://evil.test' },
  'from a sandboxed page': { origin: 'null' },
  'without a word of where from': {},
}

async function ask(row: Row, headers: Record<string, string>, asked?: Ask): Promise<Response> {
  const request = asked ?? (await requests[row.door]?.()) ?? {}
  const { params, query = '', headers: own, ...sent } = request
  const path = Object.entries({ user_id: self.id, ...params }).reduce(
    (path, [name, value]) => path.replace(`:${name}`, String(value)),
    row.path,
  )
  return call(row.method, path + query, { ...sent, headers: { ...own, ...headers } })
}

async function expectCell(row: Row, cell: string, response: Response, who: string) {
  const code = codeOf[cell] ?? cell
  const isError = code in statusOf
  const status = isError ? statusOf[code as ErrorCode] : Number(cell)
  // Decoded here, because the runtime warns of pictures that are read as text.
  const body = new TextDecoder().decode(await response.arrayBuffer())
  expect(response.status, `${who}: ${body}`).toBe(status)
  if (!isError) return
  const orders = row.path.startsWith('/api/externalOrders') ? { orders: null } : {}
  expect(JSON.parse(body), who).toEqual({ ...orders, error: expect.any(String), code })
  expect(response.headers.get('www-authenticate'), who).toBe(status === 401 ? 'Bearer' : null)
}

it('has a row for every endpoint, and none for what is not there', () => {
  const doors = doorsOf(app).map(({ method, path }) => `${method} ${path}`)
  expect(rows.map(({ door }) => door).sort()).toEqual(doors.sort())
})

it('finds no endpoint that takes every method, which would hide it from the table', () => {
  const all = app.routes.filter(({ method }) => method === 'ALL').map(({ path }) => path)
  expect(new Set(all)).toEqual(new Set(['/*']))
})

it('says at the door of each endpoint whether it needs a token', () => {
  for (const { method, path, about } of doorsOf(app)) {
    const row = rows.find(({ door }) => door === `${method} ${path}`)
    expect(about?.audience, `${method} ${path}`).toBe(
      row?.nobody !== '401'
        ? 'anyone'
        : row.self === '403' && row.seller === '403' && row.master !== '403'
          ? 'masters'
          : 'callers',
    )
  }
})

describe.each(rows)('$door', (row) => {
  it(`is ${row.nobody} for nobody, whatever token they show`, async () => {
    const asked = await requests[row.door]?.()
    await expectCell(row, row.nobody, await ask(row, sameOrigin, asked), 'no token')
    for (const [name, jwt] of nobodys) {
      for (const [carrier, carry] of Object.entries(carriers)) {
        const response = await ask(row, { ...sameOrigin, ...carry(jwt) }, asked)
        await expectCell(row, row.nobody, response, `${name} by ${carrier}`)
      }
    }
    const beside = {
      authorization: 'Bearer broken',
      cookie: `token=${tokenOf.master}`,
      ...sameOrigin,
    }
    await expectCell(row, row.nobody, await ask(row, beside, asked), 'broken header, good cookie')
  })

  it.each(['self', 'other', 'seller', 'master'] as const)('answers %s', async (caller) => {
    for (const [carrier, carry] of Object.entries(carriers)) {
      const response = await ask(row, { ...sameOrigin, ...carry(tokenOf[caller]) })
      await expectCell(row, row[caller], response, `${caller} by ${carrier}`)
    }
  })

  it(`${isSafe(row) ? 'answers' : 'refuses'} a cookie that another site makes a browser send`, async () => {
    for (const [name, headers] of Object.entries(crossSite))
      for (const caller of ['self', 'master'] as const) {
        const response = await ask(row, { cookie: `token=${tokenOf[caller]}`, ...headers })
        await expectCell(
          row,
          isSafe(row) ? row[caller] : 'cross_site',
          response,
          `${caller} ${name}`,
        )
      }
  })
})

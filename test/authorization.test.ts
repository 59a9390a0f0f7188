/**
 * Who may do what: every endpoint against every kind of caller. Decisions: "Who may do what".
 *
 * An endpoint without a row fails this test. To add one, add a line to the table. If a request
 * needs more than the path (whose `:user_id` is the id of `self`), say what in `support/doors.ts`.
 *
 * The callers are: nobody (no token, or one of `forged.ts`); self, whom the data belongs to;
 * other, a user; seller, who sells what self has bought; master. They have API tokens; session is
 * self who is signed in, for whom alone the settings are. A cell is a status, or the code of an
 * error where its status alone would not tell it. A live caller gets the same by either header
 * and by the cookie; with the cookie from another site, `cross_site` if it changes state.
 */

import { describe, expect, it, vi } from 'vitest'
import app from '../src/app.ts'
import { doorsOf } from '../src/http/door.ts'
import { type ErrorCode, statusOf } from '../src/http/errors.ts'
import { BASE_URL, call } from './support/api.ts'
import { type Asked, askedAt, self, tokenOf } from './support/doors.ts'
import { forged } from './support/forged.ts'
import { aSession } from './support/makers.ts'

// A test asks about a hundred times.
vi.setConfig({ testTimeout: 60_000 })

const table = `
door                                                       | nobody | self | session | other | seller | master
-----------------------------------------------------------|--------|------|---------|-------|--------|--------
GET    /openapi.json                                       | 200    | 200  | 200     | 200   | 200    | 200
GET    /.well-known/jwks.json                              | 200    | 200  | 200     | 200   | 200    | 200
GET    /api/public/user/:user_id/deliveryAddresses         | 401    | 200  | 200     | 403   | 403    | 200
GET    /api/public/user/:user_id/billingAddresses          | 401    | 200  | 200     | 403   | 403    | 200
POST   /api/public/deliveryAddress                         | 401    | 200  | 200     | 403   | 403    | 200
POST   /api/public/billingAddress                          | 401    | 200  | 200     | 403   | 403    | 200
PUT    /api/public/deliveryAddress                         | 401    | 200  | 200     | 404   | 404    | 200
PUT    /api/public/billingAddress                          | 401    | 200  | 200     | 404   | 404    | 200
DELETE /api/public/deliveryAddress                         | 401    | 200  | 200     | 404   | 404    | 200
DELETE /api/public/billingAddress                          | 401    | 200  | 200     | 404   | 404    | 200
GET    /api/public/stats                                   | 200    | 200  | 200     | 200   | 200    | 200
GET    /api/public/creators                                | 200    | 200  | 200     | 200   | 200    | 200
GET    /api/public/user/:user_id/profile/avatar            | 401    | 200  | 200     | 200   | 200    | 200
PUT    /api/public/user/:user_id/profile/avatar            | 401    | 200  | 200     | 403   | 403    | 200
PUT    /api/public/user/:user_id/profile/updateAvatarFile  | 401    | 200  | 200     | 403   | 403    | 200
PUT    /api/public/user/:user_id/profile/updateAvatarBytes | 401    | 200  | 200     | 403   | 403    | 200
GET    /avatars/:user_id/:picture                          | 200    | 200  | 200     | 200   | 200    | 200
GET    /api/externalOrders/:order_ids                      | 401    | 200  | 200     | order_not_found | 200    | 200
POST   /api/externalOrders                                 | 401    | 403  | 403     | 403   | 200    | 200
GET    /api/admin/transfers                                | 401    | 403  | 403     | 403   | 403    | 200
POST   /api/admin/transfers/:id/retry                      | 401    | 403  | 403     | 403   | 403    | 200
POST   /api/admin/transfers/:id/cancel                     | 401    | 403  | 403     | 403   | 403    | 200
GET    /                                                   | 303    | 303  | 303     | 303   | 303    | 303
GET    /sign-in                                            | 200    | 200  | 303     | 200   | 200    | 200
POST   /sign-in/wallet/message                             | 200    | 200  | 200     | 200   | 200    | 200
POST   /sign-in/wallet                                     | invalid_input | invalid_input | invalid_input | invalid_input | invalid_input | invalid_input
POST   /sign-in/email                                      | 303    | 303  | 303     | 303   | 303    | 303
GET    /sign-in/email/sent                                 | 200    | 200  | 200     | 200   | 200    | 200
GET    /sign-in/email                                      | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired
POST   /sign-in/email/confirm                              | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired
POST   /sign-out                                           | 303    | 303  | 303     | 303   | 303    | 303
GET    /settings                                           | 303    | 303  | 303     | 303   | 303    | 303
GET    /settings/account                                   | 401    | 403  | 200     | 403   | 403    | 403
POST   /settings/account/wallet                            | 401    | 403  | invalid_input | 403   | 403    | 403
POST   /settings/account/email                             | 401    | 403  | 303     | 403   | 403    | 403
GET    /settings/account/email                             | 401    | 403  | link_expired | 403   | 403    | 403
POST   /settings/account/email/confirm                     | 401    | 403  | link_expired | 403   | 403    | 403
GET    /settings/api-access                                | 401    | 403  | 200     | 403   | 403    | 403
POST   /settings/api-access/tokens                         | 401    | 403  | 303     | 403   | 403    | 403
GET    /settings/api-access/tokens/:id                     | 401    | 403  | 404     | 403   | 403    | 403
POST   /settings/api-access/tokens/:id/revoke              | 401    | 403  | 404     | 403   | 403    | 403
GET    /settings/api-access/everyone                       | 401    | 403  | 403     | 403   | 403    | 403
`

/** What a status means where the table names no code. */
const codeOf: Record<string, ErrorCode> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
}

const live = ['self', 'session', 'other', 'seller', 'master'] as const
type Live = (typeof live)[number]
type Row = Record<'door' | 'method' | 'path' | 'nobody' | Live, string>

/** A session is new each time: signing out ends it. */
const jwtOf = async (caller: Live) => (caller === 'session' ? aSession(self) : tokenOf[caller])

const rows = table
  .trim()
  .split('\n')
  .slice(2)
  .map((line): Row => {
    const [door = '', ...cells] = line.split('|').map((cell) => cell.trim().replace(/ +/, ' '))
    const [method = '', path = ''] = door.split(' ')
    const [nobody = '', own = '', session = '', other = '', seller = '', master = ''] = cells
    return { door, method, path, nobody, self: own, session, other, seller, master }
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

async function ask(row: Row, headers: Record<string, string>, asked?: Asked): Promise<Response> {
  const { method, path, ...sent } = asked ?? (await askedAt(row.door))
  return call(method, path, { ...sent, headers: { ...sent.headers, ...headers } })
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

describe.each(rows.map((row) => [row.door, row] as const))('%s', (_, row) => {
  it(`is ${row.nobody} for nobody, whatever token they show`, async () => {
    const asked = await askedAt(row.door)
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

  it.each(live)('answers %s', async (caller) => {
    for (const [carrier, carry] of Object.entries(carriers)) {
      const response = await ask(row, { ...sameOrigin, ...carry(await jwtOf(caller)) })
      await expectCell(row, row[caller], response, `${caller} by ${carrier}`)
    }
  })

  it(`${isSafe(row) ? 'answers' : 'refuses'} a cookie that another site makes a browser send`, async () => {
    for (const [name, headers] of Object.entries(crossSite))
      for (const caller of ['session', 'master'] as const) {
        const response = await ask(row, { cookie: `token=${await jwtOf(caller)}`, ...headers })
        await expectCell(
          row,
          isSafe(row) ? row[caller] : 'cross_site',
          response,
          `${caller} ${name}`,
        )
      }
  })
})

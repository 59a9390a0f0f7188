import { eq } from 'drizzle-orm'
import { describe, expect, inject, it } from 'vitest'
import { listEndpoints } from '../scripts/build/openapi/list.ts'
import app from '../src/app.ts'
import { users } from '../src/db/schema/users.ts'
import { type ErrorCode, errorStatus } from '../src/http/errors.ts'
import { BASE_URL, call } from './support/api.ts'
import { type SampleRequest, sampleWorld } from './support/endpoints.ts'
import { forged } from './support/forged.ts'
import { aSession, db } from './support/makers.ts'

const { owner, tokenOf, sampleRequest } = await sampleWorld()

// Each test sends about a hundred requests.

const table = `
endpoint                                                   | no token | owner | reader | session | other | seller | shop  | master
-----------------------------------------------------------|----------|-------|--------|-------|---------|-------|--------|-------|--------
GET    /openapi.json                                       | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /llms.txt                                           | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /.well-known/jwks.json                              | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /.well-known/proof-jwks.json                        | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /api/public/user/:user_id/deliveryAddresses         | 401      | 200   | 200    | 200     | 403   | 403    | 403   | 200
GET    /api/public/user/:user_id/billingAddresses          | 401      | 200   | 200    | 200     | 403   | 403    | 403   | 200
POST   /api/public/deliveryAddress                         | 401      | 200   | 403    | 200     | 403   | 403    | 403   | 200
POST   /api/public/billingAddress                          | 401      | 200   | 403    | 200     | 403   | 403    | 403   | 200
PUT    /api/public/deliveryAddress                         | 401      | 200   | 403    | 200     | 404   | 404    | 403   | 200
PUT    /api/public/billingAddress                          | 401      | 200   | 403    | 200     | 404   | 404    | 403   | 200
DELETE /api/public/deliveryAddress                         | 401      | 200   | 403    | 200     | 404   | 404    | 403   | 200
DELETE /api/public/billingAddress                          | 401      | 200   | 403    | 200     | 404   | 404    | 403   | 200
GET    /api/public/stats                                   | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /api/public/creators                                | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /api/public/listings                                | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /api/public/listings/:ids                           | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /api/public/nfts                                    | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /api/public/nfts/:ids                               | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /api/public/user/:user_id/profile/avatar            | 401      | 200   | 200    | 200     | 200   | 200    | 403   | 200
PUT    /api/public/user/:user_id/profile/avatar            | 401      | 200   | 403    | 200     | 403   | 403    | 403   | 200
PUT    /api/public/user/:user_id/profile/updateAvatarFile  | 401      | 200   | 403    | 200     | 403   | 403    | 403   | 200
PUT    /api/public/user/:user_id/profile/updateAvatarBytes | 401      | 200   | 403    | 200     | 403   | 403    | 403   | 200
GET    /avatars/:user_id/:picture                          | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /api/externalOrders                                  | 401      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /api/externalOrders/:order_ids                      | 401      | 200   | 200    | 200     | order_not_found | 200    | order_not_found | 200
POST   /api/externalOrders                                 | 401      | not_your_listing | 403    | not_your_listing | not_your_listing | 200    | 200   | 200
GET    /api/externalOrders/:order_id/proof                 | 401      | 200   | 200    | 200     | order_not_found | 200    | order_not_found | 200
POST   /api/externalOrders/:order_id/cancel                | 401      | 403   | 403    | 403     | order_not_found | 200    | order_not_found | 200
PUT    /api/externalOrders/by-number/:providerId           | 401      | not_your_listing | 403    | not_your_listing | not_your_listing | 201    | 201   | 201
POST   /api/externalOrders/check                           | 401      | not_your_listing | 403    | not_your_listing | not_your_listing | 200    | 200   | 200
POST   /api/reservations                                   | 401      | not_your_listing | 403    | not_your_listing | not_your_listing | 200    | 200   | 200
DELETE /api/reservations/:reservation_id                   | 401      | 404   | 403    | 404     | 404   | 204    | 404   | 204
GET    /api/events                                         | 401      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /api/webhooks                                       | 401      | 200   | 200    | 200     | 200   | 200    | 200   | 200
POST   /api/webhooks                                       | 401      | 200   | 403    | 200     | 200   | 200    | 200   | 200
GET    /api/webhooks/:webhook_id                           | 401      | 200   | 200    | 200     | 404   | 404    | 404   | 200
PUT    /api/webhooks/:webhook_id                           | 401      | 200   | 403    | 200     | 404   | 404    | 404   | 200
DELETE /api/webhooks/:webhook_id                           | 401      | 200   | 403    | 200     | 404   | 404    | 404   | 200
POST   /api/webhooks/:webhook_id/rotate                    | 401      | 200   | 403    | 200     | 404   | 404    | 404   | 200
POST   /api/webhooks/:webhook_id/test                      | 401      | 200   | 403    | 200     | 404   | 404    | 404   | 200
GET    /api/webhooks/:webhook_id/messages                  | 401      | 200   | 200    | 200     | 404   | 404    | 404   | 200
POST   /api/webhooks/:webhook_id/messages/:message_id/resend | 401      | 200   | 403    | 200     | 404   | 404    | 404   | 200
POST   /api/webhooks/:webhook_id/replay                    | 401      | 200   | 403    | 200     | 404   | 404    | 404   | 200
GET    /api/admin/transfers                                | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 200
POST   /api/admin/transfers/retry                          | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 200
POST   /api/admin/transfers/cancel                         | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 200
POST   /api/admin/transfers/:id/retry                      | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 200
POST   /api/admin/transfers/:id/cancel                     | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 200
POST   /api/admin/transfers/:id/write-off                  | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 200
POST   /api/admin/catalogue                                | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 200
POST   /api/admin/catalogue/ids                            | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 200
GET    /health                                             | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /metrics                                            | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 200
POST   /api/admin/alarms/:key/acknowledge                  | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 200
GET    /api/admin/users/:id/data                           | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 200
POST   /api/admin/users/:id/forget                         | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 200
GET    /                                                   | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /nfts                                               | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /nfts/:id                                           | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /nfts/:id/art/:size                                 | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /creators/:creator                                  | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /docs.md                                            | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /docs                                               | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /docs/:guide                                        | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
POST   /docs/token                                         | 401      | 403   | 403    | 200     | 403   | 403    | 403   | 403
GET    /orders                                             | 401      | 403   | 403    | 200     | 403   | 403    | 403   | 403
GET    /orders/:id                                         | 401      | 403   | 403    | 200     | 403   | 403    | 403   | 403
GET    /collection                                         | 401      | 403   | 403    | 200     | 403   | 403    | 403   | 403
GET    /claim/:id                                          | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
GET    /mails/unsubscribe                                  | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
POST   /mails/unsubscribe                                  | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /sign-in                                            | 200      | 200   | 200    | 303     | 200   | 200    | 200   | 200
GET    /sign-in/again                                      | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
POST   /sign-in/wallet/message                             | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
POST   /sign-in/wallet                                     | invalid_input | invalid_input | invalid_input | invalid_input | invalid_input | invalid_input | invalid_input | invalid_input
POST   /sign-in/email                                      | 303      | 303   | 303    | 303     | 303   | 303    | 303   | 303
GET    /sign-in/email/sent                                 | 200      | 200   | 200    | 200     | 200   | 200    | 200   | 200
GET    /sign-in/email                                      | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired
POST   /sign-in/email/confirm                              | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired
POST   /sign-out                                           | 303      | 303   | 303    | 303     | 303   | 303    | 303   | 303
GET    /settings                                           | 303      | 303   | 303    | 303     | 303   | 303    | 303   | 303
GET    /settings/profile                                   | 401      | 403   | 403    | 200     | 403   | 403    | 403   | 403
POST   /settings/profile                                   | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
POST   /settings/profile/avatar                            | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
POST   /settings/profile/avatar-url                        | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
GET    /settings/addresses                                 | 401      | 403   | 403    | 200     | 403   | 403    | 403   | 403
GET    /settings/addresses/:kind/new                       | 401      | 403   | 403    | 200     | 403   | 403    | 403   | 403
POST   /settings/addresses/:kind/new                       | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
GET    /settings/addresses/:kind/:id                       | 401      | 403   | 403    | 200     | 403   | 403    | 403   | 403
POST   /settings/addresses/:kind/:id                       | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
POST   /settings/addresses/:kind/:id/default               | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
POST   /settings/addresses/:kind/:id/delete                | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
POST   /settings/addresses/:kind/:id/restore               | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
GET    /settings/account                                   | 401      | 403   | 403    | 200     | 403   | 403    | 403   | 403
POST   /settings/account/wallet                            | 401      | 403   | 403    | invalid_input | 403   | 403    | 403   | 403
POST   /settings/account/email                             | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
GET    /settings/account/email                             | 401      | 403   | 403    | link_expired | 403   | 403    | 403   | 403
POST   /settings/account/email/confirm                     | 401      | 403   | 403    | link_expired | 403   | 403    | 403   | 403
POST   /settings/account/email/unlink                      | 401      | 403   | 403    | conflict | 403   | 403    | 403   | 403
POST   /settings/account/wallet/unlink                     | 401      | 403   | 403    | conflict | 403   | 403    | 403   | 403
GET    /settings/selling                                   | 401      | 403   | 403    | 200     | 403   | 403    | 403   | 403
POST   /settings/selling/retry                             | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
GET    /settings/sessions                                  | 401      | 403   | 403    | 200     | 403   | 403    | 403   | 403
POST   /settings/sessions/:id/end                          | 401      | 403   | 403    | 404     | 403   | 403    | 403   | 403
POST   /settings/sessions/end-others                       | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
GET    /settings/api-access                                | 401      | 403   | 403    | 200     | 403   | 403    | 403   | 403
POST   /settings/api-access/tokens                         | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
GET    /settings/api-access/tokens/:id                     | 401      | 403   | 403    | 404     | 403   | 403    | 403   | 403
POST   /settings/api-access/tokens/:id/revoke              | 401      | 403   | 403    | 404     | 403   | 403    | 403   | 403
POST   /settings/api-access/tokens/:id/roll                | 401      | 403   | 403    | 404     | 403   | 403    | 403   | 403
GET    /settings/api-access/everyone                       | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 403
GET    /settings/webhooks                                  | 401      | 403   | 403    | 200     | 403   | 403    | 403   | 403
POST   /settings/webhooks                                  | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
GET    /settings/webhooks/:webhook_id                      | 401      | 403   | 403    | 200     | 403   | 403    | 403   | 403
POST   /settings/webhooks/:webhook_id                      | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
POST   /settings/webhooks/:webhook_id/rotate               | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
POST   /settings/webhooks/:webhook_id/delete               | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
POST   /settings/webhooks/:webhook_id/test                 | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
POST   /settings/webhooks/:webhook_id/messages/:message_id/resend | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
POST   /settings/webhooks/:webhook_id/replay               | 401      | 403   | 403    | 303     | 403   | 403    | 403   | 403
GET    /operations                                         | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 403
GET    /operations/transfers                               | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 403
POST   /operations/transfers                               | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 403
POST   /operations/alarms/:key/acknowledge                 | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 403
GET    /operations/orders/:id                              | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 403
GET    /operations/users/:id                               | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 403
GET    /operations/nfts/:id                                | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 403
GET    /operations/audit                                   | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 403
GET    /operations/audit.csv                               | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 403
GET    /operations/administrators                          | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 403
POST   /operations/administrators                          | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 403
GET    /operations/search                                  | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 403
GET    /operations/transfers/:id                           | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 403
POST   /operations/transfers/:id/retry                     | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 403
POST   /operations/transfers/:id/cancel                    | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 403
POST   /operations/transfers/:id/write-off                 | 401      | 403   | 403    | 403     | 403   | 403    | 403   | 403
`

const hiddenValues: unknown[] = [null, '', false, '00000000-0000-0000-0000-000000000000']

/** The error code of a status for which the table has no code. */
const codeOf: Record<string, ErrorCode> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
}

const callers = ['owner', 'reader', 'session', 'other', 'seller', 'shop', 'master'] as const
type CallerName = (typeof callers)[number]
type Row = Record<'endpoint' | 'method' | 'path' | 'noToken' | CallerName, string>

/** A new session for each request, because signing out ends it. */
const jwtOf = async (caller: CallerName) =>
  caller === 'session' ? aSession(owner) : tokenOf[caller]

const rows = table
  .trim()
  .split('\n')
  .slice(2)
  .map((line): Row => {
    const [endpoint = '', ...cells] = line.split('|').map((cell) => cell.trim().replace(/ +/, ' '))
    const [method = '', path = ''] = endpoint.split(' ')
    const [noToken = '', owner = '', reader = '', session = '', ...others] = cells
    const [other = '', seller = '', shop = '', master = ''] = others
    return { endpoint, method, path, noToken, owner, reader, session, other, seller, shop, master }
  })

const isSafe = ({ method }: Row) => method === 'GET'
const sameOrigin = { origin: BASE_URL }

const invalidTokens = await Promise.all(
  Object.entries(forged).map(async ([name, forge]) => [name, await forge()] as const),
)

/** The ways to send a token. */
const carriers: Record<string, (jwt: string) => Record<string, string>> = {
  'Bearer header': (jwt) => ({ authorization: `Bearer ${jwt}` }),
  'bare header': (jwt) => ({ authorization: jwt }),
  cookie: (jwt) => ({ cookie: `token=${jwt}`, ...sameOrigin }),
}

/** Headers that browsers send with the cookie if another site makes the request. */
const crossSite: Record<string, Record<string, string>> = {
  'from another site': { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' },
  'from another subdomain': {
    'sec-fetch-site': 'same-site',
    origin: 'https://evil.marketplace.test',
  },
  'from another site in an old browser': { origin: 'https://evil.test' },
  'from a sandboxed page': { origin: 'null' },
  'with another origin, as a proxy may send': {
    'sec-fetch-site': 'same-origin',
    origin: 'https://evil.test',
  },
}

/** Headers with which the cookie may change state. */
const ownSite: Record<string, Record<string, string>> = {
  'from a page of this site': { 'sec-fetch-site': 'same-origin', origin: BASE_URL },
  'from a page of this site in an old browser': sameOrigin,
  'typed by the visitor': { 'sec-fetch-site': 'none' },
  'from a client that is no browser': {},
}

async function send(
  row: Row,
  headers: Record<string, string>,
  request?: SampleRequest,
): Promise<Response> {
  const { method, path, ...content } = request ?? (await sampleRequest(row.endpoint))
  const all = { ...content, headers: { ...content.headers, ...headers } }
  return call(method, path, all)
}

async function expectCell(row: Row, cell: string, response: Response, caller: string) {
  const code = codeOf[cell] ?? cell
  const isError = code in errorStatus
  const status = isError ? errorStatus[code as ErrorCode] : Number(cell)
  // The runtime logs a warning if `text()` reads a picture.
  const body = new TextDecoder().decode(await response.arrayBuffer())
  expect(response.status, `${caller}: ${body}`).toBe(status)
  if (!isError) return
  const orders = row.path.startsWith('/api/externalOrders') ? { orders: null } : {}
  expect(JSON.parse(body), caller).toMatchObject({ ...orders, error: expect.any(String), code })
  const challenge = response.headers.get('www-authenticate')
  if (status === 401)
    expect(challenge, caller).toMatch(
      /^Bearer( error="invalid_token", error_description="the token [\w ]+")?$/,
    )
  else expect(challenge, caller).toBeNull()
}

it('has a row for every endpoint, and no other rows', () => {
  const endpoints = listEndpoints(app).map(({ method, path }) => `${method} ${path}`)
  expect(rows.map(({ endpoint }) => endpoint).sort()).toEqual(endpoints.sort())
})

it('has no route for all methods, which would be missing in the table', () => {
  const paths = app.routes.filter(({ method }) => method === 'ALL').map(({ path }) => path)
  // Middleware.
  expect(new Set(paths)).toEqual(new Set(['/*', '/health', '/api/externalOrders/*']))
})

it('declares for each endpoint who may call it', () => {
  for (const { method, path, access } of listEndpoints(app)) {
    const row = rows.find(({ endpoint }) => endpoint === `${method} ${path}`)
    // A token for metrics is a master token: see test/monitoring/metrics.test.ts.
    const declared = access === 'metrics' ? 'master' : access
    expect(row && allowedBy(row), `${method} ${path}`).toContain(declared)
  }
})

/** The declarations that a row fits. Its callers include no administrator with a session. */
function allowedBy({ noToken, owner, session, seller, shop, master }: Row) {
  if (noToken !== '401') return ['public']
  if (master === '403') return session === '403' ? ['administrator'] : ['session']
  if (owner === '403' && seller === '403') return ['master']
  return shop === '403' ? ['token'] : ['orders']
}

/** The first endpoint that reads, and the first that writes, of each kind of access. */
const thorough = new Set(
  [...Map.groupBy(rows, (row) => `${allowedBy(row)} ${isSafe(row)}`).values()].map(
    ([first]) => first,
  ),
)

/**
 * Returns all variants for the `thorough` endpoints, and for each other one a different variant in
 * turn. In `npm run test:long`, returns all for each.
 */
function variantsFor<T>(row: Row, variants: readonly T[], turn = 0): readonly T[] {
  if (inject('isLong') || thorough.has(row)) return variants
  const next = (rows.indexOf(row) + turn) % variants.length
  return variants.slice(next, next + 1)
}

const forgeries = invalidTokens.flatMap(([name, jwt]) =>
  Object.entries(carriers).map(([carrier, headersOf]) => ({
    title: `${name}, ${carrier}`,
    headers: { ...sameOrigin, ...headersOf(jwt) },
  })),
)

describe.each(rows.map((row) => [row.endpoint, row] as const))('%s', (_, row) => {
  it(`returns ${row.noToken} without a valid token`, async () => {
    const request = await sampleRequest(row.endpoint)
    await expectCell(row, row.noToken, await send(row, sameOrigin, request), 'no token')
    for (const { title, headers } of variantsFor(row, forgeries))
      await expectCell(row, row.noToken, await send(row, headers, request), title)
    const headers = {
      authorization: 'Bearer broken',
      cookie: `token=${tokenOf.master}`,
      ...sameOrigin,
    }
    const response = await send(row, headers, request)
    await expectCell(row, row.noToken, response, 'invalid header, valid cookie')
  })

  it('answers each caller as its row says', async () => {
    for (const [i, caller] of callers.entries())
      for (const [carrier, headersOf] of variantsFor(row, Object.entries(carriers), i)) {
        const response = await send(row, { ...sameOrigin, ...headersOf(await jwtOf(caller)) })
        await expectCell(row, row[caller], response, `${caller}, ${carrier}`)
      }
  })

  it(`${isSafe(row) ? 'accepts' : 'rejects'} the cookie in requests from other sites`, async () => {
    for (const [name, headers] of variantsFor(row, Object.entries(crossSite)))
      for (const caller of ['session', 'master'] as const) {
        const response = await send(row, { cookie: `token=${await jwtOf(caller)}`, ...headers })
        const cell = isSafe(row) ? row[caller] : 'cross_site'
        await expectCell(row, cell, response, `${caller}, ${name}`)
      }
  })

  it('accepts the cookie in requests of this site, and of clients that are no browsers', async () => {
    for (const [name, headers] of variantsFor(row, Object.entries(ownSite))) {
      const response = await send(row, { cookie: `token=${await jwtOf('session')}`, ...headers })
      await expectCell(row, row.session, response, `session, ${name}`)
    }
  })
})

/** What the callers that may read an order see of it: `shown` as it is stored, or `hidden`. */
const views = `
field                     | owner  | reader | session | seller | master
--------------------------|--------|--------|---------|--------|-------
payprovWebhookToken       | hidden | hidden | hidden  | hidden | shown
buyer.id                  | shown  | shown  | shown   | shown  | shown
buyer.name                | shown  | shown  | shown   | shown  | shown
buyer.username            | shown  | shown  | shown   | shown  | shown
buyer.ethereumPublicAddr  | shown  | shown  | shown   | shown  | shown
buyer.viewMode            | shown  | shown  | shown   | shown  | shown
buyer.createdAt           | shown  | shown  | shown   | shown  | shown
buyer.updatedAt           | shown  | shown  | shown   | shown  | shown
buyer.walletNonce         | hidden | hidden | hidden  | hidden | hidden
buyer.approved            | shown  | shown  | shown   | hidden | shown
buyer.companyUser         | shown  | shown  | shown   | hidden | shown
buyer.email               | shown  | shown  | shown   | hidden | shown
buyer.provider            | shown  | shown  | shown   | hidden | shown
buyer.chatServiceId       | shown  | shown  | shown   | hidden | shown
buyer.roleId              | shown  | shown  | shown   | hidden | shown
buyer.paymentConnectId    | shown  | shown  | shown   | hidden | shown
buyer.payprovExternalId   | shown  | shown  | shown   | hidden | shown
buyer.onrampId            | shown  | shown  | shown   | hidden | shown
buyer.newsletterAgreement | shown  | shown  | shown   | hidden | shown
buyer.locale              | shown  | shown  | shown   | hidden | shown
buyer.approvedAt          | shown  | shown  | shown   | hidden | shown
buyer.lastAccessAt        | shown  | shown  | shown   | hidden | shown
buyer.onboardedAt         | shown  | shown  | shown   | hidden | shown
buyer.removedAt           | hidden | hidden | hidden  | hidden | hidden
buyer.ipAddress           | shown  | shown  | shown   | hidden | shown
`

describe('an order, as callers see it', async () => {
  const at = '2026-01-02T00:00:00.000Z'
  const everything = {
    name: 'Ada',
    username: 'ada',
    email: `${crypto.randomUUID()}@example.com`,
    ethereumPublicAddr: `0x${'ab'.repeat(20)}`,
    companyUser: true,
    chatServiceId: 'chat',
    roleId: 7,
    paymentConnectId: 'connect',
    payprovExternalId: 'external',
    onrampId: 'onramp',
    newsletterAgreement: true,
    approvedAt: at,
    lastAccessAt: at,
    onboardedAt: at,
    ipAddress: '192.0.2.7',
  }
  const request = await sampleRequest('GET /api/externalOrders/:order_ids')
  const [header = '', , ...lines] = views.trim().split('\n')
  const [, ...names] = header.split('|').map((cell) => cell.trim()) as [string, ...CallerName[]]

  it.each(lines.map((line) => line.split('|').map((cell) => cell.trim())))(
    'shows %s: %s, %s, %s, %s, %s',
    async (field = '', ...cells) => {
      await db.update(users).set(everything).where(eq(users.id, owner.id))
      for (const [i, caller] of names.entries()) {
        const headers = { authorization: await jwtOf(caller) }
        const response = await call(request.method, request.path, { headers })
        const { orders } = await response.json<{ orders: Record<string, unknown>[] }>()
        const order = orders[0] ?? {}
        const value = field.split('.').reduce<unknown>((at, key) => Object(at)[key], order)
        const isHidden = hiddenValues.includes(value)
        expect(isHidden ? 'hidden' : 'shown', caller).toBe(cells[i])
      }
    },
  )

  it('has a row for every field of the buyer', async () => {
    const headers = { authorization: tokenOf.master }
    const response = await call(request.method, request.path, { headers })
    const { orders } = await response.json<{ orders: { buyer: object }[] }>()
    const fields = lines.flatMap((line) => /^buyer\.(\w+)/.exec(line)?.[1] ?? [])
    expect(Object.keys(orders[0]?.buyer ?? {}).sort()).toEqual(fields.sort())
  })
})

import { describe, expect, inject, it } from 'vitest'
import { listEndpoints } from '../scripts/build/openapi/list.ts'
import app from '../src/app.ts'
import { type ErrorCode, errorStatus } from '../src/http/errors.ts'
import { BASE_URL, call } from './support/api.ts'
import { type SampleRequest, sampleWorld } from './support/endpoints.ts'
import { forged } from './support/forged.ts'
import { answerTo, callers, mayCall, permissions, publicEndpoints } from './support/permissions.ts'

const { jwtOf, tokenOf, sampleRequest } = await sampleWorld()

/** The error code of a status for which the table has no code. */
const codeOf: Record<string, ErrorCode> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
}

type Row = (typeof permissions)[number]

const isSafe = ({ method }: Row) => method === 'GET'
const sameOrigin = { origin: BASE_URL }

const invalidTokens = await Promise.all(
  Object.entries(forged).map(async ([name, forge]) => [name, await forge()] as const),
)

/** The ways to send a token: in a header, or in the cookie with what this site and other clients send. */
const carriers: Record<string, (jwt: string) => Record<string, string>> = {
  'Bearer header': (jwt) => ({ ...sameOrigin, authorization: `Bearer ${jwt}` }),
  'bare header': (jwt) => ({ ...sameOrigin, authorization: jwt }),
  'cookie, from a page of this site': (jwt) => ({
    cookie: `token=${jwt}`,
    'sec-fetch-site': 'same-origin',
    ...sameOrigin,
  }),
  'cookie, from a page of this site in an old browser': (jwt) => ({
    cookie: `token=${jwt}`,
    ...sameOrigin,
  }),
  'cookie, typed by the visitor': (jwt) => ({ cookie: `token=${jwt}`, 'sec-fetch-site': 'none' }),
  'cookie, from a client that is no browser': (jwt) => ({ cookie: `token=${jwt}` }),
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

/** Requests that have changed nothing, so they can be sent again. */
const unspent = new Map<Row, SampleRequest>()

async function send(row: Row, headers: Record<string, string>): Promise<Response> {
  const request = unspent.get(row) ?? (await sampleRequest(row.endpoint))
  const { method, path, ...content } = request
  const response = await call(method, path, {
    ...content,
    headers: { ...content.headers, ...headers },
  })
  if (isSafe(row) || response.status >= 400) unspent.set(row, request)
  else unspent.delete(row)
  return response
}

async function expectCell(row: Row, cell: string, response: Response, caller: string) {
  const code = codeOf[cell] ?? cell
  const isError = code in errorStatus
  const status = isError ? errorStatus[code as ErrorCode] : Number(cell)
  // The runtime logs a warning if `text()` reads a picture.
  const body = new TextDecoder().decode(await response.arrayBuffer())
  expect(response.status, `${caller}: ${body}`).toBe(status)
  // A page may refuse with a page of its own.
  const isPage = response.headers.get('content-type')?.startsWith('text/html')
  if (!isError || (isPage && !row.path.startsWith('/api/'))) return
  const orders = row.path.startsWith('/api/externalOrders') ? { orders: null } : {}
  expect(JSON.parse(body), caller).toMatchObject({ ...orders, error: expect.any(String), code })
}

it('has a row for every endpoint, and no other rows', () => {
  const endpoints = listEndpoints(app).map(({ method, path }) => `${method} ${path}`)
  expect(permissions.map(({ endpoint }) => endpoint).sort()).toEqual(endpoints.sort())
})

it('has no route for all methods, which would be missing in the table', () => {
  const paths = app.routes.filter(({ method }) => method === 'ALL').map(({ path }) => path)
  // Middleware.
  expect(new Set(paths)).toEqual(new Set(['/*', '/health', '/api/externalOrders/*']))
})

it('declares for each endpoint who may call it', () => {
  for (const { method, path, access } of listEndpoints(app)) {
    const row = permissions.find(({ endpoint }) => endpoint === `${method} ${path}`)
    expect(row && allowedBy(row), `${method} ${path}`).toBe(access)
  }
})

/** The declaration that a row fits. */
function allowedBy(row: Row) {
  if (mayCall('no token', row)) return 'public'
  if (mayCall('owner', row) || mayCall('seller', row))
    return answerTo('shop', row) === '403' ? 'token' : 'orders'
  if (mayCall('metrics', row)) return 'metrics'
  if (mayCall('master', row)) return 'master'
  return answerTo('session', row) === '403' ? 'administrator' : 'session'
}

/** Returns a different variant for each endpoint in turn. In `npm run test:long`, returns all for each. */
function variantsFor<T>(row: Row, variants: readonly T[], turn = 0): readonly T[] {
  if (inject('isLong')) return variants
  const next = (permissions.indexOf(row) + turn) % variants.length
  return variants.slice(next, next + 1)
}

const forgeries: { title: string; headers: Record<string, string> }[] = [
  ...invalidTokens.flatMap(([name, jwt]) =>
    Object.entries(carriers).map(([carrier, headersOf]) => ({
      title: `${name}, ${carrier}`,
      headers: headersOf(jwt),
    })),
  ),
  {
    title: 'invalid header, valid cookie',
    headers: { authorization: 'Bearer broken', cookie: `token=${tokenOf.master}`, ...sameOrigin },
  },
]

const everybody = callers.filter((caller) => caller !== 'no token')

/**
 * By who may call an endpoint: the callers of whom it may have to tell one from the other. The others
 * get the same answer by a check that all endpoints share, so they take turns.
 */
const toldApart: Record<ReturnType<typeof allowedBy>, typeof everybody> = {
  public: [],
  master: ['master'],
  session: ['session', 'admin'],
  administrator: ['session', 'admin'],
  metrics: everybody,
  token: everybody,
  orders: everybody,
}

function callersOf(row: Row) {
  const asked = toldApart[allowedBy(row)]
  const others = everybody.filter((caller) => !asked.includes(caller))
  return [...asked, ...variantsFor(row, others)]
}

/** The callers whose cookie another site would like to use. */
const victims = ['session', 'master', 'admin'] as const

describe.each(permissions.map((row) => [row.endpoint, row] as const))('%s', (_, row) => {
  const refusal = answerTo('no token', row)

  it(`returns ${refusal} without a valid token`, async () => {
    await expectCell(row, refusal, await send(row, sameOrigin), 'no token')
    for (const { title, headers } of variantsFor(row, forgeries))
      await expectCell(row, refusal, await send(row, headers), title)
  })

  it('answers each caller as its row says', async () => {
    for (const [i, caller] of callersOf(row).entries())
      for (const [carrier, headersOf] of variantsFor(row, Object.entries(carriers), i)) {
        const response = await send(row, headersOf(await jwtOf(caller)))
        await expectCell(row, answerTo(caller, row), response, `${caller}, ${carrier}`)
        // `call` checks the rest of what a response tells caches.
        const [scope] = response.headers.get('cache-control')?.split(',') ?? []
        expect(scope).toBe(publicEndpoints.includes(row.endpoint) ? 'public' : 'private')
      }
  })

  it(`${isSafe(row) ? 'accepts' : 'rejects'} the cookie in requests from other sites`, async () => {
    for (const [name, headers] of variantsFor(row, Object.entries(crossSite)))
      for (const caller of variantsFor(row, victims)) {
        const response = await send(row, { cookie: `token=${await jwtOf(caller)}`, ...headers })
        const cell = isSafe(row) ? answerTo(caller, row) : 'cross_site'
        await expectCell(row, cell, response, `${caller}, ${name}`)
      }
  })
})

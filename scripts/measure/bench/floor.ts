/**
 * The floor of the bench: one read and one write by a Worker that does only what it must. It has
 * no framework and no validation. Like the API, it verifies the signature of a JWT once in an
 * isolate. For each request it sends one batch to D1 (the token's liveness and one statement) and
 * answers JSON.
 */
import { importJWK, type JWTPayload, jwtVerify } from 'jose'

/** `COLUMNS`: those that the API reads of an address. */
type FloorEnv = { DB: D1Database; PUBLIC_URL: string; JWT_KEYS: string; COLUMNS: string }
type Address = Record<string, unknown>

const LIVE_TOKEN = `SELECT 1 FROM tokens t JOIN users u ON u.id = t.userId WHERE t.id = ?
  AND t.revokedAt IS NULL AND u.removedAt IS NULL AND (t.role = 'user' OR u.roleId = 1)`

const FIELDS = ['name', 'street', 'postal', 'city', 'country'] as const

const withBoolean = ({ isDefault, ...address }: Address = {}) => ({
  ...address,
  default: isDefault === 1,
})

const verified = new Map<string, JWTPayload>()

export default {
  async fetch(request: Request, env: FloorEnv): Promise<Response> {
    const jwt = request.headers.get('authorization')?.slice('Bearer '.length) ?? ''
    const payload = verified.get(jwt) ?? (await verify(jwt, env))
    verified.set(jwt, payload)
    const isRead = request.method === 'GET'
    const statement = isRead
      ? listAddresses(env, Number(payload.sub))
      : createAddress(env, await request.json<Address>())
    const [token, addresses] = await env.DB.batch<Address>([
      env.DB.prepare(LIVE_TOKEN).bind(payload.jti),
      statement,
    ])
    if (!token?.results.length) return Response.json({ error: 'unauthenticated' }, { status: 401 })
    const results = addresses?.results ?? []
    return isRead
      ? Response.json({ deliveryAddresses: results.map(withBoolean) })
      : Response.json({ newDeliveryAddress: withBoolean(results[0]) })
  },
}

async function verify(jwt: string, { PUBLIC_URL, JWT_KEYS }: FloorEnv): Promise<JWTPayload> {
  const { payload } = await jwtVerify(jwt, await importJWK(JSON.parse(JWT_KEYS).keys[0], 'EdDSA'), {
    algorithms: ['EdDSA'],
    issuer: PUBLIC_URL,
    audience: 'marketplace-api',
  })
  return payload
}

const listAddresses = ({ DB, COLUMNS }: FloorEnv, userId: number) =>
  DB.prepare(
    `SELECT ${COLUMNS} FROM addresses
       WHERE userId = ? AND kind = 'delivery' AND deletedAt IS NULL AND origin <> 'seller_order'
       ORDER BY id`,
  ).bind(userId)

/** Like the API, creates nothing if the user has 100 addresses. */
function createAddress({ DB, COLUMNS }: FloorEnv, { userId, ...body }: Address) {
  const now = new Date().toISOString()
  return DB.prepare(
    `INSERT INTO addresses (kind, userId, ${FIELDS}, createdAt, updatedAt)
       SELECT 'delivery', ?, ${FIELDS.map(() => '?')}, ?, ? WHERE (SELECT count(*) FROM addresses
         WHERE userId = ? AND kind = 'delivery' AND deletedAt IS NULL AND origin = 'request') < 100 RETURNING ${COLUMNS}`,
  ).bind(userId, ...FIELDS.map((field) => body[field] ?? null), now, now, userId)
}

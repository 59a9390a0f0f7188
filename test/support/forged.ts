/**
 * Invalid tokens. Each differs from a live master token in one way, which its name describes, so
 * this must be the reason that it is rejected.
 */
import { eq } from 'drizzle-orm'
import { base64url, importJWK, type JWTPayload, SignJWT } from 'jose'
import { generateSigningKey } from '../../scripts/operate/keys/generate.ts'
import { API_TOKEN_LIFETIME, newToken, signToken, type TokenRecord } from '../../src/auth/tokens.ts'
import { tokens, users } from '../../src/db/schema/users.ts'
import type { SigningKey } from '../../src/env.ts'
import { anAdministrator, aToken, aUser, db, issuer } from './makers.ts'

const HOUR = 60 * 60

async function aRecord(user?: { id: number }): Promise<TokenRecord> {
  const { id: userId } = user ?? (await anAdministrator())
  const record = newToken(issuer, { userId, role: 'master' }, API_TOKEN_LIFETIME, new Date())
  await db.insert(tokens).values({ ...record, kind: 'api', name: 'test', namespace: 'master:test' })
  return record
}

function claimsOf(record: TokenRecord): JWTPayload {
  return {
    iss: issuer.url,
    aud: 'marketplace-api',
    sub: String(record.userId),
    role: record.role,
    jti: record.id,
    iat: Date.parse(record.createdAt) / 1000,
    exp: Date.parse(record.expiresAt) / 1000,
  }
}

function liveKey(): SigningKey {
  const [key] = issuer.keys
  if (!key) throw new Error('there is no signing key')
  return key
}

async function sign(claims: JWTPayload, key = liveKey(), kid: string | undefined = key.kid) {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'EdDSA', ...(kid && { kid }) })
    .sign(await importJWK(key, 'EdDSA'))
}

/** Signs changed claims with the live key. */
const withClaims = async (claims: JWTPayload) => sign({ ...claimsOf(await aRecord()), ...claims })

const now = () => Math.floor(Date.now() / 1000)

/** By what is wrong with the token. */
export const forged: Record<string, () => Promise<string>> = {
  'a malformed token': async () => 'not.a.token',
  'alg none without a signature': async () => {
    const header = base64url.encode(JSON.stringify({ alg: 'none', kid: liveKey().kid }))
    const claims = base64url.encode(JSON.stringify(claimsOf(await aRecord())))
    return `${header}.${claims}.`
  },
  'a token without its signature': async () => {
    const jwt = await sign(claimsOf(await aRecord()))
    return jwt.slice(0, jwt.lastIndexOf('.') + 1)
  },
  'a token whose claims were changed': async () => {
    const user = await aUser()
    const [header, , signature] = (await aToken(user)).split('.')
    const claims = claimsOf(await aRecord())
    return [header, base64url.encode(JSON.stringify(claims)), signature].join('.')
  },
  'HS256 signed with the public key': async () =>
    new SignJWT(claimsOf(await aRecord()))
      .setProtectedHeader({ alg: 'HS256', kid: liveKey().kid })
      .sign(base64url.decode(liveKey().x)),
  'another key with the live key id': async () =>
    sign(claimsOf(await aRecord()), await generateSigningKey(), liveKey().kid),
  'an unknown key id': async () => sign(claimsOf(await aRecord()), await generateSigningKey()),
  'the live key with an unknown key id': async () =>
    sign(claimsOf(await aRecord()), liveKey(), crypto.randomUUID()),
  'no key id': async () => sign(claimsOf(await aRecord()), liveKey(), ''),
  'an expired token': () => withClaims({ iat: now() - 2 * HOUR, exp: now() - HOUR }),
  'a token that expires this second': () => withClaims({ iat: now() - HOUR, exp: now() }),
  'a token without an expiry': async () => {
    const { exp: _, ...claims } = claimsOf(await aRecord())
    return sign(claims)
  },
  'a token that is issued in the future': () => withClaims({ iat: now() + HOUR }),
  'a token that is not valid yet': () => withClaims({ nbf: now() + HOUR }),
  'another issuer': () => withClaims({ iss: 'https://elsewhere.test' }),
  'another audience': () => withClaims({ aud: 'elsewhere' }),
  'an unknown role': () => withClaims({ role: 'root' }),
  'a token that was never issued': () => withClaims({ jti: crypto.randomUUID() }),
  'a revoked token': async () => {
    const record = await aRecord()
    await db
      .update(tokens)
      .set({ revokedAt: new Date().toISOString() })
      .where(eq(tokens.id, record.id))
    return signToken(issuer, record)
  },
  'a token that was rolled more than 24 hours ago': async () => {
    const record = await aRecord()
    const rolledAt = new Date(Date.now() - 24 * HOUR * 1000 - 10_000).toISOString()
    await db.update(tokens).set({ rolledAt }).where(eq(tokens.id, record.id))
    return signToken(issuer, record)
  },
  'a token that claims a later expiry than it has': async () => {
    const record = await aRecord()
    const expiresAt = new Date(Date.now() - 1000).toISOString()
    await db.update(tokens).set({ expiresAt }).where(eq(tokens.id, record.id))
    return signToken(issuer, record)
  },
  'a user token that claims to be a master token': async () => {
    const record = await aRecord()
    await db.update(tokens).set({ role: 'user' }).where(eq(tokens.id, record.id))
    return signToken(issuer, record)
  },
  'a token that claims another user': async () =>
    withClaims({ sub: String((await anAdministrator()).id) }),
  'a read-only token that claims to write': async () => {
    const record = await aRecord()
    await db.update(tokens).set({ scope: 'read' }).where(eq(tokens.id, record.id))
    return signToken(issuer, record)
  },
  'an unknown scope': () => withClaims({ scope: 'everything' }),
  'the token of a removed user': async () => {
    const administrator = await anAdministrator()
    const record = await aRecord(administrator)
    await db
      .update(users)
      .set({ removedAt: new Date().toISOString() })
      .where(eq(users.id, administrator.id))
    return signToken(issuer, record)
  },
  'the master token of a former administrator': async () => {
    const administrator = await anAdministrator()
    const record = await aRecord(administrator)
    await db.update(users).set({ roleId: null }).where(eq(users.id, administrator.id))
    return signToken(issuer, record)
  },
}

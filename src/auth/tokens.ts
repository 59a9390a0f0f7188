/**
 * API tokens and sessions are JWTs signed with Ed25519 (RFC 8037). See docs/decisions.md, "Tokens".
 */
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type FlattenedJWSInput,
  type JWSHeaderParameters,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
  SignJWT,
} from 'jose'
import * as z from 'zod'
import { tokenScopes, type tokens } from '../db/schema/users.ts'
import type { Settings, SigningKey } from '../env.ts'
import type { Caller } from '../http/context.ts'
import { model } from '../http/fields.ts'
import { DAY } from '../time.ts'

const ALGORITHM = 'EdDSA'
const AUDIENCE = 'marketplace-api'
/** The audience of links in mails, which are no tokens of the API. */
const MAIL_AUDIENCE = 'marketplace-mails'
/** The audience of URLs of files. */
const FILE_AUDIENCE = 'marketplace-files'

/** Seconds by which `iat` may be in the future, because clocks differ. */
const CLOCK_SKEW = 5

/** Milliseconds, unless its user chooses less. */
export const API_TOKEN_LIFETIME = 365 * DAY

/** The claims of a token as the table `tokens` stores them. They suffice to sign it again. */
export type TokenRecord = Pick<
  typeof tokens.$inferSelect,
  'id' | 'userId' | 'role' | 'scope' | 'keyId' | 'createdAt' | 'expiresAt'
>

/** `url` is the claim `iss`. The first key signs, and every key verifies. */
export type Issuer = { url: string; keys: readonly SigningKey[] }

export const tokenIssuer = ({ PUBLIC_URL, JWT_KEYS }: Settings): Issuer => ({
  url: PUBLIC_URL,
  keys: JWT_KEYS.keys,
})

/**
 * Returns the record of a new token. Its times are whole seconds, as in a JWT. `owner` has no
 * `userId` if the user is created in the same transaction as the token. The scope is `write`,
 * unless `owner` has another one.
 */
export function newToken<Owner extends Pick<TokenRecord, 'role'> & Partial<TokenRecord>>(
  issuer: Issuer,
  owner: Owner,
  lifetime: number,
  now: Date,
) {
  const createdAt = Math.floor(now.getTime() / 1000) * 1000
  return {
    id: crypto.randomUUID(),
    scope: 'write' as Caller['scope'],
    ...owner,
    keyId: currentKey(issuer).kid,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(createdAt + lifetime).toISOString(),
  }
}

/**
 * Returns the JWT of a record. Ed25519 is deterministic, so the same record and key give the same
 * JWT. If the key of the record was removed, the current key signs.
 */
export function signToken(issuer: Issuer, token: TokenRecord): Promise<string> {
  const key = issuer.keys.find(({ kid }) => kid === token.keyId) ?? currentKey(issuer)
  const { role, scope } = token
  return unsigned(issuer, AUDIENCE, key, { role, ...(scope !== 'write' && { scope }) })
    .setSubject(String(token.userId))
    .setJti(token.id)
    .setIssuedAt(new Date(token.createdAt))
    .setExpirationTime(new Date(token.expiresAt))
    .sign(key)
}

const unsigned = ({ url }: Issuer, audience: string, { kid }: SigningKey, claims?: JWTPayload) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: ALGORITHM, kid })
    .setIssuer(url)
    .setAudience(audience)

const verify = (issuer: Issuer, jwt: string, options: JWTVerifyOptions & { audience: string }) =>
  jwtVerify(jwt, (header, jws) => findKey(issuer, header, jws), {
    algorithms: [ALGORITHM],
    issuer: issuer.url,
    ...options,
  })

/** Entries kept before the cache is cleared. */
const MAX_CACHED = 1000

/**
 * Cache of verified tokens, by JWT. Verifying a signature takes longer than the rest of a request.
 * A cached token may have been revoked: each request checks that in D1.
 */
const verifiedTokens = new Map<string, { issuer: Issuer; caller: Caller; expiresAt: number }>()

/** Returns the caller of a JWT, or null if it is malformed, foreign, expired or from the future. */
export async function verifyToken(issuer: Issuer, jwt: string, now: Date): Promise<Caller | null> {
  const cached = verifiedTokens.get(jwt)
  if (cached?.issuer.url === issuer.url && cached.issuer.keys === issuer.keys)
    return now.getTime() < cached.expiresAt ? cached.caller : null
  try {
    const { payload } = await verify(issuer, jwt, {
      audience: AUDIENCE,
      requiredClaims: ['sub', 'jti', 'iat', 'exp', 'role'],
      currentDate: now,
    })
    // Only a token that may do less than `write` names its scope.
    const { sub, jti, iat, exp, role } = payload
    const scope = tokenScopes.find((name) => name === (payload.scope ?? 'write'))
    const userId = Number(sub)
    if (!jti || !exp || !iat || iat > now.getTime() / 1000 + CLOCK_SKEW) return null
    if (!Number.isSafeInteger(userId) || (role !== 'user' && role !== 'master')) return null
    if (!scope) return null
    const caller: Caller = { tokenId: jti, userId, role, scope }
    if (verifiedTokens.size >= MAX_CACHED) verifiedTokens.clear()
    verifiedTokens.set(jwt, { issuer, caller, expiresAt: exp * 1000 })
    return caller
  } catch {
    return null
  }
}

/** Returns the JWT of the link that ends mails about orders to an address. It does not expire. */
export function signOptOut(issuer: Issuer, addressHash: string): Promise<string> {
  const key = currentKey(issuer)
  return unsigned(issuer, MAIL_AUDIENCE, key).setSubject(addressHash).sign(key)
}

/** Returns the hash in a JWT of `signOptOut`, or null if it is not one. */
export const verifyOptOut = (issuer: Issuer, jwt: string): Promise<string | null> =>
  verify(issuer, jwt, { audience: MAIL_AUDIENCE }).then(
    ({ payload }) => payload.sub ?? null,
    () => null,
  )

/** A file that may be loaded: its key, the order item that releases it or null, and for whom it is counted. */
type Download = { key: string; item: number | null; user: number }

/** Returns the JWT of a URL with which a file can be loaded until a time. */
export function signDownload(
  issuer: Issuer,
  { key, item, user }: Download,
  expiresAt: Date,
): Promise<string> {
  const signingKey = currentKey(issuer)
  return unsigned(issuer, FILE_AUDIENCE, signingKey, { item, user })
    .setSubject(key)
    .setExpirationTime(expiresAt)
    .sign(signingKey)
}

/** Returns what a JWT of `signDownload` is for, or null if it is not one, or has expired. */
export const verifyDownload = (issuer: Issuer, jwt: string, now: Date): Promise<Download | null> =>
  verify(issuer, jwt, {
    audience: FILE_AUDIENCE,
    requiredClaims: ['sub', 'exp'],
    currentDate: now,
  }).then(
    ({ payload: { sub = '', item, user } }) => ({
      key: sub,
      item: item === null ? null : Number(item),
      user: Number(user),
    }),
    () => null,
  )

/** Returns why `verifyToken` does not accept a JWT. Nothing of its content is verified. */
export function explainInvalidToken(issuer: Issuer, jwt: string, now: Date): string {
  try {
    const { kid } = decodeProtectedHeader(jwt)
    const { iss, exp } = decodeJwt(jwt)
    if (iss !== issuer.url) return 'the token was issued by another instance'
    if (!issuer.keys.some((key) => key.kid === kid))
      return 'the token was signed with an unknown key'
    if (exp !== undefined && exp * 1000 <= now.getTime()) return 'the token has expired'
    return 'the token has no valid signature or claims'
  } catch {
    return 'the token is malformed'
  }
}

const Jwk = model('Jwk', 'A public key (RFC 7517).', () => ({
  kty: z.literal('OKP').describe('Key type.'),
  crv: z.literal('Ed25519').describe('Curve.'),
  kid: z.string().describe('Key id, as in the header of what it has signed.'),
  x: z.string().describe('The public key, base64url.'),
  alg: z.literal('EdDSA').describe('Signature algorithm.'),
  use: z.literal('sig').describe('The key verifies signatures.'),
}))

export const JwkSet = model('JwkSet', 'The public keys.', () => ({
  keys: z.array(Jwk).describe('The first one signs.'),
}))

/** Returns the JWK set with the public keys, which verify tokens (RFC 7517). */
export const publicKeys = ({ keys }: Pick<Issuer, 'keys'>): z.infer<typeof JwkSet> => ({
  keys: keys.map(({ kty, crv, kid, x }) => ({ kty, crv, kid, x, alg: 'EdDSA', use: 'sig' })),
})

const keySets = new WeakMap<Issuer['keys'], ReturnType<typeof createLocalJWKSet>>()

/** Returns the key of a token. The key set is cached, because importing a key is slow. */
function findKey({ keys }: Issuer, header: JWSHeaderParameters, jws: FlattenedJWSInput) {
  // With one key, jose would accept a token that names none.
  if (!header.kid) throw new Error('the token has no key id')
  const keySet = keySets.get(keys) ?? createLocalJWKSet(publicKeys({ keys }))
  keySets.set(keys, keySet)
  return keySet(header, jws)
}

function currentKey({ keys }: Issuer): SigningKey {
  const [first] = keys
  if (!first) throw new Error('there is no signing key')
  return first
}

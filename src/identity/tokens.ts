/** Tokens: JWTs signed with Ed25519 (RFC 8037). Decisions: "Tokens". The only room that knows jose. */
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  jwtVerify,
  SignJWT,
} from 'jose'
import type { Settings, SigningKey } from '../env.ts'
import type { Caller } from '../http/context.ts'

const ALGORITHM = 'EdDSA'
const AUDIENCE = 'marketplace-api'
/** How far another clock may be ahead of ours, in seconds. */
const CLOCK_SKEW = 5

/** Lives of tokens, in milliseconds. */
export const API_TOKEN_LIFE = 365 * 24 * 60 * 60 * 1000
export const SESSION_LIFE = 24 * 60 * 60 * 1000

/** What `tokens` stores of a token, and all that is needed to sign it again. */
export type TokenRecord = {
  id: string
  userId: number
  role: Caller['role']
  keyId: string
  createdAt: string
  expiresAt: string
}

export type Issuer = { url: string; keys: readonly SigningKey[] }

/** The issuer that a deployment's settings make. */
export const issuerOf = ({ PUBLIC_URL, JWT_KEYS }: Settings): Issuer => ({
  url: PUBLIC_URL,
  keys: JWT_KEYS.keys,
})

/**
 * A fresh record, signed by the key that signs now. Its times are whole seconds, as claims are.
 * The owner may lack the `userId` that only the database will tell.
 */
export function newToken<Owner extends Pick<TokenRecord, 'role'>>(
  issuer: Issuer,
  owner: Owner,
  life: number,
  now: Date,
) {
  const createdAt = Math.floor(now.getTime() / 1000) * 1000
  return {
    id: crypto.randomUUID(),
    ...owner,
    keyId: signer(issuer).kid,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(createdAt + life).toISOString(),
  }
}

/** The JWT of a record. Ed25519 is deterministic: the same record gives the same text. */
export async function signToken(issuer: Issuer, token: TokenRecord): Promise<string> {
  const key = issuer.keys.find(({ kid }) => kid === token.keyId) ?? signer(issuer)
  return new SignJWT({ role: token.role })
    .setProtectedHeader({ alg: ALGORITHM, kid: key.kid })
    .setIssuer(issuer.url)
    .setAudience(AUDIENCE)
    .setSubject(String(token.userId))
    .setJti(token.id)
    .setIssuedAt(new Date(token.createdAt))
    .setExpirationTime(new Date(token.expiresAt))
    .sign(await imported(key))
}

/** A JWT that was found right, and when that ends. */
type Verified = { issuer: Issuer; caller: Caller; expiresAt: number }

/** This isolate forgets whom it knows when it knows this many. */
const REMEMBERED = 1000

/**
 * By the text of the JWT. To check a signature takes longer than all else that the Worker does for
 * a request, and the same bytes stay right until they expire; liveness is asked of D1 each time.
 */
const verified = new Map<string, Verified>()

/** Who a JWT speaks for, or null when it is broken, foreign, expired or from the future. */
export async function verifyToken(issuer: Issuer, jwt: string, now: Date): Promise<Caller | null> {
  const known = verified.get(jwt)
  if (known?.issuer.url === issuer.url && known.issuer.keys === issuer.keys)
    return now.getTime() < known.expiresAt ? known.caller : null
  try {
    const { payload } = await jwtVerify(
      jwt,
      ({ kid }) => {
        const key = issuer.keys.find((candidate) => candidate.kid === kid)
        if (!key) throw new Error('unknown key')
        return imported(publicPart(key))
      },
      {
        algorithms: [ALGORITHM],
        issuer: issuer.url,
        audience: AUDIENCE,
        requiredClaims: ['sub', 'jti', 'iat', 'exp', 'role'],
        currentDate: now,
      },
    )
    const { sub, jti, iat, exp, role } = payload
    const userId = Number(sub)
    if (!jti || !exp || !iat || iat > now.getTime() / 1000 + CLOCK_SKEW) return null
    if (!Number.isSafeInteger(userId) || (role !== 'user' && role !== 'master')) return null
    const caller: Caller = { tokenId: jti, userId, role }
    if (verified.size >= REMEMBERED) verified.clear()
    verified.set(jwt, { issuer, caller, expiresAt: exp * 1000 })
    return caller
  } catch {
    return null
  }
}

/** What `/.well-known/jwks.json` publishes (RFC 7517). */
export const publicKeys = (issuer: Issuer): JSONWebKeySet => ({
  keys: issuer.keys.map((key) => ({ ...publicPart(key), alg: ALGORITHM, use: 'sig' })),
})

/** A new private key for JWT_KEYS. */
export async function generateSigningKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true })
  const { x, d } = await exportJWK(privateKey)
  if (!x || !d) throw new Error('the key has no private part')
  return { kty: 'OKP', crv: 'Ed25519', kid: crypto.randomUUID(), x, d }
}

type PublicKey = Omit<SigningKey, 'd'>

const publicPart = ({ kty, crv, kid, x }: SigningKey): PublicKey => ({ kty, crv, kid, x })

function signer({ keys }: Issuer): SigningKey {
  const [first] = keys
  if (!first) throw new Error('there is no signing key')
  return first
}

const importedKeys = new Map<string, Promise<CryptoKey>>()

/** Importing a key costs more than using it, so each is imported once. */
function imported(key: PublicKey | SigningKey): Promise<CryptoKey> {
  const id = JSON.stringify(key)
  let known = importedKeys.get(id)
  if (!known) {
    known = importJWK(key, ALGORITHM).then((result) => {
      if (result instanceof Uint8Array) throw new Error('not an asymmetric key')
      return result
    })
    importedKeys.set(id, known)
  }
  return known
}

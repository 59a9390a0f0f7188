/** The token with which a signed-in person tries the API in its reference. */
import { sql } from 'drizzle-orm'
import { writeAs } from '../auth/access.ts'
import { requireRecentSignIn } from '../auth/session.ts'
import { newToken, signToken, tokenIssuer } from '../auth/tokens.ts'
import { tokens } from '../db/schema/users.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { HOUR } from '../time.ts'
import { REFERENCE_NAME, tokenNamespace } from './namespace.ts'

type IssuerCtx = Ctx & { settings: Settings }

/** Milliseconds. */
const LIFETIME = HOUR

/**
 * Returns a JWT of the caller for one hour, and when it expires, as ISO 8601. A user has one row
 * for it, which each call renews; JWTs that were signed before still work until they expire.
 */
export async function renewReferenceToken({ db, caller, now, settings }: IssuerCtx) {
  const issuer = tokenIssuer(settings)
  const { userId } = caller
  const { id, ...claims } = newToken(issuer, { userId, role: 'user' }, LIFETIME, now)
  const { keyId, createdAt, expiresAt } = claims
  const present = sql`(SELECT id FROM tokens WHERE userId = ${userId} AND kind = 'api'
    AND name = ${REFERENCE_NAME} AND revokedAt IS NULL AND rolledAt IS NULL)`
  const token = { ...claims, kind: 'api', name: REFERENCE_NAME } as const
  const values = {
    ...token,
    id: sql`COALESCE(${present}, ${id})`,
    namespace: tokenNamespace(token),
  }
  const [[stored]] = await writeAs(
    db,
    caller,
    [requireRecentSignIn(db, caller, now)],
    [
      db
        .insert(tokens)
        .values(values)
        .onConflictDoUpdate({ target: tokens.id, set: { keyId, createdAt, expiresAt } })
        .returning({ id: tokens.id }),
    ],
  )
  if (!stored) throw new Error('the INSERT returned no row')
  return { token: await signToken(issuer, { ...claims, id: stored.id }), expiresAt }
}

/** Signing in: a proof is used up, and its user, who may be new, gets a session. */
import { and, eq, exists, isNotNull, lte, type SQL, sql } from 'drizzle-orm'
import type { Database, Statement } from '../db/client.ts'
import { guarded, type Refusal } from '../db/guard.ts'
import { tokens, users } from '../db/schema.ts'
import { ApiError } from '../http/errors.ts'
import { type Issuer, newToken, SESSION_LIFE, type TokenRecord } from './tokens.ts'

/** What was proven, and the row whose deletion makes the proof single-use. */
export type Proof = {
  method: 'wallet' | 'email'
  /** The wallet's address (EIP-55) or the e-mail address (lower case). */
  value: SQL
  unlessLive: Refusal
  consume: Statement
}

const columnOf = { wallet: users.ethereumPublicAddr, email: users.email }
const fieldOf = { wallet: 'ethereumPublicAddr', email: 'email' } as const

/**
 * Consumes the proof and opens a session, in one transaction; a wallet or an address that is new
 * makes a new user. Throws what the proof's refusal says, and `forbidden` for a closed account.
 */
export async function signIn(
  db: Database,
  issuer: Issuer,
  { method, value, unlessLive, consume }: Proof,
  ipAddress: string,
  now: Date,
): Promise<TokenRecord> {
  const at = now.toISOString()
  const column = columnOf[method]
  const account = db.select({ id: users.id }).from(users).where(eq(column, value))
  const closed = db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(column, value), isNotNull(users.removedAt)))
  const session = newToken(issuer, { role: 'user' }, SESSION_LIFE, now)

  const [[user]] = await guarded(
    db,
    [
      unlessLive,
      {
        when: exists(closed),
        because: () => new ApiError('forbidden', 'this account is closed'),
      },
    ],
    [
      db
        .insert(users)
        .values({
          provider: method,
          [fieldOf[method]]: value,
          ipAddress,
          approvedAt: at,
          lastAccessAt: at,
          createdAt: at,
          updatedAt: at,
        })
        .onConflictDoUpdate({
          target: column,
          targetWhere: sql`${column} <> ''`,
          set: { lastAccessAt: at, ipAddress },
        })
        .returning({ id: users.id }),
      db.insert(tokens).values({
        ...session,
        userId: sql`${account}`,
        kind: 'session',
        name: 'Browser session',
      }),
      // Sessions would pile up otherwise: nobody looks at one that is over.
      db
        .delete(tokens)
        .where(
          and(
            eq(tokens.userId, sql`${account}`),
            eq(tokens.kind, 'session'),
            lte(tokens.expiresAt, at),
          ),
        ),
      consume,
    ],
  )
  if (!user) throw new Error('signing in made no user')
  return { ...session, userId: user.id }
}

/** Exchanges a proof of a wallet or an e-mail address for a session. */
import { and, eq, exists, isNotNull, lte, type SQL, sql } from 'drizzle-orm'
import { type Issuer, newToken, SESSION_LIFETIME, type TokenRecord } from '../auth/tokens.ts'
import type { Database, Statement } from '../db/client.ts'
import { type Guard, guardedBatch } from '../db/guard.ts'
import { tokens, users } from '../db/schema.ts'
import { ApiError } from '../http/errors.ts'
import { namespaceOf, SESSION_NAME } from './namespace.ts'

/** A single-use proof that somebody owns a wallet or an e-mail address. */
export type Proof = {
  method: 'wallet' | 'email'
  /** The wallet's address (EIP-55) or the e-mail address (lower case). */
  value: SQL
  /** The result of `hashIdentity` for this method and value. */
  identityHash: SQL
  /** Rejects a proof that was used before or has expired. */
  guard: Guard
  /** Deletes the stored nonce or link, so that the proof cannot be used again. */
  consume: Statement
}

const columnOf = { wallet: users.ethereumPublicAddr, email: users.email }
const fieldOf = { wallet: 'ethereumPublicAddr', email: 'email' } as const

/**
 * Consumes the proof and creates a session, in one transaction. A new wallet or e-mail address
 * creates a user. Throws `forbidden` if the account is closed, or the error of the proof's guard.
 */
export async function signIn(
  db: Database,
  issuer: Issuer,
  { method, value, identityHash, guard, consume }: Proof,
  ipAddress: string,
  now: Date,
): Promise<TokenRecord> {
  const nowText = now.toISOString()
  const column = columnOf[method]
  const userId = sql`${db.select({ id: users.id }).from(users).where(eq(column, value))}`
  const closedAccount = db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(column, value), isNotNull(users.removedAt)))
  const role = 'user'
  const session = newToken(issuer, { role }, SESSION_LIFETIME, now)

  const [[user]] = await guardedBatch(
    db,
    [
      guard,
      {
        when: exists(closedAccount),
        error: () => new ApiError('forbidden', 'this account is closed'),
      },
    ],
    [
      db
        .insert(users)
        .values({
          provider: method,
          [fieldOf[method]]: value,
          identityHash,
          ipAddress,
          approvedAt: nowText,
          lastAccessAt: nowText,
          createdAt: nowText,
          updatedAt: nowText,
        })
        .onConflictDoUpdate({
          target: column,
          targetWhere: sql`${column} <> ''`,
          set: { lastAccessAt: nowText, ipAddress },
        })
        .returning({ id: users.id }),
      db.insert(tokens).values({
        ...session,
        userId,
        kind: 'session',
        name: SESSION_NAME,
        namespace: namespaceOf({ role, userId, name: SESSION_NAME }),
      }),
      // Deletes the expired sessions of the user, which are never read again.
      db
        .delete(tokens)
        .where(
          and(
            eq(tokens.userId, userId),
            eq(tokens.kind, 'session'),
            lte(tokens.expiresAt, nowText),
          ),
        ),
      consume,
    ],
  )
  if (!user) throw new Error('the sign-in returned no user')
  return { ...session, userId: user.id }
}

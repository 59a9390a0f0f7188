/** Exchanges a proof of a wallet or an e-mail address for a session. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
// Not `node:crypto`: importing it adds 4 ms to the start of the Worker.
import { bytesToHex, sha256, stringToBytes } from 'viem/utils'
import { endSession } from '../auth/session.ts'
import { tokenNamespace } from '../auth/sources.ts'
import { newToken, type TokenRecord, tokenIssuer } from '../auth/tokens.ts'
import { type Guard, guarded } from '../db/batch.ts'
import { takeQuotas } from '../db/quota.ts'
import { tokens, users } from '../db/schema/users.ts'
import type { Statement } from '../db/statements.ts'
import type { Settings } from '../env.ts'
import type { Caller, Ctx } from '../http/context.ts'
import { guard, quotaOf } from '../http/guard.ts'
import { peopleLimits } from '../limits.ts'
import { promoteGuest, takeOverGuests } from './guests.ts'
import { SESSION_NAME, unusedHash } from './namespace.ts'

/** A single-use proof that somebody owns a wallet or an e-mail address. */
export type Proof = {
  method: 'wallet' | 'email'
  /** The wallet's address (EIP-55) or the e-mail address (lower case). */
  value: SQL
  /** The chain of a contract wallet; 0 for a wallet with a key and for an e-mail address. */
  walletChainId: number
  /** Whether the factory of a contract wallet has proved it, because it is not deployed yet. */
  walletProvedByFactory: boolean
  /** The result of `hashIdentity` for this method and value. */
  identityHash: SQL
  /** Rejects a proof that was used before or has expired. */
  guard: Guard
  /** Deletes the stored nonce or link, so that the proof cannot be used again. */
  consume: Statement
}

export type Client = {
  ipAddress: string
  /** Such as `Firefox (Windows)`; null if it is not known. */
  browser: string | null
  /** ISO 3166-1 alpha-2; null if it is not known. */
  country: string | null
  /** The language of the browser (BCP 47), if there are texts in it. */
  locale: string | undefined
  /** The caller of the request: the session that this browser has had until now. */
  previous: Caller | null
}

/** The columns of a unique index. */
const uniqueColumns = {
  wallet: [users.ethereumPublicAddr, users.walletChainId],
  email: [users.email],
}
const identityFields = { wallet: 'ethereumPublicAddr', email: 'email' } as const

/**
 * Consumes the proof, creates a session, and ends the previous one of the browser, in one
 * transaction. A new wallet or e-mail address creates a user.
 */
export async function signIn(
  { db, now, settings }: Omit<Ctx, 'caller'> & { settings: Settings },
  { proof, client }: { proof: Proof; client: Client },
): Promise<TokenRecord> {
  const { method, value, walletChainId, walletProvedByFactory } = proof
  const { ipAddress, locale, previous } = client
  const nowText = now.toISOString()
  const column = users[identityFields[method]]
  // Without it, SQLite does not use the partial index of the column.
  const isSet = sql`${column} <> ''`
  const isOwner = and(
    isSet,
    eq(column, value),
    method === 'wallet' ? eq(users.walletChainId, walletChainId) : undefined,
  )
  const userId = sql`${db.select({ id: users.id }).from(users).where(isOwner)}`
  const quota = takeQuotas(db, now, [quotaOf(peopleLimits.signIns, userId)])
  // A contract has the account of its guest already, and an e-mail address that of its own.
  const isKey = method === 'wallet' && walletChainId === 0
  const session = newSession({ db, now, settings }, userId, client)

  const { users: created } = await guarded(
    db,
    [
      proof.guard,
      guard('account_closed', 'this account is closed')`
        EXISTS (SELECT 1 FROM ${users} WHERE ${isOwner} AND removedAt IS NOT NULL)`,
      ...quota.guards,
    ],
    {
      promoted: isKey ? promoteGuest(db, proof) : undefined,
      users: db
        .insert(users)
        .values({
          provider: method,
          [identityFields[method]]: value,
          walletChainId,
          walletProvedByFactory,
          identityHash: unusedHash(proof.identityHash),
          ipAddress,
          locale,
          lastAccessAt: nowText,
          createdAt: nowText,
          updatedAt: nowText,
        })
        .onConflictDoUpdate({
          target: uniqueColumns[method],
          targetWhere: isSet,
          set: {
            lastAccessAt: nowText,
            ipAddress,
            locale,
            ...(method === 'wallet' && { walletProvedByFactory }),
          },
        })
        .returning({ id: users.id }),
      guests: isKey ? takeOverGuests(db, proof, userId, now) : undefined,
      session: session.insert,
      previous: previous ? endSession(db, previous, now) : undefined,
      uses: quota.uses,
      consumed: proof.consume,
    },
  )
  const [user] = created
  if (!user) throw new Error('the sign-in returned no user')
  return { ...session.record, userId: user.id }
}

/** Returns a new session of a user, and the statement that stores it. */
export function newSession(
  { db, now, settings }: Omit<Ctx, 'caller'> & { settings: Settings },
  userId: SQL,
  { browser, country }: Pick<Client, 'browser' | 'country'>,
) {
  const role = 'user'
  const record = newToken(tokenIssuer(settings), { role }, peopleLimits.session.max, now)
  const namespace = tokenNamespace({ role, userId, name: SESSION_NAME })
  const row = { ...record, userId, kind: 'session', name: SESSION_NAME, namespace } as const
  return { record, insert: db.insert(tokens).values({ ...row, browser, country }) }
}

/** Returns 256 random bits, 64 hexadecimal digits. A browser or mailbox gets them; a hash is stored. */
export const newSecret = (): string =>
  bytesToHex(crypto.getRandomValues(new Uint8Array(32))).slice(2)

/** Returns the SHA-256 hash of a secret as 64 hexadecimal digits. */
export const hashSecret = (secret: string): string => sha256(stringToBytes(secret)).slice(2)

/** Adds a second sign-in method to the account of a signed-in user. */
import { and, eq, exists, ne } from 'drizzle-orm'
import { writeAs } from '../auth/access.ts'
import { readAsUser, requireSession } from '../auth/session.ts'
import { type Database, violates } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import { users } from '../db/schema.ts'
import { queueAwaiting } from '../delivery/wallet-linked.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { linkExpired, newEmailLink, proveEmail, selectLink } from './email-link.ts'
import type { WalletProof } from './wallet.ts'

/**
 * Links a wallet and queues the items that waited for one. Returns their chains, for `wake`.
 * Throws `unauthenticated`, `forbidden`, `conflict`.
 */
export async function linkWallet(
  db: Database,
  caller: Caller,
  { address, guard, consume }: WalletProof,
  now: Date,
): Promise<number[]> {
  const update = db
    .update(users)
    .set({ ethereumPublicAddr: address, updatedAt: now.toISOString() })
    .where(eq(users.id, caller.userId))
  const [, , , queued] = await writeAs(
    db,
    caller,
    [requireSession(caller), guard, requireUnset(db, caller, 'ethereumPublicAddr')],
    [update, consume, ...queueAwaiting(db, caller.userId, address, now)],
  ).catch(conflictOn('users.ethereumPublicAddr', 'this wallet belongs to another account'))
  return queued.flatMap(({ chainId }) => chainId ?? [])
}

/**
 * Creates a link that adds an e-mail address to the account, and returns its secret, or null if
 * the address has too many live links. Throws `unauthenticated`, `forbidden`, `conflict`.
 */
export async function createConfirmationLink(
  db: Database,
  caller: Caller,
  email: string,
  now: Date,
): Promise<string | null> {
  const link = { email, userId: caller.userId, redirect: null }
  const { secret, insert } = newEmailLink(db, link, now)
  const [stored] = await writeAs(
    db,
    caller,
    [requireSession(caller), requireUnset(db, caller, 'email')],
    [insert],
  )
  return stored.length > 0 ? secret : null
}

/**
 * Returns the account, and the address that the link adds to it. Throws `unauthenticated`,
 * `forbidden`, `link_expired`.
 */
export async function readConfirmationLink(
  db: Database,
  caller: Caller,
  secret: string,
  now: Date,
) {
  const [account, [link]] = await readAsUser(db, caller, [
    selectLink(db, secret, caller.userId, now),
  ])
  if (!link) throw linkExpired()
  return { account, email: link.email }
}

/** Throws `unauthenticated`, `forbidden`, `conflict`, `link_expired`. */
export async function linkEmail(
  db: Database,
  caller: Caller,
  secret: string,
  now: Date,
): Promise<void> {
  const { guard, value, consume } = proveEmail(db, secret, caller.userId, now)
  const update = db
    .update(users)
    .set({ email: value, updatedAt: now.toISOString() })
    .where(eq(users.id, caller.userId))
  await writeAs(
    db,
    caller,
    [requireSession(caller), guard, requireUnset(db, caller, 'email')],
    [update, consume],
  ).catch(conflictOn('users.email', 'this e-mail address belongs to another account'))
}

const methodNames = { email: 'an e-mail address', ethereumPublicAddr: 'a wallet' }

/**
 * Rejects an account that already has this sign-in method. A method is never replaced, because
 * NFTs and mails are still sent to the old wallet or address.
 */
const requireUnset = (db: Database, caller: Caller, column: keyof typeof methodNames): Guard => ({
  when: exists(
    db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, caller.userId), ne(users[column], ''))),
  ),
  error: () => new ApiError('conflict', `your account already has ${methodNames[column]}`),
})

const conflictOn = (constraint: string, message: string) => (error: unknown) => {
  throw violates(error, constraint) ? new ApiError('conflict', message) : error
}

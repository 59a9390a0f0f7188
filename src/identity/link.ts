/** A signed-in user proves the other method as well. */
import { and, eq, exists, ne } from 'drizzle-orm'
import { type Database, violates } from '../db/client.ts'
import type { Refusal } from '../db/guard.ts'
import { users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { beginAwaiting } from '../transfers/wallet-linked.ts'
import { writeAs } from './caller.ts'
import { linkExpired, linkUse, newLink, selectLink } from './email-link.ts'
import { readAsUser, unlessSession } from './session.ts'
import type { WalletProof } from './wallet.ts'

/**
 * Links the wallet, and starts the transfers that waited for one: their ids, to be announced.
 * Throws `unauthenticated`, `forbidden`, `conflict`, and what the proof's refusal says.
 */
export async function linkWallet(
  db: Database,
  caller: Caller,
  { address, unlessLive, consume }: WalletProof,
  now: Date,
): Promise<number[]> {
  const link = db
    .update(users)
    .set({ ethereumPublicAddr: address, updatedAt: now.toISOString() })
    .where(eq(users.id, caller.userId))
  const [, , , begun] = await writeAs(
    db,
    caller,
    [unlessSession(caller), unlessLive, ifGiven(db, caller, 'ethereumPublicAddr', 'a wallet')],
    [link, consume, ...beginAwaiting(db, caller.userId, address, now)],
  ).catch(conflictAs('users.ethereumPublicAddr', 'this wallet belongs to another account'))
  return begun.map(({ id }) => id)
}

/**
 * The secret of a link to mail to an address that a signed-in user wants; null when the address
 * has as many live links as it may. Throws `unauthenticated`, `forbidden`, `conflict`.
 */
export async function offerEmailLink(
  db: Database,
  caller: Caller,
  email: string,
  now: Date,
): Promise<string | null> {
  const { secret, statement } = await newLink(
    db,
    { email, userId: caller.userId, redirect: null },
    now,
  )
  const [stored] = await writeAs(
    db,
    caller,
    [unlessSession(caller), ifGiven(db, caller, 'email', 'an e-mail address')],
    [statement],
  )
  return stored.length > 0 ? secret : null
}

/** The account, and the address that the link would add. Throws as `linkEmail`. */
export async function readEmailLink(db: Database, caller: Caller, secret: string, now: Date) {
  const { statement } = await selectLink(db, secret, caller.userId, now)
  const [account, [link]] = await readAsUser(db, caller, [statement])
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
  const { unlessLive, email, consume } = await linkUse(db, secret, caller.userId, now)
  const link = db
    .update(users)
    .set({ email, updatedAt: now.toISOString() })
    .where(eq(users.id, caller.userId))
  await writeAs(
    db,
    caller,
    [unlessSession(caller), unlessLive, ifGiven(db, caller, 'email', 'an e-mail address')],
    [link, consume],
  ).catch(conflictAs('users.email', 'this e-mail address belongs to another account'))
}

/** A method is added, never replaced: what was given with it (NFTs, mails) would be misled. */
const ifGiven = (
  db: Database,
  caller: Caller,
  field: 'email' | 'ethereumPublicAddr',
  what: string,
): Refusal => ({
  when: exists(
    db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, caller.userId), ne(users[field], ''))),
  ),
  because: () => new ApiError('conflict', `your account has ${what} already`),
})

const conflictAs = (constraint: string, message: string) => (error: unknown) => {
  throw violates(error, constraint) ? new ApiError('conflict', message) : error
}

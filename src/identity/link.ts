/** Adds a second sign-in method to the account of a signed-in user, or removes one of two. */
import { and, eq, ne, sql } from 'drizzle-orm'
import { writeAs } from '../auth/access.ts'
import { readAsUser, refuseOldSignIn, refuseOldWalletSignIn } from '../auth/session.ts'
import { violates } from '../db/client.ts'
import { takeQuotas } from '../db/quota.ts'
import { readLocaleSql, users } from '../db/schema/users.ts'
import {
  hasDeliveriesUnderWaySql,
  queueAwaiting,
  removeRecipient,
  storedWallet,
} from '../delivery/wallet.ts'
import type { Caller, Ctx } from '../http/context.ts'
import { ApiError, type ErrorCode } from '../http/errors.ts'
import { guard, quotaOf } from '../http/guard.ts'
import { peopleLimits } from '../limits.ts'
import { sharedQuotas } from '../mail/mail.ts'
import {
  type LinkCtx,
  linkExpired,
  newEmailLink,
  proveEmail,
  refuseTooManyLinks,
  selectLink,
} from './email-link.ts'
import { takeOverGuests } from './guests.ts'
import type { Proof } from './sign-in.ts'

/** To whom a mail about the account goes, and in which language. `email`: `''` without one. */
type Owner = { email: string; locale: string }

const ownerColumns = { email: users.email, locale: readLocaleSql('users') }
const nobody: Owner = { email: '', locale: '' }

/** The account has an identity already. */
type LinkProof = Omit<Proof, 'identityHash'>

/**
 * Links a wallet or an e-mail address, takes over what a guest with it has bought, and queues the
 * deliveries that waited for a wallet, in one transaction. Returns the owner of the account, as mails need
 * it, and the chain of each of these deliveries.
 */
export async function addMethod(ctx: Ctx, proof: LinkProof) {
  const { db, caller, now } = ctx
  const { method, value, walletChainId, walletProvedByFactory } = proof
  const isEmail = method === 'email'
  const guards = [
    ...(isEmail ? [refuseOldSignIn(db, caller, now)] : refuseOldWalletSignIn(db, caller, now)),
    proof.guard,
    refuseSecondMethod(caller, isEmail ? 'email' : 'ethereumPublicAddr'),
  ]
  const { updated, queued } = await writeAs(db, caller, guards, {
    guests: takeOverGuests(db, proof, caller.userId, now),
    updated: db
      .update(users)
      .set({
        ...(isEmail
          ? { email: value }
          : { ethereumPublicAddr: value, walletChainId, walletProvedByFactory }),
        updatedAt: now.toISOString(),
      })
      .where(eq(users.id, caller.userId))
      .returning(ownerColumns),
    consumed: proof.consume,
    // An account has at least one method, so this one has a wallet now.
    ...queueAwaiting(db, caller.userId, storedWallet, now),
  })
  return {
    owner: updated[0] ?? nobody,
    chainIds: queued.flatMap(({ chainId }) => chainId ?? []),
  }
}

export const linkWallet = (ctx: Ctx, proof: LinkProof) =>
  addMethod(ctx, proof).catch(
    refuse('wallet_taken', 'this wallet belongs to another account', 'users.ethereumPublicAddr'),
  )

/**
 * Creates a link that adds an e-mail address to the account, and returns its secret, or null if its
 * mailbox was sent too many links. `client` is a `rateLimitKey`.
 */
export async function createConfirmationLink(
  { db, caller, now, settings }: Ctx & LinkCtx,
  { email, client }: { email: string; client: string },
): Promise<string | null> {
  const link = { email, client, userId: caller.userId, redirect: null }
  // For any address alike, so that nobody learns which of them are those of users.
  const quotas = sharedQuotas({ settings })
  const { secret, insert, guards, uses } = newEmailLink({ db, now }, link, quotas)
  const allGuards = [
    refuseOldSignIn(db, caller, now),
    refuseSecondMethod(caller, 'email'),
    refuseTooManyLinks(caller.userId, now),
    ...guards,
  ]
  const { stored } = await writeAs(db, caller, allGuards, { stored: insert, uses })
  return stored.length > 0 ? secret : null
}

/** Returns the account, and the address that the link adds to it. */
export async function readConfirmationLink({ db, caller, now }: Ctx, secret: string) {
  const links = selectLink({ db, now }, { secret, userId: caller.userId })
  const { account, found } = await readAsUser({ db, caller }, { found: links })
  const [link] = found
  if (!link) throw linkExpired()
  return { account, email: link.email }
}

export const linkEmail = (ctx: Ctx, secret: string) =>
  addMethod(ctx, proveEmail(ctx, { secret, userId: ctx.caller.userId })).catch(
    refuse('email_taken', 'this e-mail address belongs to another account', 'users.email'),
  )

type Method = keyof typeof methodNames

/** Removes the wallet from the account, and returns its owner. */
export const unlinkWallet = (ctx: Ctx) => unlink(ctx, 'ethereumPublicAddr')

/** Removes the e-mail address from the account, and returns its owner with this address. */
export const unlinkEmail = (ctx: Ctx) => unlink(ctx, 'email')

async function unlink({ db, caller, now }: Ctx, method: Method): Promise<Owner> {
  const { userId } = caller
  const isCaller = eq(users.id, userId)
  const other = method === 'email' ? 'ethereumPublicAddr' : 'email'
  const isUnset = (column: Method) =>
    sql`EXISTS (SELECT 1 FROM ${users} WHERE ${and(isCaller, eq(users[column], ''))})`
  const lacks = `your account does not have ${methodNames[method]}`
  const isOnly = `this is your only way to sign in: link ${methodNames[other]} first`
  const isBusy = 'NFTs are on their way to or from this wallet: unlink it when they have arrived'
  const guards = [
    refuseOldSignIn(db, caller, now),
    guard('not_linked', lacks)`${isUnset(method)}`,
    guard('only_sign_in', isOnly)`${isUnset(other)}`,
  ]
  if (method === 'ethereumPublicAddr')
    guards.push(guard('transfers_under_way', isBusy)`${hasDeliveriesUnderWaySql(userId)}`)
  const quota = takeQuotas(db, now, [quotaOf(peopleLimits.unlinks, userId)])
  guards.push(...quota.guards)
  const cleared =
    method === 'email'
      ? { email: '' }
      : { ethereumPublicAddr: '', walletChainId: 0, walletProvedByFactory: false, hadWallet: true }
  const { before } = await writeAs(db, caller, guards, {
    before: db.select(ownerColumns).from(users).where(isCaller),
    user: db
      .update(users)
      .set({ ...cleared, updatedAt: now.toISOString() })
      .where(isCaller),
    ...(method === 'ethereumPublicAddr' && removeRecipient(db, userId, now)),
    uses: quota.uses,
  })
  return before[0] ?? nobody
}

const methodNames = { email: 'an e-mail address', ethereumPublicAddr: 'a wallet' }

/**
 * Rejects an account that already has this sign-in method. A method is never replaced, because
 * NFTs and mails are still sent to the old wallet or address.
 */
export const refuseSecondMethod = ({ userId }: Caller, column: Method) =>
  guard('already_linked', `your account already has ${methodNames[column]}`)`
    EXISTS (SELECT 1 FROM ${users} WHERE ${and(eq(users.id, userId), ne(users[column], ''))})`

/** Throws this error in place of that of the constraint. */
const refuse = (code: ErrorCode, message: string, constraint: string) => (error: unknown) => {
  throw violates(error, constraint) ? new ApiError(code, message) : error
}

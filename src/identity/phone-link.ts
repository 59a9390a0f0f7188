/**
 * A link to the phone of somebody who is signed in, so that a wallet there is linked to the account. It is no
 * session: with it the phone only proves a wallet, and the browser that has made it confirms which one.
 */
import { and, eq, gt, sql } from 'drizzle-orm'
import { writeAs } from '../auth/access.ts'
import { readAsUser, refuseOldWalletSignIn } from '../auth/session.ts'
import { batch, guarded } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { phoneLinks, users } from '../db/schema/users.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { requirePrimary } from '../http/nearest.ts'
import { mailLimits } from '../limits.ts'
import { linkExpired } from './email-link.ts'
import { hasAccountSql } from './guests.ts'
import { linkWallet, refuseSecondMethod } from './link.ts'
import { hashSecret, newSecret, type Proof } from './sign-in.ts'

type PublicCtx = Omit<Ctx, 'caller'>

/** Returns the secret of a new link, which ends the one before. */
export async function createPhoneLink({ db, caller, now }: Ctx): Promise<string> {
  const secret = newSecret()
  const expiresAt = new Date(now.getTime() + mailLimits.phone.max).toISOString()
  const link = {
    secretHash: hashSecret(secret),
    wallet: null,
    walletChainId: 0,
    walletProvedByFactory: false,
    expiresAt,
  }
  const guards = [
    ...refuseOldWalletSignIn(db, caller, now),
    refuseSecondMethod(caller, 'ethereumPublicAddr'),
  ]
  await writeAs(db, caller, guards, {
    link: db
      .insert(phoneLinks)
      .values({ ...link, userId: caller.userId })
      .onConflictDoUpdate({ target: phoneLinks.userId, set: link }),
  })
  return secret
}

const isLive = (secret: string, now: Date) =>
  and(eq(phoneLinks.secretHash, hashSecret(secret)), gt(phoneLinks.expiresAt, now.toISOString()))

const selectLink = (db: Database, secret: string, now: Date) =>
  db
    .select({
      userId: phoneLinks.userId,
      wallet: phoneLinks.wallet,
      walletChainId: phoneLinks.walletChainId,
      walletProvedByFactory: phoneLinks.walletProvedByFactory,
      hasAccount: sql<
        0 | 1
      >`${hasAccountSql(sql`${phoneLinks.wallet}`, sql`${phoneLinks.walletChainId}`)}`,
      email: users.email,
    })
    .from(phoneLinks)
    .innerJoin(users, eq(users.id, phoneLinks.userId))
    .where(isLive(secret, now))

/** Returns the link with the e-mail address of its account; undefined if it has ended. */
export async function findPhoneLink({ db, now }: PublicCtx, secret: string) {
  const { links } = await batch(db, { links: selectLink(db, secret, now) })
  if (!links[0]) requirePrimary(db)
  return links[0]
}

/** Returns the signed-in user, and the link that this user has made; undefined if it has ended. */
export async function findOwnPhoneLink({ db, caller, now }: Ctx, secret: string) {
  const { account, links } = await readAsUser(
    { db, caller },
    { links: selectLink(db, secret, now) },
  )
  const link = links.find(({ userId }) => userId === caller.userId)
  if (!link) requirePrimary(db)
  return { account, link }
}

/**
 * Stores the wallet that the phone has proved. Throws `wallet_has_account` if it cannot be linked: that is stored,
 * too, so that both browsers say it.
 */
export async function storePhoneWallet(
  { db, now }: PublicCtx,
  { secret, proof }: { secret: string; proof: Proof },
): Promise<void> {
  const { value, walletChainId, walletProvedByFactory } = proof
  const live = isLive(secret, now)
  const guards = [
    { when: sql`NOT EXISTS (SELECT 1 FROM ${phoneLinks} WHERE ${live})`, error: linkExpired },
    proof.guard,
  ]
  const { links } = await guarded(db, guards, {
    stored: db
      .update(phoneLinks)
      .set({ wallet: value, walletChainId, walletProvedByFactory })
      .where(live),
    consumed: proof.consume,
    links: selectLink(db, secret, now),
  })
  if (links[0]?.hasAccount)
    throw new ApiError(
      'wallet_has_account',
      'this wallet already has an account: open the link from the mail on the phone with this wallet, and sign in with the wallet there',
    )
}

/** Links the wallet of a phone to the account of the caller, who has seen its address. */
export async function confirmPhoneWallet(
  ctx: Ctx,
  { secret, wallet }: { secret: string; wallet: string },
) {
  const { db, caller, now } = ctx
  const { link } = await findOwnPhoneLink(ctx, secret)
  if (!link) throw linkExpired()
  const { walletChainId, walletProvedByFactory } = link
  const isSame = and(
    isLive(secret, now),
    eq(phoneLinks.userId, caller.userId),
    eq(phoneLinks.wallet, wallet),
    eq(phoneLinks.walletChainId, walletChainId),
  )
  return linkWallet(ctx, {
    method: 'wallet',
    value: sql`${wallet}`,
    walletChainId,
    walletProvedByFactory,
    guard: {
      when: sql`NOT EXISTS (SELECT 1 FROM ${phoneLinks} WHERE ${isSame})`,
      error: linkExpired,
    },
    consume: db.delete(phoneLinks).where(eq(phoneLinks.userId, caller.userId)),
  })
}

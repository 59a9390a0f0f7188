/** Links a wallet to the account of a buyer, or joins the account to that which the wallet has already. */
import { sql } from 'drizzle-orm'
import { writeAs } from '../auth/access.ts'
import { refuseOldWalletSignIn } from '../auth/session.ts'
import { violates } from '../db/client.ts'
import { readLocaleSql } from '../db/schema/users.ts'
import { raw } from '../db/statements.ts'
import { queueAwaiting, storedWallet } from '../delivery/wallet.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { guard } from '../http/guard.ts'
import { isMoreThanBuyerSql, takeOver } from './guests.ts'
import { addMethod } from './link.ts'
import { type Client, newSession, type Proof } from './sign-in.ts'

type JoinCtx = Ctx & { settings: Settings }

/** `email`: that of the caller. */
type Join = { proof: Proof; email: string; client: Client }

/**
 * Links a wallet to the account of the caller. If the wallet has an account, what the caller has is given to
 * it: then `session` is one of that account. Returns the owner, as mails need it, and the chain of each
 * delivery that waited for a wallet.
 */
export async function linkOrJoin(ctx: JoinCtx, join: Join) {
  try {
    return { ...(await addMethod(ctx, join.proof)), session: null }
  } catch (error) {
    if (!violates(error, 'users.ethereumPublicAddr')) throw error
    return joinAccounts(ctx, join)
  }
}

/**
 * Gives the e-mail address of the caller, and what the caller has bought, to the account of the wallet, and
 * closes that of the caller. Both are proved. An account that is more than a buyer's, or has two addresses,
 * is joined to no other.
 */
async function joinAccounts(ctx: JoinCtx, { proof, email, client }: Join) {
  const { db, caller, now } = ctx
  const owner = sql`(SELECT id FROM users WHERE ethereumPublicAddr = ${proof.value}
    AND ethereumPublicAddr <> '' AND walletChainId = ${proof.walletChainId})`
  const session = newSession(ctx, owner, client)
  const guards = [
    ...refuseOldWalletSignIn(db, caller, now),
    proof.guard,
    guard('wallet_taken', 'this wallet belongs to another account')`
      ${isMoreThanBuyerSql(caller.userId)} OR NOT EXISTS (SELECT 1 FROM users
        WHERE id = ${owner} AND email = '' AND removedAt IS NULL)
      OR NOT EXISTS (SELECT 1 FROM users WHERE id = ${caller.userId} AND email = ${email})`,
  ]
  const { updated, queued } = await writeAs(db, caller, guards, {
    taken: takeOver(db, sql`SELECT ${caller.userId}`, owner, now),
    updated: raw<{ id: number; locale: string }>(db)`UPDATE users SET email = ${email},
        updatedAt = ${now.toISOString()} WHERE id = ${owner}
      RETURNING id, ${readLocaleSql('users')} AS locale`,
    consumed: proof.consume,
    session: session.insert,
    ...queueAwaiting(db, owner, storedWallet, now),
  })
  const [user] = updated
  if (!user) throw new Error('the transaction returned no user')
  return {
    owner: { email, locale: user.locale },
    chainIds: queued.flatMap(({ chainId }) => chainId ?? []),
    session: { ...session.record, userId: user.id },
  }
}

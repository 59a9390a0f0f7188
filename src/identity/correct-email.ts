/** Corrects the e-mail address of a guest, which an order has got wrong. Nobody has proved it yet. */
import { sql } from 'drizzle-orm'
import { writeAs } from '../auth/access.ts'
import { recordAction } from '../auth/audit.ts'
import { refuseOldSignIn } from '../auth/session.ts'
import { isGuestSql } from '../db/schema/users.ts'
import { raw } from '../db/statements.ts'
import { tellAwaitingAgain } from '../delivery/wallet.ts'
import type { Ctx } from '../http/context.ts'
import { guard } from '../http/guard.ts'
import { hashIdentity, unusedHash } from './namespace.ts'

/**
 * Returns the address and the locale that the guest had before. Links to the old address work no more. What waits
 * for a wallet is told again, which mails the new links to the new address.
 */
export async function correctEmail(ctx: Ctx, { userId, email }: { userId: number; email: string }) {
  const { db, caller, now } = ctx
  const nowText = now.toISOString()
  const guest = sql`FROM users WHERE id = ${userId} AND ${isGuestSql('users')}
    AND removedAt IS NULL AND email <> ''`
  const guards = [
    refuseOldSignIn(db, caller, now),
    guard('conflict', 'this is no guest with an e-mail address: somebody has signed in')`
      NOT EXISTS (SELECT 1 ${guest})`,
    guard('conflict', 'an account has this e-mail address')`
      EXISTS (SELECT 1 FROM users WHERE email = ${email} AND email <> '')`,
  ]
  const { before } = await writeAs(db, caller, guards, {
    before: raw<{ email: string; locale: string }>(db)`SELECT email, locale ${guest}`,
    links: raw<never>(db)`UPDATE emailLinks SET expiresAt = ${nowText}
      WHERE email = (SELECT email ${guest}) AND expiresAt > ${nowText}`,
    // Who was mailed the links of the orders sees nothing more of them.
    secrets: raw<never>(db)`UPDATE orders SET claimSecret = lower(hex(randomblob(16)))
      WHERE buyerId = ${userId}`,
    told: tellAwaitingAgain(db, userId, now),
    changed: raw<never>(db)`UPDATE users SET email = ${email}, updatedAt = ${nowText},
      identityHash = ${unusedHash(sql`${hashIdentity('email', email)}`)} WHERE id = ${userId}`,
    record: recordAction(ctx, { action: 'user.correct_email', subject: userId }),
  })
  const [guestBefore] = before
  if (!guestBefore) throw new Error('the transaction returned no guest')
  return guestBefore
}

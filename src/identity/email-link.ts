/** Single-use links that prove an e-mail address. Only the hash of a link's secret is stored. */
import { and, eq, gt, isNotNull, isNull, notExists, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { batch, type Guard } from '../db/batch.ts'
import { type Quota, takeQuotas } from '../db/quota.ts'
import { emailLinks } from '../db/schema/users.ts'
import { raw } from '../db/statements.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, rateLimited } from '../http/errors.ts'
import { mailLimits } from '../limits.ts'
import { type Mailer, mailboxOf, mailQuotas, sharedQuotas } from '../mail/mail.ts'
import { hashIdentity } from './namespace.ts'
import { hashSecret, newSecret, type Proof } from './sign-in.ts'

export const LinkSecret = z.object({
  secret: z.string().regex(/^[0-9a-f]{64}$/, 'is not a valid secret'),
})

/** Of a request that needs no token. */
type PublicCtx = Omit<Ctx, 'caller'>
export type LinkCtx = Pick<Mailer, 'settings'>

type NewLink = {
  /** Lower case. */
  email: string
  /** Who asks for the link: `rateLimitKey`. */
  client: string
  /** The signed-in user who adds the address; null for a sign-in. */
  userId: number | null
  /** Where a sign-in leads, as an absolute URL. */
  redirect: string | null
}

const countLinks = (condition: SQL | undefined): SQL =>
  sql`(SELECT count(*) FROM ${emailLinks} WHERE ${condition})`

const countedSince = (now: Date): string =>
  new Date(now.getTime() - mailLimits.link.max).toISOString()

/** The links that count together with a new one. */
const isCounted = ({ email, client, userId }: NewLink, now: Date) =>
  and(
    eq(emailLinks.mailbox, mailboxOf(email)),
    gt(emailLinks.createdAt, countedSince(now)),
    userId === null
      ? and(eq(emailLinks.client, client), isNull(emailLinks.userId))
      : isNotNull(emailLinks.userId),
  )

/**
 * Returns a new secret, the statement that stores its link, those that count its mail, and the guards of the
 * quotas. The statement returns no row if the mailbox was sent too many links, or a quota is used up.
 */
export function newEmailLink({ db, now }: PublicCtx, link: NewLink, quotas: readonly Quota[]) {
  const { email, client, userId, redirect } = link
  const secret = newSecret()
  const secretHash = hashSecret(secret)
  const expiresAt = new Date(now.getTime() + mailLimits.link.max).toISOString()
  const isStored = sql`EXISTS (SELECT 1 FROM emailLinks WHERE secretHash = ${secretHash})`
  const { guards, uses } = takeQuotas(db, now, quotas, isStored)
  const insert = raw<{ secretHash: string }>(db)`
    INSERT INTO emailLinks (secretHash, email, mailbox, client, identityHash, userId, redirect,
      createdAt, expiresAt)
    SELECT ${secretHash}, ${email}, ${mailboxOf(email)}, ${client}, ${hashIdentity('email', email)},
      ${userId}, ${redirect}, ${now.toISOString()}, ${expiresAt}
    WHERE ${countLinks(isCounted(link, now))} < ${mailLimits.signInLinks.max}
      AND NOT (${isAny(guards)}) RETURNING secretHash`
  return { secret, insert, guards, uses }
}

/** The condition that one of the guards refuses. */
const isAny = (guards: readonly Guard[]): SQL =>
  sql.join(
    guards.map(({ when }) => sql`(${when})`),
    sql` OR `,
  )

/**
 * Creates a sign-in link. `secret` is null if the client has requested too many for this mailbox, or no mail is
 * left. A new address is treated like a known one: the sign-in creates its user. `isScarce`: only addresses of
 * users get a mail, while some are left. The answer must not tell which addresses these are.
 */
export async function createSignInLink(
  { db, now, settings }: PublicCtx & LinkCtx,
  request: Omit<NewLink, 'userId'>,
): Promise<{ secret: string | null; isScarce: boolean }> {
  const link = { ...request, userId: null }
  const quotas = mailQuotas({ settings }, link.email)
  const { secret, insert, uses } = newEmailLink({ db, now }, link, quotas)
  const shared = takeQuotas(db, now, sharedQuotas({ settings }))
  const nowText = now.toISOString()
  // The row stays, because it is counted until cron deletes it.
  const replace = raw<never>(db)`UPDATE emailLinks SET expiresAt = ${nowText} WHERE secretHash IN (
    SELECT secretHash FROM emailLinks WHERE ${isCounted(link, now)} AND expiresAt > ${nowText}
    ORDER BY createdAt DESC, rowid DESC
    LIMIT ${mailLimits.signInLinks.max} OFFSET ${mailLimits.liveLinks.max})`
  const { scarce, stored } = await batch(db, {
    scarce: raw<{ isScarce: 0 | 1 }>(db)`SELECT ${isAny(shared.guards)} AS isScarce`,
    stored: insert,
    replace,
    uses,
  })
  return { secret: stored.length > 0 ? secret : null, isScarce: scarce[0]?.isScarce === 1 }
}

/** Rejects a request for a link that adds an address, if the account has requested too many. */
export const refuseTooManyLinks = (userId: number, now: Date): Guard => ({
  when: sql`${countLinks(sql`userId = ${userId} AND createdAt > ${countedSince(now)}`)}
    >= ${mailLimits.accountLinks.max}`,
  error: () =>
    rateLimited(
      `your account has requested ${mailLimits.accountLinks.max} links in 15 minutes; wait before you ask for another one`,
      mailLimits.link.max / 1000,
    ),
})

/** A sign-in link (`userId` null), or a link that this user asked for. */
type LinkId = { secret: string; userId: number | null }

export const selectLink = ({ db, now }: PublicCtx, link: LinkId) =>
  db
    .select({ email: emailLinks.email, redirect: emailLinks.redirect })
    .from(emailLinks)
    .where(isLive(link, now))

export async function readSignInLink(ctx: PublicCtx, secret: string) {
  const [[link]] = await ctx.db.batch([selectLink(ctx, { secret, userId: null })])
  if (!link) throw linkExpired()
  return link
}

/** Returns a proof of the address that the link was sent to. */
export function proveEmail({ db, now }: PublicCtx, link: LinkId): Proof {
  const condition = isLive(link, now)
  const email = db.select({ email: emailLinks.email }).from(emailLinks).where(condition)
  return {
    method: 'email',
    value: sql`${email}`,
    walletChainId: 0,
    walletProvedByFactory: false,
    identityHash: sql`(SELECT identityHash FROM emailLinks WHERE ${condition})`,
    guard: { when: notExists(email), error: linkExpired },
    consume: db.delete(emailLinks).where(condition),
  }
}

const isLive = ({ secret, userId }: LinkId, now: Date) =>
  and(
    eq(emailLinks.secretHash, hashSecret(secret)),
    userId === null ? isNull(emailLinks.userId) : eq(emailLinks.userId, userId),
    gt(emailLinks.expiresAt, now.toISOString()),
  )

export const linkExpired = () =>
  new ApiError('link_expired', 'this link was used before or has expired: please ask for a new one')

/** Single-use links that prove an e-mail address. Only the hash of a link's secret is stored. */
import { and, count, eq, gt, isNull, lt, notExists, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Database } from '../db/client.ts'
import { emailLinks } from '../db/schema.ts'
import { ApiError } from '../http/errors.ts'
import { hashIdentity } from './namespace.ts'
import { hashSecret, newSecret } from './secret.ts'
import type { Proof } from './sign-in.ts'

/** Milliseconds. */
const LINK_LIFETIME = 15 * 60 * 1000

/** Protects a mailbox from too many mails, even if the requests come from many clients. */
const MAX_LIVE_LINKS_PER_ADDRESS = 3

export const EmailAddress = z.string().trim().toLowerCase().pipe(z.email().max(254))
export const LinkSecret = z.object({
  secret: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'is not a valid secret')
    .describe('The secret in the link: 64 hexadecimal digits.'),
})

type NewLink = {
  /** Lower case. */
  email: string
  /** The signed-in user who adds the address; null for a sign-in. */
  userId: number | null
  /** Where a sign-in leads, as an absolute URL. */
  redirect: string | null
}

/**
 * Returns a new secret, and the statement that stores its link. The statement returns no row if
 * the address has too many live links.
 */
export function newEmailLink(db: Database, { email, userId, redirect }: NewLink, now: Date) {
  const secret = newSecret()
  const secretHash = hashSecret(secret)
  const expiresAt = new Date(now.getTime() + LINK_LIFETIME).toISOString()
  const liveLinks = db
    .select({ links: count() })
    .from(emailLinks)
    .where(and(eq(emailLinks.email, email), gt(emailLinks.expiresAt, now.toISOString())))
  const insert = db
    .insert(emailLinks)
    .select(
      db
        .select({
          secretHash: sql<string>`${secretHash}`.as('secretHash'),
          email: sql<string>`${email}`.as('email'),
          identityHash: sql<string>`${hashIdentity('email', email)}`.as('identityHash'),
          userId: sql<number | null>`${userId}`.as('userId'),
          redirect: sql<string | null>`${redirect}`.as('redirect'),
          expiresAt: sql<string>`${expiresAt}`.as('expiresAt'),
        })
        .from(sql`(SELECT 1)`)
        .where(lt(sql`${liveLinks}`, MAX_LIVE_LINKS_PER_ADDRESS)),
    )
    .returning({ secretHash: emailLinks.secretHash })
  return { secret, insert }
}

/**
 * Creates a sign-in link and returns its secret, or null if the address has too many live links.
 * A new address is treated like a known one: the sign-in creates its user.
 */
export async function createSignInLink(
  db: Database,
  { email, redirect }: Omit<NewLink, 'userId'>,
  now: Date,
): Promise<string | null> {
  const { secret, insert } = newEmailLink(db, { email, userId: null, redirect }, now)
  const stored = await insert
  return stored.length > 0 ? secret : null
}

/** Selects a live link: a sign-in link (`userId` null), or a link that this user asked for. */
export const selectLink = (db: Database, secret: string, userId: number | null, now: Date) =>
  db
    .select({ email: emailLinks.email, redirect: emailLinks.redirect })
    .from(emailLinks)
    .where(isLive(secret, userId, now))

/** Returns the address and the redirect of a sign-in link. Throws `link_expired`. */
export async function readSignInLink(db: Database, secret: string, now: Date) {
  const [link] = await selectLink(db, secret, null, now)
  if (!link) throw linkExpired()
  return link
}

/** Returns a proof of the address that the link was sent to. `userId` is as in `selectLink`. */
export function proveEmail(db: Database, secret: string, userId: number | null, now: Date): Proof {
  const condition = isLive(secret, userId, now)
  const email = db.select({ email: emailLinks.email }).from(emailLinks).where(condition)
  const identityHash = db
    .select({ identityHash: emailLinks.identityHash })
    .from(emailLinks)
    .where(condition)
  return {
    method: 'email',
    value: sql`${email}`,
    identityHash: sql`${identityHash}`,
    guard: { when: notExists(email), error: linkExpired },
    consume: db.delete(emailLinks).where(condition),
  }
}

const isLive = (secret: string, userId: number | null, now: Date) =>
  and(
    eq(emailLinks.secretHash, hashSecret(secret)),
    userId === null ? isNull(emailLinks.userId) : eq(emailLinks.userId, userId),
    gt(emailLinks.expiresAt, now.toISOString()),
  )

export const linkExpired = () =>
  new ApiError('link_expired', 'this link was used before or has expired: please ask for a new one')

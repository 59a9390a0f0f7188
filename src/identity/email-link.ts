/** Links that prove an e-mail address: mailed to it, known here only by their hash, used once. */
import { and, count, eq, gt, isNull, lt, notExists, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Database } from '../db/client.ts'
import type { Refusal } from '../db/guard.ts'
import { emailLinks } from '../db/schema.ts'
import { ApiError } from '../http/errors.ts'
import { randomSecret, sha256 } from './secret.ts'
import type { Proof } from './sign-in.ts'

/** How long a link works, in milliseconds. */
const LINK_LIFE = 15 * 60 * 1000

/** So nobody's mailbox can be flooded with our mails, wherever the requests come from. */
const LIVE_LINKS_PER_ADDRESS = 3

export const EmailAddress = z.string().trim().toLowerCase().pipe(z.email().max(254))
export const LinkSecret = z.string().regex(/^[0-9a-f]{64}$/, 'is none of ours')

type Wanted = {
  /** Lower case. */
  email: string
  /** The signed-in user who wants the address as well; null for a sign-in. */
  userId: number | null
  redirect: string | null
}

/**
 * The secret of a link to mail, and the statement that stores it: no row comes back when the
 * address has as many live links as it may.
 */
export async function newLink(db: Database, { email, userId, redirect }: Wanted, now: Date) {
  const secret = randomSecret()
  const secretHash = await sha256(secret)
  const at = now.toISOString()
  const live = db
    .select({ links: count() })
    .from(emailLinks)
    .where(and(eq(emailLinks.email, email), gt(emailLinks.expiresAt, at)))
  const statement = db
    .insert(emailLinks)
    .select(
      db
        .select({
          secretHash: sql<string>`${secretHash}`.as('secretHash'),
          email: sql<string>`${email}`.as('email'),
          userId: sql<number | null>`${userId}`.as('userId'),
          redirect: sql<string | null>`${redirect}`.as('redirect'),
          expiresAt: sql<string>`${new Date(now.getTime() + LINK_LIFE).toISOString()}`.as(
            'expiresAt',
          ),
        })
        .from(sql`(SELECT 1)`)
        .where(lt(sql`${live}`, LIVE_LINKS_PER_ADDRESS)),
    )
    .returning({ secretHash: emailLinks.secretHash })
  return { secret, statement }
}

/** A row when the link is live: of a sign-in (`userId` null), or of that user's own wish. */
export async function selectLink(db: Database, secret: string, userId: number | null, now: Date) {
  return {
    statement: db
      .select({ email: emailLinks.email, redirect: emailLinks.redirect })
      .from(emailLinks)
      .where(await live(secret, userId, now)),
  }
}

/** What a sign-in link is for. Throws `link_expired`. */
export async function readLink(db: Database, secret: string, now: Date) {
  const [link] = await (await selectLink(db, secret, null, now)).statement
  if (!link) throw linkExpired()
  return link
}

/** The address that a sign-in link was mailed to. */
export async function emailProof(db: Database, secret: string, now: Date): Promise<Proof> {
  const { unlessLive, email, consume } = await linkUse(db, secret, null, now)
  return { method: 'email', value: email, unlessLive, consume }
}

/** How a transaction uses a link up; one for linking works only for the user who asked for it. */
export async function linkUse(db: Database, secret: string, userId: number | null, now: Date) {
  const condition = await live(secret, userId, now)
  const email = db.select({ email: emailLinks.email }).from(emailLinks).where(condition)
  return {
    unlessLive: { when: notExists(email), because: linkExpired } satisfies Refusal,
    email: sql<string>`${email}`,
    consume: db.delete(emailLinks).where(condition),
  }
}

async function live(secret: string, userId: number | null, now: Date): Promise<SQL | undefined> {
  return and(
    eq(emailLinks.secretHash, await sha256(secret)),
    userId === null ? isNull(emailLinks.userId) : eq(emailLinks.userId, userId),
    gt(emailLinks.expiresAt, now.toISOString()),
  )
}

export const linkExpired = () =>
  new ApiError('link_expired', 'this link was used before or has expired: please ask for a new one')

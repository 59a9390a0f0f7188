/** All tokens of the instance: the live ones, for administrators, and those that nobody needs. */
import { and, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import { getAddress, isAddress } from 'viem/utils'
import { ROLL_GRACE } from '../auth/access.ts'
import { readAsUser } from '../auth/session.ts'
import type { Database } from '../db/client.ts'
import { prune } from '../db/prune.ts'
import { tokens, users } from '../db/schema/users.ts'
import { raw, type Statement } from '../db/statements.ts'
import type { Ctx } from '../http/context.ts'
import { toAsciiDomain } from '../http/text.ts'
import { peopleLimits } from '../limits.ts'
import { newestFirst, tokenColumns } from './api-tokens.ts'

const PAGE_SIZE = 50

type TokenFilter = {
  /** A user id, an e-mail address or a wallet. */
  owner: string | undefined
  /** The last token of the previous page. */
  after: { createdAt: string; id: string } | undefined
}

/** Returns a page of the live tokens of all users, and the cursor of the next page. */
export async function readAllTokens(ctx: Ctx, { owner, after }: TokenFilter) {
  const isListed = and(
    isNull(tokens.revokedAt),
    gt(tokens.expiresAt, ctx.now.toISOString()),
    owner ? isOwner(owner) : undefined,
    after && sql`(${tokens.createdAt}, ${tokens.id}) < (${after.createdAt}, ${after.id})`,
  )
  const { email, ethereumPublicAddr } = users
  const { account, rows } = await readAsUser(ctx, {
    rows: ctx.db
      .select({ ...tokenColumns, owner: { email, ethereumPublicAddr } })
      .from(tokens)
      .innerJoin(users, eq(users.id, tokens.userId))
      .where(isListed)
      .orderBy(...newestFirst)
      // One row more than a page shows whether there is a next page.
      .limit(PAGE_SIZE + 1),
  })
  const page = rows.slice(0, PAGE_SIZE)
  return { account, tokens: page, next: rows.length > PAGE_SIZE ? page.at(-1) : undefined }
}

function isOwner(text: string): SQL {
  if (/^\d+$/.test(text)) return eq(users.id, Number(text))
  // `<> ''` lets SQLite use the partial indexes of e-mail addresses and wallets.
  if (text.includes('@'))
    return sql`${users.email} = ${toAsciiDomain(text).toLowerCase()} AND ${users.email} <> ''`
  const hex = text.toLowerCase()
  const wallet = isAddress(hex, { strict: false }) ? getAddress(hex) : text
  return sql`${users.ethereumPublicAddr} = ${wallet} AND ${users.ethereumPublicAddr} <> ''`
}

/** Revokes rolled tokens that no longer work, so that no list shows them, and deletes those that ended long ago. */
export function sweepTokens(db: Database, now: Date): Statement[] {
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString()
  return [
    raw(db)`UPDATE tokens SET revokedAt = ${now.toISOString()}
      WHERE rolledAt IS NOT NULL AND revokedAt IS NULL AND rolledAt <= ${before(ROLL_GRACE)}`,
    prune(
      db,
      tokens,
      sql`CASE WHEN revokedAt IS NULL THEN expiresAt ELSE revokedAt END
        < ${before(peopleLimits.endedToken.max)}`,
    ),
  ]
}

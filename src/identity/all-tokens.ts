/** All live tokens of the instance, for administrators. */
import { and, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import { getAddress, isAddress } from 'viem/utils'
import { readAsUser } from '../auth/session.ts'
import { tokens, users } from '../db/schema/users.ts'
import type { Ctx } from '../http/context.ts'
import { toAsciiDomain } from '../http/text.ts'
import { newestFirst, tokenColumns } from './api-tokens.ts'

const PAGE_SIZE = 50

type TokenFilter = {
  /** A user id, an e-mail address or a wallet. */
  owner: string | undefined
  /** The last token of the previous page. */
  after: { createdAt: string; id: string } | undefined
}

/**
 * Returns a page of the live tokens of all users, and the cursor of the next page, for
 * administrators.
 */
export async function readAllTokens({ db, caller, now }: Ctx, { owner, after }: TokenFilter) {
  const [account, rows] = await readAsUser({ db, caller }, [
    db
      .select({
        ...tokenColumns,
        owner: { email: users.email, ethereumPublicAddr: users.ethereumPublicAddr },
      })
      .from(tokens)
      .innerJoin(users, eq(users.id, tokens.userId))
      .where(
        and(
          isNull(tokens.revokedAt),
          gt(tokens.expiresAt, now.toISOString()),
          owner ? isOwner(owner) : undefined,
          after && sql`(${tokens.createdAt}, ${tokens.id}) < (${after.createdAt}, ${after.id})`,
        ),
      )
      .orderBy(...newestFirst)
      // One row more than a page shows whether there is a next page.
      .limit(PAGE_SIZE + 1),
  ])
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

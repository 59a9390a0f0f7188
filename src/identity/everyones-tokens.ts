/** Everyone's tokens, for administrators (contract, Authentication 1). */
import { and, eq, exists, gt, isNull, type SQL, sql } from 'drizzle-orm'
import { getAddress, isAddress } from 'viem'
import type { Database } from '../db/client.ts'
import { ADMINISTRATOR, tokens, users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { newestFirst, shown } from './api-tokens.ts'
import { forAdministrators, readAsUser, selectAdministrator } from './session.ts'

const PAGE = 50

/** Where the page before ended. */
export type After = { createdAt: string; id: string }

/**
 * Everyone's live tokens, newest first, a page at a time; `owner` narrows them to one user, by id,
 * e-mail address or wallet. Throws `unauthenticated`, `forbidden`.
 */
export async function readEveryonesTokens(
  db: Database,
  caller: Caller,
  { owner, after }: { owner: string | undefined; after: After | undefined },
  now: Date,
) {
  const [account, rows] = await readAsUser(db, caller, [
    db
      .select({
        ...shown,
        owner: { email: users.email, ethereumPublicAddr: users.ethereumPublicAddr },
      })
      .from(tokens)
      .innerJoin(users, eq(users.id, tokens.userId))
      .where(
        and(
          isNull(tokens.revokedAt),
          gt(tokens.expiresAt, now.toISOString()),
          exists(selectAdministrator(db, caller)),
          owner ? isOwner(owner) : undefined,
          after && sql`(${tokens.createdAt}, ${tokens.id}) < (${after.createdAt}, ${after.id})`,
        ),
      )
      .orderBy(...newestFirst)
      .limit(PAGE + 1),
  ])
  if (account.roleId !== ADMINISTRATOR) throw forAdministrators()
  const page = rows.slice(0, PAGE)
  return { account, tokens: page, next: rows.length > PAGE ? page.at(-1) : undefined }
}

function isOwner(text: string): SQL {
  if (/^\d+$/.test(text)) return eq(users.id, Number(text))
  if (text.includes('@'))
    return sql`${users.email} = ${text.toLowerCase()} AND ${users.email} <> ''`
  // The index of wallets leaves out those who have none.
  const wallet = isAddress(text, { strict: false }) ? getAddress(text) : text
  return sql`${users.ethereumPublicAddr} = ${wallet} AND ${users.ethereumPublicAddr} <> ''`
}

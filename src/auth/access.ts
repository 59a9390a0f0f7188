/**
 * Reads and writes on behalf of a caller whose token is live. The check and the data are one trip.
 */
import { and, eq, isNull, notExists, or, type Placeholder } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import type { Database, Statement } from '../db/client.ts'
import { type Guard, guardedBatch } from '../db/guard.ts'
import { type Placeholders, prepared, preparedCondition } from '../db/prepared.ts'
import { ADMINISTRATOR, tokens, users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { unauthenticated } from '../http/errors.ts'

type TokenId = Placeholders<Pick<Caller, 'tokenId'>>

/** The token, unless it is revoked, its user is removed, or its user has lost the role. */
const selectLiveToken = (db: Database, tokenId: Placeholder) =>
  db
    .select({ id: tokens.id })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.userId))
    .where(
      and(
        eq(tokens.id, tokenId),
        isNull(tokens.revokedAt),
        isNull(users.removedAt),
        or(eq(tokens.role, 'user'), eq(users.roleId, ADMINISTRATOR)),
      ),
    )

const liveToken = prepared((db, { tokenId }: TokenId) => selectLiveToken(db, tokenId))

const isTokenNotLive = preparedCondition((db, { tokenId }: TokenId) =>
  notExists(selectLiveToken(db, tokenId)),
)

/**
 * Runs the statements in one trip, together with the check that the token is live. Throws
 * `unauthenticated` if it is not.
 */
export async function readAs<const T extends readonly Statement[]>(
  db: Database,
  { tokenId }: Caller,
  statements: T,
): Promise<BatchResponse<T>> {
  const [live, ...results] = await db.batch([liveToken(db, { tokenId }), ...statements])
  if (live.length === 0) throw unauthenticated()
  return results as BatchResponse<T>
}

/**
 * Runs the statements as one transaction. Throws `unauthenticated` if the token is not live, or
 * the error of the first guard whose condition holds; nothing is written then.
 */
export const writeAs = <const T extends readonly Statement[]>(
  db: Database,
  { tokenId }: Caller,
  guards: readonly Guard[],
  statements: T,
): Promise<BatchResponse<T>> =>
  guardedBatch(
    db,
    [{ when: isTokenNotLive({ tokenId }), error: unauthenticated }, ...guards],
    statements,
  )

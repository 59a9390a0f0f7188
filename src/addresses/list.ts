import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import type { Placeholders } from '../db/prepared.ts'
import { addresses, users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { preparedAs, readAs } from '../identity/caller.ts'
import { assertMayActFor } from '../identity/subject.ts'
import { address, type Kind, type Row } from './kinds.ts'

type Of = { userId: number; kind: Kind['name'] }

/** The user beside each address: nulls for an address when there is none, and for no such user. */
const addressesOf = preparedAs(
  (db, live, at: Placeholders<Of>) =>
    db
      .select({ ownerId: sql`${users.id}`.as('ownerId'), ...address.selection })
      .from(live)
      .leftJoin(users, and(eq(users.id, at.userId), isNull(users.removedAt)))
      .leftJoin(
        addresses,
        and(
          eq(addresses.userId, users.id),
          eq(addresses.kind, at.kind),
          isNull(addresses.deletedAt),
        ),
      )
      .orderBy(asc(addresses.id)),
  (row) => ({ ownerId: row.ownerId, address: address.orNull(row) }),
)

/** The user's live addresses of the kind, by id. Throws `forbidden`, `not_found`. */
export async function listAddresses(
  db: Database,
  caller: Caller,
  kind: Kind,
  userId: number,
): Promise<Row[]> {
  assertMayActFor(caller, userId)
  const [rows] = await readAs(db, [addressesOf(db, caller, { userId, kind: kind.name })])
  if (rows[0]?.ownerId === null) throw new ApiError('not_found', 'there is no such user')
  return rows.flatMap(({ address }) => address ?? [])
}

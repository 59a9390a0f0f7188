import { and, asc, eq, isNull } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { addresses, users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { readAs } from '../identity/caller.ts'
import { assertMayActFor } from '../identity/subject.ts'
import type { Kind, Row } from './kinds.ts'

type Of = { userId: number; kind: Kind['name'] }

/** The user beside each address: one row without an address when there is none, no row no user. */
const addressesOf = prepared((db, at: Placeholders<Of>) =>
  db
    .select({ address: addresses })
    .from(users)
    .leftJoin(
      addresses,
      and(eq(addresses.userId, users.id), eq(addresses.kind, at.kind), isNull(addresses.deletedAt)),
    )
    .where(and(eq(users.id, at.userId), isNull(users.removedAt)))
    .orderBy(asc(addresses.id)),
)

/** The user's live addresses of the kind, by id. Throws `forbidden`, `not_found`. */
export async function listAddresses(
  db: Database,
  caller: Caller,
  kind: Kind,
  userId: number,
): Promise<Row[]> {
  assertMayActFor(caller, userId)
  const [rows] = await readAs(db, caller, [addressesOf(db, { userId, kind: kind.name })])
  if (rows.length === 0) throw new ApiError('not_found', 'there is no such user')
  return rows.flatMap(({ address }) => address ?? [])
}

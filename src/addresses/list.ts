import { and, asc, eq, isNull } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import { requireAccessTo } from '../auth/user-param.ts'
import type { BoundStatement, Database } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { addresses, users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { type Addresses, type AddressKind, addressColumns, isLive } from './schema.ts'

type Owner = { userId: number }

const isListed = (kind: AddressKind, { userId }: Placeholders<Owner>) =>
  and(eq(addresses.userId, userId), eq(addresses.kind, kind), isLive)

type List<K extends AddressKind> = (db: Database, owner: Owner) => BoundStatement<Addresses[K][]>

const addressesOf: { [K in AddressKind]: List<K> } = {
  delivery: prepared((db, owner: Placeholders<Owner>) =>
    db
      .select(addressColumns.delivery())
      .from(addresses)
      .where(isListed('delivery', owner))
      .orderBy(asc(addresses.id)),
  ),
  billing: prepared((db, owner: Placeholders<Owner>) =>
    db
      .select(addressColumns.billing())
      .from(addresses)
      .where(isListed('billing', owner))
      .orderBy(asc(addresses.id)),
  ),
}

const userById = prepared((db, { userId }: Placeholders<Owner>) =>
  db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.removedAt))),
)

/** Returns the live addresses of a user by id. Throws `forbidden`, `not_found`. */
export async function listAddresses<K extends AddressKind>(
  db: Database,
  caller: Caller,
  kind: K,
  userId: number,
): Promise<Addresses[K][]> {
  requireAccessTo(caller, userId)
  const list = addressesOf[kind](db, { userId })
  // A live token proves that its own user exists.
  if (userId === caller.userId) return (await readAs(db, caller, [list]))[0]
  const [rows, [user]] = await readAs(db, caller, [list, userById(db, { userId })])
  if (!user) throw new ApiError('not_found', 'there is no such user')
  return rows
}

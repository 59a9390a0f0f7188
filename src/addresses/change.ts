/** Changes to addresses. If two run at the same time, the later one overwrites the earlier. */
import { and, eq, exists, isNull, ne, type SQL, sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import { writeAs } from '../auth/access.ts'
import type { Database } from '../db/client.ts'
import { addresses, users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import {
  type Addresses,
  type AddressFields,
  type AddressKind,
  addressColumns,
  isLive,
} from './schema.ts'

type Changes = AddressFields & { isDefault?: boolean | undefined }

/**
 * Changes the given fields. A new default address replaces the previous one. Throws `not_found`
 * if the address is deleted, unknown, of a seller's order, or not accessible to the caller.
 */
export async function updateAddress<K extends AddressKind>(
  db: Database,
  caller: Caller,
  kind: K,
  id: number,
  changes: Changes,
  now: Date,
): Promise<Addresses[K]> {
  const target = isAccessible(db, caller, kind, id)
  const updatedAt = now.toISOString()
  const update = updateWhere[kind](db, target, { ...changes, updatedAt })
  if (!changes.isDefault) return requireRow((await writeAs(db, caller, [], [update]))[0])
  const owner = db.select({ userId: addresses.userId }).from(addresses).where(target)
  const unsetPrevious = db
    .update(addresses)
    .set({ isDefault: false, updatedAt })
    .where(
      and(
        eq(addresses.userId, sql`${owner}`),
        eq(addresses.kind, kind),
        // In the spelling of the index `addresses_default`, so that SQLite uses it.
        sql`${addresses.isDefault}`,
        isNull(addresses.deletedAt),
        ne(addresses.id, id),
      ),
    )
  const [, rows] = await writeAs(db, caller, [], [unsetPrevious, update])
  return requireRow(rows)
}

/** Deletes an address. Orders that used it keep it. Throws `not_found` as `updateAddress` does. */
export async function deleteAddress<K extends AddressKind>(
  db: Database,
  caller: Caller,
  kind: K,
  id: number,
  now: Date,
): Promise<Addresses[K]> {
  const at = now.toISOString()
  const target = isAccessible(db, caller, kind, id)
  const remove = updateWhere[kind](db, target, { deletedAt: at, updatedAt: at })
  return requireRow((await writeAs(db, caller, [], [remove]))[0])
}

/** The live address, if it belongs to the caller, or to an existing user for a master token. */
function isAccessible(db: Database, caller: Caller, kind: AddressKind, id: number) {
  const owner = db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, addresses.userId), isNull(users.removedAt)))
  return and(
    eq(addresses.id, id),
    eq(addresses.kind, kind),
    isLive,
    caller.role === 'master' ? exists(owner) : eq(addresses.userId, caller.userId),
  )
}

type Update<K extends AddressKind> = (
  db: Database,
  target: SQL | undefined,
  values: Partial<typeof addresses.$inferInsert>,
) => RunnableQuery<Addresses[K][], 'sqlite'>

const updateWhere: { [K in AddressKind]: Update<K> } = {
  delivery: (db, target, values) =>
    db.update(addresses).set(values).where(target).returning(addressColumns.delivery()),
  billing: (db, target, values) =>
    db.update(addresses).set(values).where(target).returning(addressColumns.billing()),
}

function requireRow<Row>([row]: readonly Row[]): Row {
  if (!row) throw new ApiError('not_found', 'there is no such address')
  return row
}

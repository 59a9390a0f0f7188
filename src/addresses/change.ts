/** Changes to addresses. If two run at the same time, the later one overwrites the earlier. */
import { and, eq, exists, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import { writeAs } from '../auth/access.ts'
import type { Database } from '../db/client.ts'
import { addresses } from '../db/schema/users.ts'
import type { Caller, Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { selectDefault, unsetDefault } from './default.ts'
import { limitAddresses } from './limit.ts'
import {
  type Addresses,
  type AddressFields,
  type AddressKind,
  addressColumns,
  isLive,
} from './schema.ts'
import { isOwn, isUndoable } from './undo.ts'

type Target<K extends AddressKind> = { kind: K; id: number }
type Changes = AddressFields & { isDefault?: boolean | undefined }

/**
 * Changes the given fields. A new default address replaces the previous one. Throws `not_found`
 * if the address is deleted, unknown, of a seller's order, or not accessible to the caller.
 */
export async function updateAddress<K extends AddressKind>(
  { db, caller, now }: Ctx,
  { kind, id, changes }: Target<K> & { changes: Changes },
): Promise<Addresses[K]> {
  const target = isAccessible(caller, { kind, id })
  const update = updateWhere[kind](db, target, { ...changes, updatedAt: now.toISOString() })
  if (!changes.isDefault) return requireRow((await writeAs(db, caller, [], [update]))[0])
  const owner = db.select({ userId: addresses.userId }).from(addresses).where(target)
  const unsetPrevious = unsetDefault(db, kind, sql`${owner}`, now)
  return requireRow((await writeAs(db, caller, [], [unsetPrevious, update]))[1])
}

/** Deletes an address. Orders that used it keep it. Throws as `updateAddress` does. */
export async function deleteAddress<K extends AddressKind>(
  { db, caller, now }: Ctx,
  { kind, id }: Target<K>,
): Promise<Addresses[K]> {
  const at = now.toISOString()
  const target = isAccessible(caller, { kind, id })
  const remove = updateWhere[kind](db, target, { deletedAt: at, updatedAt: at })
  return requireRow((await writeAs(db, caller, [], [remove]))[0])
}

/**
 * Undoes a deletion of the last hour; a live address stays as it is. The address is the default
 * again, unless there is another one now. Throws `not_found` if the caller has no such address, and
 * `too_many_addresses`.
 */
export async function restoreAddress<K extends AddressKind>(
  { db, caller, now }: Ctx,
  { kind, id }: Target<K>,
): Promise<Addresses[K]> {
  const { userId } = caller
  const address = { kind, id, userId }
  const isDeleted = isNotNull(addresses.deletedAt)
  const isCounted = sql`EXISTS (SELECT 1 FROM ${addresses} WHERE ${isOwn(address)}
    AND ${isDeleted} AND origin = 'request')`
  const hasNewDefault = sql`${isDeleted} AND ${exists(selectDefault(db, kind, userId))}`
  const restore = updateWhere[kind](
    db,
    and(isOwn(address), or(isNull(addresses.deletedAt), isUndoable(now))),
    {
      deletedAt: null,
      isDefault: sql`${addresses.isDefault} AND NOT (${hasNewDefault})`,
      updatedAt: now.toISOString(),
    },
  )
  const limit = limitAddresses({ kind, userId }, isCounted)
  return requireRow((await writeAs(db, caller, [limit], [restore]))[0])
}

/** The live address, if it belongs to the caller, or to an existing user for a master token. */
function isAccessible(caller: Caller, { kind, id }: Target<AddressKind>) {
  const hasOwner = sql`EXISTS (SELECT 1 FROM users
    WHERE users.id = ${addresses.userId} AND users.removedAt IS NULL)`
  return and(
    eq(addresses.id, id),
    eq(addresses.kind, kind),
    isLive,
    caller.role === 'master' ? hasOwner : eq(addresses.userId, caller.userId),
  )
}

type Update<K extends AddressKind> = (
  db: Database,
  target: SQL | undefined,
  values: SQLiteUpdateSetSource<typeof addresses>,
) => RunnableQuery<Addresses[K][], 'sqlite'>

const updateWhere: { [K in AddressKind]: Update<K> } = {
  delivery: (db, target, values) =>
    db.update(addresses).set(values).where(target).returning(addressColumns.delivery),
  billing: (db, target, values) =>
    db.update(addresses).set(values).where(target).returning(addressColumns.billing),
}

function requireRow<Row>([row]: readonly Row[]): Row {
  if (!row) throw new ApiError('not_found', 'there is no such address')
  return row
}

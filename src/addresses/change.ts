/** Changes to a live address. Each is one transaction, so of two at once the later one wins. */
import { and, eq, exists, isNull, ne, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { addresses, users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { writeAs } from '../identity/caller.ts'
import type { Kind, Row, Texts } from './kinds.ts'

type Changes = Texts & { isDefault?: boolean | undefined }

/**
 * Changes what is named. Making an address the default one takes that from the user's other one.
 * Throws `not_found` for an address that is deleted, unknown or out of the caller's reach.
 */
export async function updateAddress(
  db: Database,
  caller: Caller,
  kind: Kind,
  id: number,
  changes: Changes,
  now: Date,
): Promise<Row> {
  const target = reach(db, caller, kind, id)
  const updatedAt = now.toISOString()
  const update = db
    .update(addresses)
    .set({ ...changes, updatedAt })
    .where(target)
    .returning()
  if (!changes.isDefault) return theOneOf(await writeAs(db, caller, [], [update]))
  const owner = db.select({ userId: addresses.userId }).from(addresses).where(target)
  const unsetOther = db
    .update(addresses)
    .set({ isDefault: false, updatedAt })
    .where(
      and(
        eq(addresses.userId, sql`${owner}`),
        eq(addresses.kind, kind.name),
        // Spelt as the index `addresses_default` does, so that it serves.
        sql`${addresses.isDefault}`,
        isNull(addresses.deletedAt),
        ne(addresses.id, id),
      ),
    )
  const [, rows] = await writeAs(db, caller, [], [unsetOther, update])
  return theOneOf([rows])
}

/** Deletes; orders that used the address keep it. Throws `not_found` as `updateAddress` does. */
export async function deleteAddress(
  db: Database,
  caller: Caller,
  kind: Kind,
  id: number,
  now: Date,
): Promise<Row> {
  const at = now.toISOString()
  const remove = db
    .update(addresses)
    .set({ deletedAt: at, updatedAt: at })
    .where(reach(db, caller, kind, id))
    .returning()
  return theOneOf(await writeAs(db, caller, [], [remove]))
}

/** The live address, if it is the caller's own or the caller a master and its user still there. */
function reach(db: Database, caller: Caller, kind: Kind, id: number): SQL | undefined {
  const owner = db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, addresses.userId), isNull(users.removedAt)))
  return and(
    eq(addresses.id, id),
    eq(addresses.kind, kind.name),
    isNull(addresses.deletedAt),
    caller.role === 'master' ? exists(owner) : eq(addresses.userId, caller.userId),
  )
}

function theOneOf([[row]]: readonly [Row[]]): Row {
  if (!row) throw new ApiError('not_found', 'there is no such address')
  return row
}

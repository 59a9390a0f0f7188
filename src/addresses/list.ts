import { and, asc, eq, isNull } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import { readAsUser } from '../auth/session.ts'
import { requireAccessTo } from '../auth/user-param.ts'
import { prepared, type StatementOf } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { addresses, users } from '../db/schema/users.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { type Addresses, type AddressKind, addressColumns, isLive } from './schema.ts'
import { selectUndoable } from './undo.ts'

type Owner = { userId: number }

/** An address that was deleted. */
export type Deleted = { kind: AddressKind; id: number }

const isListed = (kind: AddressKind, { userId }: Owner | Owner) =>
  and(eq(addresses.userId, userId), eq(addresses.kind, kind), isLive)

type List<K extends AddressKind> = (db: Database, owner: Owner) => StatementOf<Addresses[K][]>

const selectLiveAddresses: { [K in AddressKind]: List<K> } = {
  delivery: prepared((db, owner: Owner) =>
    db
      .select(addressColumns.delivery)
      .from(addresses)
      .where(isListed('delivery', owner))
      .orderBy(asc(addresses.id)),
  ),
  billing: prepared((db, owner: Owner) =>
    db
      .select(addressColumns.billing)
      .from(addresses)
      .where(isListed('billing', owner))
      .orderBy(asc(addresses.id)),
  ),
}

const userById = prepared((db, { userId }: Owner) =>
  db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.removedAt))),
)

/** Returns the live addresses of a user by id. */
export async function listAddresses<K extends AddressKind>(
  { db, caller }: Omit<Ctx, 'now'>,
  { kind, userId }: { kind: K; userId: number },
): Promise<Addresses[K][]> {
  requireAccessTo(caller, userId)
  const list = selectLiveAddresses[kind](db, { userId })
  // A live token proves that its own user exists.
  if (userId === caller.userId) return (await readAs(db, caller, [list]))[0]
  const [rows, [user]] = await readAs(db, caller, [list, userById(db, { userId })])
  if (!user) throw new ApiError('not_found', 'there is no such user')
  return rows
}

/**
 * Returns the signed-in user with all live addresses by id, and `deleted` again if that address is
 * deleted and can be restored.
 */
export async function readAddressBook({ db, caller, now }: Ctx, deleted: Deleted | undefined) {
  const { userId } = caller
  const [account, delivery, billing, undoable] = await readAsUser({ db, caller }, [
    selectLiveAddresses.delivery(db, { userId }),
    selectLiveAddresses.billing(db, { userId }),
    selectUndoable(db, { kind: 'delivery', id: 0, ...deleted, userId }, now),
  ])
  return { account, delivery, billing, undo: undoable.length > 0 ? deleted : undefined }
}

/** Returns a live address of the signed-in user. */
export async function readAddress(
  { db, caller }: Omit<Ctx, 'now'>,
  { kind, id }: { kind: AddressKind; id: number },
) {
  const select = db
    .select(addressColumns.delivery)
    .from(addresses)
    .where(and(isListed(kind, caller), eq(addresses.id, id)))
  const [account, [address]] = await readAsUser({ db, caller }, [select])
  if (!address) throw new ApiError('not_found', 'there is no such address')
  return { account, address }
}

import { and, asc, eq, isNull } from 'drizzle-orm'
import { readAs, requireAccessTo } from '../auth/access.ts'
import { readAsUser } from '../auth/session.ts'
import { addresses, users } from '../db/schema/users.ts'
import { prepared } from '../db/statements.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { isUndoableSql } from './deleted.ts'
import { type AddressKind, addressColumns, isLiveSql, isOwnSql } from './schema.ts'

type Owner = { kind: AddressKind; userId: number }

/** An address that was deleted. */
export type Deleted = { kind: AddressKind; id: number }

const selectLive = prepared((db, { kind, userId }: Owner) =>
  db
    .select(addressColumns)
    .from(addresses)
    .where(and(eq(addresses.userId, userId), eq(addresses.kind, kind), isLiveSql))
    .orderBy(asc(addresses.id)),
)

const selectUser = prepared((db, { userId }: { userId: number }) =>
  db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.removedAt))),
)

/** Returns the live addresses of a user by id. */
export async function listAddresses({ db, caller }: Omit<Ctx, 'now'>, { kind, userId }: Owner) {
  requireAccessTo(caller, userId)
  // A live token proves that its own user exists.
  const isOther = userId !== caller.userId
  const { addresses, found } = await readAs(db, caller, {
    addresses: selectLive(db, { kind, userId }),
    found: isOther ? selectUser(db, { userId }) : undefined,
  })
  if (isOther && found.length === 0) throw new ApiError('not_found', 'there is no such user')
  return addresses
}

/**
 * Returns the signed-in user with all live addresses by id, and `deleted` again if that address is
 * deleted and can be restored.
 */
export async function readAddressBook({ db, caller, now }: Ctx, deleted: Deleted | undefined) {
  const { userId } = caller
  const { undoable, ...book } = await readAsUser(
    { db, caller },
    {
      delivery: selectLive(db, { kind: 'delivery', userId }),
      billing: selectLive(db, { kind: 'billing', userId }),
      undoable:
        deleted &&
        db
          .select({ id: addresses.id })
          .from(addresses)
          .where(and(isOwnSql({ ...deleted, userId }), isUndoableSql(now))),
    },
  )
  return { ...book, undo: undoable.length > 0 ? deleted : undefined }
}

/** Returns a live address of the signed-in user. */
export async function readAddress(
  { db, caller }: Omit<Ctx, 'now'>,
  { kind, id }: { kind: AddressKind; id: number },
) {
  const select = db
    .select(addressColumns)
    .from(addresses)
    .where(and(isOwnSql({ kind, id, userId: caller.userId }), isLiveSql))
  const { account, found } = await readAsUser({ db, caller }, { found: select })
  const [address] = found
  if (!address) throw new ApiError('not_found', 'there is no such address')
  return { account, address }
}

/** Changes to addresses. If two run at the same time, the later one overwrites the earlier. */
import { and, eq, exists, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import { isUnknownUserSql, requireAccessTo, writeAs } from '../auth/access.ts'
import type { Guard } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { takeQuotas } from '../db/quota.ts'
import { addresses } from '../db/schema/users.ts'
import { prepared } from '../db/statements.ts'
import type { Caller, Ctx } from '../http/context.ts'
import { ApiError, invalidField, rejected } from '../http/errors.ts'
import { guard, quotaOf } from '../http/guard.ts'
import { peopleLimits } from '../limits.ts'
import { isUndoableSql } from './deleted.ts'
import {
  type Address,
  type AddressFields,
  type AddressKind,
  addressColumns,
  BillingFields,
  DeliveryFields,
  isLiveSql,
  isOwnSql,
} from './schema.ts'

type NewAddress = AddressFields & {
  kind: AddressKind
  userId?: number | undefined
  isDefault?: boolean | undefined
}

/**
 * Creates an address. A new default address replaces the previous one. Fields that the kind does not
 * have are ignored.
 */
export async function createAddress(
  { db, caller, now }: Ctx,
  { kind, userId = ownUserId(caller), isDefault = false, ...fields }: NewAddress,
): Promise<Address> {
  requireAccessTo(caller, userId)
  const quota = takeQuotas(db, now, [quotaOf(peopleLimits.newAddresses, userId)])
  const guards = [refuseUnknownUser(userId), refuseTooMany({ kind, userId }), ...quota.guards]
  const { created } = await writeAs(db, caller, guards, {
    previous: isDefault ? unsetDefault(db, kind, userId, now) : undefined,
    created: insertAddress(db, {
      ...fieldsOfKind(kind, fields),
      kind,
      userId,
      isDefault,
      now: now.toISOString(),
    }),
    uses: quota.uses,
  })
  return requireRow(created)
}

function ownUserId(caller: Caller): number {
  if (caller.role === 'user') return caller.userId
  throw invalidField('userId', 'is required with a master token')
}

const refuseUnknownUser = (userId: number): Guard => ({
  when: isUnknownUserSql(userId),
  error: () =>
    rejected([{ path: 'userId', code: 'user_not_found', message: `there is no user ${userId}` }]),
})

/** Refuses one more address of a user who has as many as allowed, if `condition` holds. */
const refuseTooMany = (
  { userId, kind }: { userId: number; kind: AddressKind },
  condition = sql`TRUE`,
): Guard =>
  // The origin is a literal, so that SQLite uses the index `addresses_counted`.
  guard(
    'too_many_addresses',
    `the user has ${peopleLimits.addresses.max} ${kind} addresses; delete one first`,
  )`
    ${condition} AND (SELECT count(*) FROM addresses WHERE userId = ${userId} AND kind = ${kind}
      AND deletedAt IS NULL AND origin = 'request') >= ${peopleLimits.addresses.max}`

/** Returns all texts of an address. Those that are not given, or that the kind does not have, are null. */
function fieldsOfKind(kind: AddressKind, fields: AddressFields): Texts {
  const { shape } = kind === 'billing' ? BillingFields : DeliveryFields
  const given = (name: keyof Texts) => (name in shape ? (fields[name] ?? null) : null)
  const texts = fieldNames.map((name) => [name, given(name)])
  return Object.fromEntries(texts)
}

type Texts = Pick<Address, keyof AddressFields>
const fieldNames = DeliveryFields.keyof().options

type NewRow = Texts & Pick<Address, 'userId' | 'isDefault'> & { kind: AddressKind; now: string }

const insertAddress = prepared((db, values: NewRow) =>
  db
    .insert(addresses)
    .values({
      ...Object.fromEntries(fieldNames.map((name) => [name, values[name]])),
      kind: values.kind,
      userId: values.userId,
      isDefault: values.isDefault,
      createdAt: values.now,
      updatedAt: values.now,
    })
    .returning(addressColumns),
)

type Target = { kind: AddressKind; id: number }

/** Changes the given fields. A new default address replaces the previous one. */
export async function updateAddress(
  { db, caller, now }: Ctx,
  { kind, id, changes }: Target & { changes: AddressFields & { isDefault?: boolean | undefined } },
): Promise<Address> {
  const target = isAccessibleSql(caller, { kind, id })
  const owner = db.select({ userId: addresses.userId }).from(addresses).where(target)
  const { updated } = await writeAs(db, caller, [], {
    previous: changes.isDefault ? unsetDefault(db, kind, sql`${owner}`, now) : undefined,
    updated: updateWhere(db, target, { ...changes, updatedAt: now.toISOString() }),
  })
  return requireRow(updated)
}

/** Deletes an address. Orders that used it keep it. */
export async function deleteAddress({ db, caller, now }: Ctx, { kind, id }: Target) {
  const deletedAt = now.toISOString()
  const target = isAccessibleSql(caller, { kind, id })
  const { deleted } = await writeAs(db, caller, [], {
    deleted: updateWhere(db, target, { deletedAt, updatedAt: deletedAt }),
  })
  return requireRow(deleted)
}

/**
 * Undoes a deletion of the last hour; a live address stays as it is. The address is the default
 * again, unless there is another one now.
 */
export async function restoreAddress({ db, caller, now }: Ctx, { kind, id }: Target) {
  const { userId } = caller
  const isOwn = isOwnSql({ kind, id, userId })
  const isDeleted = isNotNull(addresses.deletedAt)
  const isCounted = sql`EXISTS (SELECT 1 FROM ${addresses} WHERE ${isOwn}
    AND ${isDeleted} AND origin = 'request')`
  const newDefault = db
    .select({ id: addresses.id })
    .from(addresses)
    .where(isDefaultSql(kind, userId))
  const restore = updateWhere(db, and(isOwn, or(isNull(addresses.deletedAt), isUndoableSql(now))), {
    deletedAt: null,
    isDefault: sql`${addresses.isDefault} AND NOT (${isDeleted} AND ${exists(newDefault)})`,
    updatedAt: now.toISOString(),
  })
  const guards = [refuseTooMany({ kind, userId }, isCounted)]
  const { restored } = await writeAs(db, caller, guards, { restored: restore })
  return requireRow(restored)
}

/** The live address, if it belongs to the caller, or to an existing user for a master token. */
function isAccessibleSql(caller: Caller, { kind, id }: Target) {
  const hasOwner = sql`EXISTS (SELECT 1 FROM users
    WHERE users.id = ${addresses.userId} AND users.removedAt IS NULL)`
  return and(
    eq(addresses.id, id),
    eq(addresses.kind, kind),
    isLiveSql,
    caller.role === 'master' ? hasOwner : eq(addresses.userId, caller.userId),
  )
}

const updateWhere = (
  db: Database,
  target: SQL | undefined,
  values: SQLiteUpdateSetSource<typeof addresses>,
) => db.update(addresses).set(values).where(target).returning(addressColumns)

/** The live default address. In the spelling of the index `addresses_default`, so that SQLite uses it. */
const isDefaultSql = (kind: AddressKind, userId: number | SQL) =>
  and(
    eq(addresses.userId, userId),
    eq(addresses.kind, kind),
    sql`${addresses.isDefault}`,
    isNull(addresses.deletedAt),
  )

/** Makes the default address of a user one like the others, before another one becomes it. */
const unsetDefault = (db: Database, kind: AddressKind, userId: number | SQL, now: Date) =>
  db
    .update(addresses)
    .set({ isDefault: false, updatedAt: now.toISOString() })
    .where(isDefaultSql(kind, userId))

function requireRow([address]: readonly Address[]): Address {
  if (!address) throw new ApiError('not_found', 'there is no such address')
  return address
}

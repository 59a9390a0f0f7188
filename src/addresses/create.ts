import { writeAs } from '../auth/access.ts'
import { isUnknownUser, requireAccessTo } from '../auth/user-param.ts'
import { prepared, type StatementOf } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import { countUse, requireQuota } from '../db/quota.ts'
import { addresses } from '../db/schema/users.ts'
import type { Caller, Ctx } from '../http/context.ts'
import { invalidField, rejected } from '../http/errors.ts'
import { unsetDefault } from './default.ts'
import { creationQuota, limitAddresses } from './limit.ts'
import {
  type Addresses,
  type AddressFields,
  type AddressKind,
  addressColumns,
  BillingFields,
  DeliveryFields,
} from './schema.ts'

type NewAddress = AddressFields & { userId?: number | undefined; isDefault?: boolean | undefined }

/**
 * Creates an address. A new default address replaces the previous one. Throws `invalid_input` if
 * the owner is missing, `user_not_found` if there is none, `forbidden` if a user token names another
 * owner, `too_many_addresses` and `rate_limited`. Fields that the kind does not have are ignored.
 */
export async function createAddress<K extends AddressKind>(
  { db, caller, now }: Ctx,
  { kind, userId = ownUserId(caller), isDefault = false, ...fields }: NewAddress & { kind: K },
): Promise<Addresses[K]> {
  requireAccessTo(caller, userId)
  const values = { ...emptyFields, ...fields, userId, isDefault, now: now.toISOString() }
  const insert = insertAddress[kind](db, values)
  const quota = creationQuota(userId)
  const conditions = [
    requireUser(userId),
    limitAddresses({ kind, userId }),
    requireQuota(quota, now),
  ]
  const use = countUse(db, quota, now)
  if (!isDefault) return requireRow((await writeAs(db, caller, conditions, [insert, use]))[0])
  const unsetPrevious = unsetDefault(db, kind, userId, now)
  return requireRow((await writeAs(db, caller, conditions, [unsetPrevious, insert, use]))[1])
}

function requireRow<Row>([row]: readonly Row[]): Row {
  if (!row) throw new Error('the INSERT returned no row')
  return row
}

/**
 * The kind that a body describes, if the request does not say it: a billing address has at least
 * one address field or `isDefault`, and nothing that only a delivery address has.
 */
export function detectKind(body: object): AddressKind {
  const given = [...fieldNames.delivery, 'default', 'isDefault'].filter((name) =>
    Object.hasOwn(body, name),
  )
  const isBilling = given.every((name) => name in BillingFields.shape || name === 'isDefault')
  return given.length > 0 && isBilling ? 'billing' : 'delivery'
}

function ownUserId(caller: Caller): number {
  if (caller.role === 'user') return caller.userId
  throw invalidField('userId', 'is required with a master token')
}

const fieldNames = {
  delivery: DeliveryFields.keyof().options,
  billing: BillingFields.keyof().options,
}
const emptyFields = Object.fromEntries(fieldNames.delivery.map((name) => [name, null]))

type Values = AddressFields & { userId: number; isDefault: boolean; now: string }
type Insert<K extends AddressKind> = (db: Database, values: Values) => StatementOf<Addresses[K][]>

const insertInto = (db: Database, kind: AddressKind, values: Values) =>
  db.insert(addresses).values({
    ...Object.fromEntries(fieldNames[kind].map((name) => [name, values[name]])),
    kind,
    userId: values.userId,
    isDefault: values.isDefault,
    createdAt: values.now,
    updatedAt: values.now,
  })

const insertAddress: { [K in AddressKind]: Insert<K> } = {
  delivery: prepared((db, values: Values) =>
    insertInto(db, 'delivery', values).returning(addressColumns.delivery),
  ),
  billing: prepared((db, values: Values) =>
    insertInto(db, 'billing', values).returning(addressColumns.billing),
  ),
}

const requireUser = (userId: number): Guard => ({
  when: isUnknownUser(userId),
  error: () =>
    rejected([{ path: 'userId', code: 'user_not_found', message: `there is no user ${userId}` }]),
})

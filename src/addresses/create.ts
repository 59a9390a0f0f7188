import { and, count, eq, isNull, notExists, sql } from 'drizzle-orm'
import { writeAs } from '../auth/access.ts'
import { requireAccessTo } from '../auth/user-param.ts'
import type { BoundStatement, Database } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import { type Placeholders, prepared, preparedCondition } from '../db/prepared.ts'
import { addresses, users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import {
  type Addresses,
  type AddressFields,
  type AddressKind,
  addressColumns,
  BillingFields,
  DeliveryFields,
} from './schema.ts'

/** The number of live addresses of one kind that a user may have, without those of orders. */
export const MAX_ADDRESSES = 100

/**
 * Creates an address. Throws `invalid_input` if the owner is missing or unknown, `forbidden` if a
 * user token names another owner, `too_many_addresses`.
 */
export async function createAddress<K extends AddressKind>(
  db: Database,
  caller: Caller,
  kind: K,
  { userId = ownUserId(caller), ...fields }: AddressFields & { userId?: number | undefined },
  now: Date,
): Promise<Addresses[K]> {
  requireAccessTo(caller, userId)
  const values = { ...emptyFields, ...fields, userId, now: now.toISOString() }
  const [[address]] = await writeAs(
    db,
    caller,
    [requireUser(userId), limitAddresses(kind, userId)],
    [insertAddress[kind](db, values)],
  )
  if (!address) throw new Error('the INSERT returned no row')
  return address
}

/**
 * The kind that a body describes, if the request does not say it: a billing address has at least
 * one address field and none that only a delivery address has.
 */
export function kindOf(body: object): AddressKind {
  const given = fieldNames.filter((name) => Object.hasOwn(body, name))
  const isBilling = given.length > 0 && given.every((name) => name in BillingFields.shape)
  return isBilling ? 'billing' : 'delivery'
}

function ownUserId(caller: Caller): number {
  if (caller.role === 'user') return caller.userId
  throw new ApiError('invalid_input', 'userId: is required with a master token')
}

const fieldNames = DeliveryFields.keyof().options
const emptyFields = Object.fromEntries(fieldNames.map((name) => [name, null]))

type Values = AddressFields & { userId: number; now: string }
type Insert<K extends AddressKind> = (
  db: Database,
  values: Values,
) => BoundStatement<Addresses[K][]>

const insertInto = (db: Database, kind: AddressKind, values: Placeholders<Values>) =>
  db.insert(addresses).values({
    ...Object.fromEntries(fieldNames.map((name) => [name, values[name]])),
    kind,
    userId: values.userId,
    createdAt: values.now,
    updatedAt: values.now,
  })

const insertAddress: { [K in AddressKind]: Insert<K> } = {
  delivery: prepared((db, values: Placeholders<Values>) =>
    insertInto(db, 'delivery', values).returning(addressColumns.delivery()),
  ),
  billing: prepared((db, values: Placeholders<Values>) =>
    insertInto(db, 'billing', values).returning(addressColumns.billing()),
  ),
}

const isUnknownUser = preparedCondition((db, { userId }: Placeholders<{ userId: number }>) =>
  notExists(
    db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.removedAt))),
  ),
)

const requireUser = (userId: number): Guard => ({
  when: isUnknownUser({ userId }),
  error: () => new ApiError('invalid_input', `userId: there is no user ${userId}`),
})

const isFull = preparedCondition(
  (db, { userId, kind }: Placeholders<{ userId: number; kind: AddressKind }>) =>
    sql`${db
      .select({ count: count() })
      .from(addresses)
      .where(
        and(
          eq(addresses.userId, userId),
          eq(addresses.kind, kind),
          isNull(addresses.deletedAt),
          // A literal, so that SQLite uses the index `addresses_counted`.
          sql`${addresses.origin} = 'request'`,
        ),
      )} >= ${sql.raw(String(MAX_ADDRESSES))}`,
)

const limitAddresses = (kind: AddressKind, userId: number): Guard => ({
  when: isFull({ userId, kind }),
  error: () =>
    new ApiError(
      'too_many_addresses',
      `the user has ${MAX_ADDRESSES} ${kind} addresses; delete one first`,
    ),
})

import { and, count, eq, isNull, notExists, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import type { Refusal } from '../db/guard.ts'
import { condition, type Placeholders, prepared } from '../db/prepared.ts'
import { addresses, users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { writeAs } from '../identity/caller.ts'
import { assertMayActFor } from '../identity/subject.ts'
import { address, billing, delivery, type Kind, type Row, type Texts } from './kinds.ts'

/** How many live addresses of one kind a user may have. */
export const MOST_ADDRESSES = 100

type NewAddress = Texts & { userId?: number | undefined }

/**
 * Adds an address. Throws `invalid_input` for an owner who is missing or unknown, `forbidden`
 * when a user's token names another owner, `too_many_addresses`.
 */
export async function createAddress(
  db: Database,
  caller: Caller,
  kind: Kind,
  { userId = ownUserOf(caller), ...texts }: NewAddress,
  now: Date,
): Promise<Row> {
  assertMayActFor(caller, userId)
  const at = now.toISOString()
  const [[row]] = await writeAs(
    db,
    caller,
    [unknownOwner(userId), tooMany(kind, userId)],
    [insert(db, { ...noTexts, ...texts, kind: kind.name, userId, at })],
  )
  if (!row) throw new Error('an insert gave no row')
  return row
}

/**
 * The kind that a body on the path of both kinds is of: a billing address when it has none of
 * the fields that only a delivery address has, and at least one that both have.
 */
export function kindOf(body: object): Kind {
  const names = delivery.texts.filter((field) => Object.hasOwn(body, field))
  const shared: readonly string[] = billing.texts
  return names.length > 0 && names.every((field) => shared.includes(field)) ? billing : delivery
}

function ownUserOf(caller: Caller): number {
  if (caller.role === 'user') return caller.userId
  throw new ApiError('invalid_input', 'userId: a master token must say whose address it is')
}

const noTexts = Object.fromEntries(delivery.texts.map((field) => [field, null]))

const insert = prepared(
  (db, at: Placeholders<Texts & { userId: number; kind: Kind['name']; at: string }>) =>
    db
      .insert(addresses)
      .values({
        ...Object.fromEntries(delivery.texts.map((field) => [field, at[field]])),
        kind: at.kind,
        userId: at.userId,
        createdAt: at.at,
        updatedAt: at.at,
      })
      .returning(address.selection),
  address.of,
)

const hasNoOwner = condition((db, at: Placeholders<{ userId: number }>) =>
  notExists(
    db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, at.userId), isNull(users.removedAt))),
  ),
)

const unknownOwner = (userId: number): Refusal => ({
  when: hasNoOwner({ userId }),
  because: () => new ApiError('invalid_input', `userId: there is no user ${userId}`),
})

const isFull = condition(
  (db, at: Placeholders<{ userId: number; kind: Kind['name'] }>) =>
    sql`${db
      .select({ live: count() })
      .from(addresses)
      .where(
        and(
          eq(addresses.userId, at.userId),
          eq(addresses.kind, at.kind),
          isNull(addresses.deletedAt),
        ),
      )} >= ${sql.raw(String(MOST_ADDRESSES))}`,
)

const tooMany = (kind: Kind, userId: number): Refusal => ({
  when: isFull({ userId, kind: kind.name }),
  because: () =>
    new ApiError(
      'too_many_addresses',
      `the user has ${MOST_ADDRESSES} ${kind.name} addresses; delete one first`,
    ),
})

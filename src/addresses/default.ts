import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { addresses } from '../db/schema/users.ts'
import type { AddressKind } from './schema.ts'

/** In the spelling of the index `addresses_default`, so that SQLite uses it. */
const isDefaultAddress = (kind: AddressKind, userId: number | SQL) =>
  and(
    eq(addresses.userId, userId),
    eq(addresses.kind, kind),
    sql`${addresses.isDefault}`,
    isNull(addresses.deletedAt),
  )

/** Selects the live default address of a user. */
export const selectDefault = (db: Database, kind: AddressKind, userId: number) =>
  db.select({ id: addresses.id }).from(addresses).where(isDefaultAddress(kind, userId))

/** Makes the default address of a user one like the others, before another one becomes it. */
export const unsetDefault = (db: Database, kind: AddressKind, userId: number | SQL, now: Date) =>
  db
    .update(addresses)
    .set({ isDefault: false, updatedAt: now.toISOString() })
    .where(isDefaultAddress(kind, userId))

import { and, eq, gt, ne, type SQL } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { addresses } from '../db/schema/users.ts'
import type { AddressKind } from './schema.ts'

/** Milliseconds after a deletion in which it can be undone. */
const UNDO_PERIOD = 60 * 60 * 1000

export type OwnAddress = { kind: AddressKind; id: number; userId: number }

/** An address in the book of its owner, deleted or not. */
export const isOwn = ({ kind, id, userId }: OwnAddress): SQL | undefined =>
  and(
    eq(addresses.id, id),
    eq(addresses.kind, kind),
    eq(addresses.userId, userId),
    ne(addresses.origin, 'seller_order'),
  )

/** Whether the address was deleted a short time ago, so that this can be undone. */
export const isUndoable = (now: Date): SQL =>
  gt(addresses.deletedAt, new Date(now.getTime() - UNDO_PERIOD).toISOString())

/** Selects the address if its deletion can be undone. */
export const selectUndoable = (db: Database, address: OwnAddress, now: Date) =>
  db
    .select({ id: addresses.id })
    .from(addresses)
    .where(and(isOwn(address), isUndoable(now)))

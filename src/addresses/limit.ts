import { sql } from 'drizzle-orm'
import type { Guard } from '../db/guard.ts'
import type { Quota } from '../db/quota.ts'
import { perDay } from '../http/daily-quota.ts'
import { guard } from '../http/guard.ts'
import type { AddressKind } from './schema.ts'

/** The number of live addresses of one kind that a user may have, without those of orders. */
export const MAX_ADDRESSES = 100

type Owner = { userId: number; kind: AddressKind }

/** Rejects one more address of a user who has as many as allowed, if `condition` holds. */
export const limitAddresses = ({ userId, kind }: Owner, condition = sql`TRUE`): Guard =>
  guard(
    // The origin is a literal, so that SQLite uses the index `addresses_counted`.
    sql`${condition} AND (SELECT count(*) FROM addresses WHERE userId = ${userId} AND kind = ${kind}
      AND deletedAt IS NULL AND origin = 'request') >= ${MAX_ADDRESSES}`,
    'too_many_addresses',
    `the user has ${MAX_ADDRESSES} ${kind} addresses; delete one first`,
  )

/** Addresses that a user may create in a day (UTC), deleted ones too. */
const MAX_CREATED = 200

/** The quota of new addresses of a user. */
export const creationQuota = (userId: number): Quota =>
  perDay(`addresses:${userId}`, MAX_CREATED, `a user may create ${MAX_CREATED} addresses a day`)

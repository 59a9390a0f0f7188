import { type SQL, sql } from 'drizzle-orm'
import type { Guard } from '../db/guard.ts'
import { type Placeholders, preparedCondition } from '../db/prepared.ts'
import type { Quota } from '../db/quota.ts'
import { perDay } from '../http/daily-quota.ts'
import { ApiError } from '../http/errors.ts'
import type { AddressKind } from './schema.ts'

/** The number of live addresses of one kind that a user may have, without those of orders. */
export const MAX_ADDRESSES = 100

type Owner = { userId: number; kind: AddressKind }

// The origin is a literal, so that SQLite uses the index `addresses_counted`.
const isFull = ({ userId, kind }: Owner | Placeholders<Owner>) =>
  sql`(SELECT count(*) FROM addresses WHERE userId = ${userId} AND kind = ${kind}
    AND deletedAt IS NULL AND origin = 'request') >= ${sql.raw(String(MAX_ADDRESSES))}`

const isFullPrepared = preparedCondition((_, owner: Placeholders<Owner>) => isFull(owner))

const tooMany = (kind: AddressKind) => () =>
  new ApiError(
    'too_many_addresses',
    `the user has ${MAX_ADDRESSES} ${kind} addresses; delete one first`,
  )

/** Rejects one more address of a user who has as many as allowed. */
export const limitAddresses = (owner: Owner): Guard => ({
  when: isFullPrepared(owner),
  error: tooMany(owner.kind),
})

/** Addresses that a user may create in a day (UTC), deleted ones too. */
const MAX_CREATED = 200

/** The quota of new addresses of a user. */
export const creationQuota = (userId: number): Quota =>
  perDay(`addresses:${userId}`, MAX_CREATED, `a user may create ${MAX_CREATED} addresses a day`)

/** As `limitAddresses`, but only if `condition` holds. */
export const limitAddressesIf = (condition: SQL, owner: Owner): Guard => ({
  when: sql`${condition} AND ${isFull(owner)}`,
  error: tooMany(owner.kind),
})

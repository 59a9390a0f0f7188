/**
 * Makes placing orders and reserving safe to repeat (`Idempotency-Key`). The key is stored in the same
 * transaction as what the call writes, so either both exist or neither.
 *
 * Before a key is looked at, the user of a user token must still sell the listings of the call
 * (`requireOwnListings`).
 * For 24 hours a repeated key finds the hash of the first call, which must be the same (422), and its
 * result: the ids of its orders, which are read as they are now, or its reservations. Later it is a new
 * call, whatever its body, which places orders again; a `providerId` still stands for one order (409).
 * Nothing is stored of a call that was refused. Of two calls at the same time the second fails at the
 * primary key, and finds the first when its steps begin again. `PUT …/by-number` ignores the key.
 */
import { type SQL, sql } from 'drizzle-orm'
import { sha256, stringToBytes } from 'viem/utils'
import { namespaceOf } from '../../auth/access.ts'
import type { Database } from '../../db/client.ts'
import { raw } from '../../db/statements.ts'
import { ApiError } from '../../http/errors.ts'
import { orderLimits } from '../../limits.ts'
import type { NewOrder } from './new-order.ts'

/** A call with an idempotency key. */
export type IdempotentCall = { key: string; requestHash: string; storedAfter: string }

/** JSON of a value in which the order of keys, and whether null or nothing is given, do not matter. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify([value], (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : (part ?? undefined),
  )

/** Describes a call. Its hash is of the endpoint and of what was parsed. */
export const idempotentCall = (
  key: string,
  call: { orders: readonly NewOrder[] } | { reservations: readonly NewOrder[] },
  now: Date,
): IdempotentCall => ({
  key,
  requestHash: sha256(stringToBytes(canonicalJson(call))),
  storedAfter: new Date(now.getTime() - orderLimits.idempotencyKey.max).toISOString(),
})

/** An earlier call with the same key. `result`: JSON, see `idempotencyKeys`. */
export type StoredCall = { requestHash: string; result: string }

/** The day (UTC) of a time, for `idempotencyKeys.day`. */
export const dayOf = (time: string): string => time.slice(0, 10)

/**
 * Whether a row has the key and is not too old. Its day may be later than that of this call, if another
 * call has stored it after midnight, or by another clock.
 */
const isStored = ({ key, storedAfter }: IdempotentCall, namespace: SQL | string) =>
  sql`(day IN (date(${storedAfter}), date(${storedAfter}, '+1 day'), date(${storedAfter}, '+2 days'))
    AND namespace = ${namespace} AND "key" = ${key} AND createdAt > ${storedAfter})`

/** Selects by the namespace of the token, so that the first trip finds an earlier call. */
export const selectStored = (db: Database, call: IdempotentCall, tokenId: string) =>
  raw<StoredCall>(db)`SELECT requestHash, result FROM idempotencyKeys
    WHERE ${isStored(call, namespaceOf(tokenId))}`

/** Throws `idempotency_key_reused` if the key is stored for another call. */
export function requireSameCall(call: IdempotentCall, stored: StoredCall): void {
  if (stored.requestHash !== call.requestHash)
    throw new ApiError('idempotency_key_reused', 'this Idempotency-Key was used with another call')
}

/**
 * Stores what a call has made: `result`, JSON. Takes the day of a live row with the same key, so that the
 * primary key (day, namespace, key) fails. A row that is not live any more has an earlier day.
 */
export const storeCall = (
  db: Database,
  call: IdempotentCall,
  { namespace, now, result }: { namespace: string; now: string; result: SQL | string },
) => raw<never>(db)`
  INSERT INTO idempotencyKeys (day, namespace, "key", requestHash, result, createdAt)
  SELECT coalesce((SELECT day FROM idempotencyKeys WHERE ${isStored(call, namespace)}), date(${now})),
    ${namespace}, ${call.key}, ${call.requestHash}, ${result}, ${now}`
